//! The labels of a job: queue and tier always, tenant and job type where somebody asked for them, and never more values
//! than the cap.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use metrics::Label;

use crate::names;

/// The value of whatever is beyond the cap, or not known.
pub const OTHER: &str = "other";

/// Which labels the metrics of jobs have beside queue and tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelOptions {
    /// Whether there is a label for the tenant.
    pub tenant: bool,
    /// Whether there is a label for the job type.
    pub job_type: bool,
    /// How many values each of the two has at most; those that come later are `other`.
    pub values_max: usize,
}

impl Default for LabelOptions {
    fn default() -> Self {
        Self { tenant: false, job_type: false, values_max: 100 }
    }
}

/// What a job is counted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobLabels<'a> {
    /// The public name of the queue.
    pub queue: &'static str,
    /// `high`, `normal` or `low`.
    pub tier: &'static str,
    /// The tenant, where it is known.
    pub tenant: Option<&'a str>,
    /// The job type, where it is known.
    pub job_type: Option<&'a str>,
}

/// The values of a job's labels as they are shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Shown {
    pub(crate) queue: &'static str,
    pub(crate) tier: &'static str,
    pub(crate) tenant: Option<Arc<str>>,
    pub(crate) job_type: Option<Arc<str>>,
}

/// The values that a label has had so far.
#[derive(Debug, Default)]
struct Values(Mutex<HashSet<Arc<str>>>);

#[derive(Debug, Default)]
pub(crate) struct Labels {
    options: LabelOptions,
    tenants: Values,
    job_types: Values,
}

static LABELS: OnceLock<Labels> = OnceLock::new();

/// Says which labels the metrics of jobs have. Only the first call counts: a label cannot come or go while the process
/// runs.
pub fn set_label_options(options: LabelOptions) {
    let _ = LABELS.set(Labels::new(options));
}

/// The labels of a job, for counters.
pub fn of_job(labels: &JobLabels<'_>) -> Vec<Label> {
    shared().shown(labels).into_labels()
}

/// The label of a job type, where job types are labels.
pub fn of_job_type(job_type: &str) -> Vec<Label> {
    let labels = shared();
    if !labels.options.job_type {
        return Vec::new();
    }
    vec![Label::new(names::JOB_TYPE, labels.job_types.capped(Some(job_type), labels.options.values_max))]
}

/// Whether the metrics of jobs have more labels than queue and tier.
pub fn has_optional_labels() -> bool {
    !shared().has_only_queue_and_tier()
}

/// The labels of this process.
pub(crate) fn shared() -> &'static Labels {
    LABELS.get_or_init(Labels::default)
}

impl Labels {
    pub(crate) fn new(options: LabelOptions) -> Self {
        Self { options, ..Self::default() }
    }

    pub(crate) fn has_only_queue_and_tier(&self) -> bool {
        !self.options.tenant && !self.options.job_type
    }

    pub(crate) fn shown(&self, labels: &JobLabels<'_>) -> Shown {
        let LabelOptions { tenant, job_type, values_max } = self.options;
        Shown {
            queue: labels.queue,
            tier: labels.tier,
            tenant: tenant.then(|| self.tenants.capped(labels.tenant, values_max)),
            job_type: job_type.then(|| self.job_types.capped(labels.job_type, values_max)),
        }
    }
}

impl Values {
    fn capped(&self, value: Option<&str>, values_max: usize) -> Arc<str> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(value) = value else {
            return OTHER.into();
        };
        if let Some(known) = known.get(value) {
            return Arc::clone(known);
        }
        if known.len() >= values_max {
            return OTHER.into();
        }
        let value: Arc<str> = value.into();
        known.insert(Arc::clone(&value));
        value
    }
}

impl Shown {
    fn into_labels(self) -> Vec<Label> {
        let mut labels = vec![
            Label::from_static_parts(names::QUEUE, self.queue),
            Label::from_static_parts(names::TIER, self.tier),
        ];
        let optional = [(names::TENANT, self.tenant), (names::JOB_TYPE, self.job_type)];
        labels.extend(
            optional.into_iter().filter_map(|(name, value)| value.map(|value| Label::new(name, value))),
        );
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job<'a>(tenant: &'a str, job_type: Option<&'a str>) -> JobLabels<'a> {
        JobLabels { queue: "workflow-node", tier: "high", tenant: Some(tenant), job_type }
    }

    #[test]
    fn tenant_and_type_are_labels_only_where_asked_for() {
        let labels = Labels::new(LabelOptions::default()).shown(&job("acme", Some("encode"))).into_labels();
        let names: Vec<&str> = labels.iter().map(Label::key).collect();
        assert_eq!(names, ["queue", "tier"]);
        let both = LabelOptions { tenant: true, job_type: true, values_max: 2 };
        let labels = Labels::new(both).shown(&job("acme", Some("encode"))).into_labels();
        let values: Vec<&str> = labels.iter().map(Label::value).collect();
        assert_eq!(values, ["workflow-node", "high", "acme", "encode"]);
    }

    #[test]
    fn values_beyond_the_cap_are_other() {
        let labels = Labels::new(LabelOptions { tenant: true, job_type: true, values_max: 2 });
        let tenant = |name: &str| labels.shown(&job(name, None)).tenant.expect("a label").to_string();
        assert_eq!(["a", "b", "c", "a", "d"].map(tenant), ["a", "b", OTHER, "a", OTHER]);
        assert_eq!(labels.shown(&job("a", None)).job_type.as_deref(), Some(OTHER), "it is not known");
    }
}
