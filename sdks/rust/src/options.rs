//! What may be said of a job besides its type and data.

use crate::models::JobRequest;

/// Options of a job.
#[derive(Debug, Clone, Default)]
#[must_use = "options do nothing before they are given to a job"]
pub struct JobOptions {
    pub(crate) job: JobRequest,
}

/// Defines setters of job options for whatever holds them.
macro_rules! job_option_setters {
    ($self:ident => $options:expr) => {
        /// High, normal or low.
        pub fn priority(mut $self, priority: $crate::models::Priority) -> Self {
            $options.priority = Some(priority);
            $self
        }

        /// Delay before the earliest start.
        pub fn delay(mut $self, delay: std::time::Duration) -> Self {
            $options.delay = Some($crate::timestamp::text(delay));
            $self
        }

        /// Earliest start time.
        pub fn run_at(mut $self, at: $crate::Timestamp) -> Self {
            $options.run_at = Some(at);
            $self
        }

        /// At most one unfinished job has this key: a second enqueue returns the first job.
        pub fn unique_key(mut $self, key: impl Into<String>) -> Self {
            $options.unique_key = Some(key.into());
            $self
        }

        /// At most one job with this key runs at a time.
        pub fn concurrency_key(mut $self, key: impl Into<String>) -> Self {
            $options.concurrency_key = Some(key.into());
            $self
        }

        /// Rate key: if a rate is set for it, starts of the job are counted under that rate.
        pub fn rate_key(mut $self, key: impl Into<String>) -> Self {
            $options.rate_key = Some(key.into());
            $self
        }

        /// A searchable attribute: a value of its declared type, or a list of at most 16.
        pub fn attribute(mut $self, name: impl Into<String>, value: impl Into<$crate::Json>) -> Self {
            $options.attributes.get_or_insert_default().insert(name.into(), value.into());
            $self
        }

        /// Maximum number of retries after a failure.
        pub fn max_retries(mut $self, retries: u16) -> Self {
            $options.max_retries = Some(i32::from(retries));
            $self
        }

        /// The delays between attempts.
        pub fn backoff(mut $self, backoff: $crate::models::Backoff) -> Self {
            $options.backoff = Some(backoff);
            $self
        }

        /// Timeout of an attempt.
        pub fn attempt_timeout(mut $self, limit: std::time::Duration) -> Self {
            $options.timeout = Some($crate::timestamp::text(limit));
            $self
        }

        /// Tags for filtering.
        pub fn tags<T: Into<String>>(mut $self, tags: impl IntoIterator<Item = T>) -> Self {
            $options.tags = Some(tags.into_iter().map(Into::into).collect());
            $self
        }

        /// The tenant of the job, which overrides the client's tenant.
        pub fn tenant(mut $self, tenant: impl Into<String>) -> Self {
            $options.tenant = Some(tenant.into());
            $self
        }

        /// The W3C trace context (default: the context of the surrounding handler).
        pub fn traceparent(mut $self, value: impl Into<String>) -> Self {
            $options.traceparent = Some(value.into());
            $self
        }
    };
}

pub(crate) use job_option_setters;

impl JobOptions {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    job_option_setters!(self => self.job);
}
