//! The table of handlers by job type, and what becomes of a job that none knows.

use std::collections::HashMap;
use std::sync::Arc;

use domain::failure::JobError;
use domain::job::Outcome;
use domain::names::JobType;
use domain::queue::QueueName;
use domain::workflow::execution::{JOB_TYPE_HTTP, JOB_TYPE_HTTP_SECRETS};
use store::Clock;

use super::Handler;
use super::http::{HttpHandler, SecretSource};
use crate::egress::{EgressClients, EgressError, EgressOptions};

/// The job types of nodes that run inside Trunkline. The node pool claims only these and leaves every other type to
/// external workers.
const NODE_JOB_TYPES: [&str; 2] = [JOB_TYPE_HTTP, JOB_TYPE_HTTP_SECRETS];

/// Handlers by job type.
#[derive(Clone, Default)]
pub struct Handlers {
    by_type: HashMap<JobType, Arc<dyn Handler>>,
}

impl Handlers {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The handlers that every process has.
    pub fn built_in(
        egress: EgressOptions,
        clock: Arc<dyn Clock>,
        secrets: Arc<dyn SecretSource>,
    ) -> Result<Self, EgressError> {
        let mut handlers = Self::new();
        let http = Arc::new(HttpHandler::new(EgressClients::new(egress)?, clock).with_secrets(secrets));
        for job_type in NODE_JOB_TYPES {
            handlers.register(JobType::trusted(job_type), Arc::clone(&http) as Arc<dyn Handler>);
        }
        Ok(handlers)
    }

    /// Adds a handler, in the place of an earlier one of the same type.
    pub fn register(&mut self, job_type: JobType, handler: Arc<dyn Handler>) {
        self.by_type.insert(job_type, handler);
    }

    /// The handler of a job type.
    pub(crate) fn get(&self, job_type: &JobType) -> Option<&Arc<dyn Handler>> {
        self.by_type.get(job_type)
    }

    /// The job types that the pool of a queue claims; `None` is all of them.
    pub(crate) fn claimed_types(&self, queue: QueueName) -> Option<Vec<JobType>> {
        match queue {
            QueueName::Node => Some(
                self.by_type
                    .keys()
                    .filter(|known| NODE_JOB_TYPES.contains(&known.as_str()))
                    .cloned()
                    .collect(),
            ),
            QueueName::Execution | QueueName::Scheduled | QueueName::Webhook => None,
        }
    }
}

/// Trying again does not help: another version of the process would have to run it.
pub(crate) fn no_handler(job_type: &JobType) -> Outcome {
    Outcome::Failed {
        error: JobError::coded(
            "no_handler",
            format!("No handler is registered for the job type {job_type}."),
        ),
        retryable: false,
        retry_after: None,
    }
}
