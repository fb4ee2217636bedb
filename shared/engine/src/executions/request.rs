//! What a caller asks for when it starts an execution.

use std::collections::BTreeMap;

use domain::error::Fault;
use domain::id::{ExecutionId, JobId};
use domain::names::{CallerKey, Tag, TenantName, WorkflowName};
use domain::queue::Tier;
use domain::time::{DurationMs, Timestamp};
use domain::workflow::definition::Definition;
use domain::workflow::execution::ExecutionStatus;
use domain::workflow::unique::UniquePolicy;
use store::executions::Trigger;

use crate::bounds::Faults;
use crate::policy::Policy;

/// An execution to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionRequest {
    /// The workflow's name.
    pub workflow: WorkflowName,
    /// Its version; the latest where absent.
    pub version: Option<u32>,
    /// The input as raw JSON text, known to be well formed.
    pub input: String,
    /// The tier; `normal` for schedules and `high` for everything else where absent.
    pub tier: Option<Tier>,
    /// The tenant; the key's own or `default` where absent.
    pub tenant: Option<TenantName>,
    /// When it may start. Not together with `delay`.
    pub run_at: Option<Timestamp>,
    /// After which wait it may start.
    pub delay: Option<DurationMs>,
    /// How long it may wait for its start, counted from when it may start; what the definition says where absent.
    pub expires_in: Option<DurationMs>,
    /// Whatever the caller knows it by.
    pub correlation_id: Option<CallerKey>,
    /// Tags.
    pub tags: Vec<Tag>,
    /// W3C trace context.
    pub traceparent: Option<String>,
    /// What starts it.
    pub trigger: Trigger,
    /// Its unique key, and what is done while an execution with it is open.
    pub unique: Option<(CallerKey, UniquePolicy)>,
    /// A signal for the open execution with the key, or else for the new one: name, and payload as raw JSON text.
    pub signal: Option<(CallerKey, String)>,
    /// Searchable attributes, by name.
    pub attributes: BTreeMap<String, serde_json::Value>,
}

impl ExecutionRequest {
    /// An execution that a person starts, and nothing else said.
    pub fn new(workflow: WorkflowName, input: impl Into<String>) -> Self {
        Self {
            workflow,
            version: None,
            input: input.into(),
            tier: None,
            tenant: None,
            run_at: None,
            delay: None,
            expires_in: None,
            correlation_id: None,
            tags: Vec::new(),
            traceparent: None,
            trigger: Trigger { kind: "user".to_owned(), detail: None },
            unique: None,
            signal: None,
            attributes: BTreeMap::new(),
        }
    }

    /// Every fault that shows without the definition, with pointers into this one request.
    pub(crate) fn faults(&self, policy: &Policy) -> Vec<Fault> {
        let mut faults = Faults::default();
        faults.json("/input", &self.input, policy.payload_bytes_max);
        faults.start_time(self.run_at, self.delay);
        faults.expires_in(self.expires_in);
        faults.tags("/tags", &self.tags);
        if let Some((_, payload)) = &self.signal {
            faults.json("/signal/payload", payload, policy.payload_bytes_max);
            match &self.unique {
                Some((_, UniquePolicy::Join)) => {}
                Some(_) => faults.add("/uniquePolicy", "a start with a signal joins: expected join"),
                None => faults.add("/uniqueKey", "a start with a signal needs a unique key"),
            }
        }
        faults.into_vec()
    }

    /// The request with what its definition says where it says nothing itself.
    #[must_use]
    pub(crate) fn with_terms_of(mut self, definition: &Definition) -> Self {
        self.expires_in = self.expires_in.or(definition.expires_in);
        self
    }

    /// Schedules are the only trigger that nobody waits for.
    pub(crate) fn tier(&self) -> Tier {
        self.tier.unwrap_or(if self.trigger.kind == "schedule" { Tier::Normal } else { Tier::High })
    }
}

/// An execution that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedExecution {
    /// Its id.
    pub id: ExecutionId,
    /// Its job.
    pub job_id: JobId,
    /// Its place in the queue.
    pub position: i64,
    /// PENDING, or where it is by now when it was there before.
    pub status: ExecutionStatus,
    /// Whether it was there before: a repeated request, or an open execution with the unique key.
    pub existing: bool,
    /// The executions that were cancelled for it.
    pub replaces: Vec<ExecutionId>,
    /// The position of the signal that came with the start.
    pub command_position: Option<i64>,
}
