//! The lists that are searched, and what each is filtered by.

use serde::{Deserialize, Serialize};

use crate::id::{DeadLetterKind, DeliveryKind, ExecutionKind, Id, JobKind, Kind, ScheduleKind, WebhookKind};
use crate::names::{JobType, NodeId, Tag, TenantName, WorkerId, WorkflowName};

/// A list that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchList {
    /// `/v1/jobs`.
    Jobs,
    /// `/v1/executions`.
    Executions,
    /// `/v1/dead-letters`.
    DeadLetters,
    /// `/v1/archive`.
    Archive,
    /// `/v1/deliveries`.
    Deliveries,
    /// `/v1/schedules`.
    Schedules,
}

/// What a list is filtered by.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name of the parameter and of the key.
    pub name: &'static str,
    /// What its values are.
    pub kind: FieldKind,
    /// Whether the parameter takes several values.
    pub is_many: bool,
}

/// What the values of a field are.
#[derive(Debug, Clone, Copy)]
pub enum FieldKind {
    /// One of these words.
    Word(&'static [&'static str]),
    /// An id with this prefix; the function reads it.
    Id(&'static str, fn(&str) -> Option<uuid::Uuid>),
    /// Text; the function says whether there can be such a value.
    Text(fn(&str) -> bool),
    /// A whole number.
    Integer,
}

const QUEUES: &[&str] = &["workflow-execution", "workflow-node", "workflow-scheduled", "workflow-webhook"];
const PRIORITIES: &[&str] = &["high", "normal", "low"];
const JOB_STATUSES: &[&str] = &[
    "SCHEDULED",
    "QUEUED",
    "PROCESSING",
    "WAITING",
    "RETRY_WAIT",
    "COMPLETED",
    "FAILED",
    "DEAD_LETTER",
    "CANCELLED",
];
const EXECUTION_STATUSES: &[&str] =
    &["PENDING", "RUNNING", "WAITING", "COMPLETED", "FAILED", "CANCELLED", "COMPENSATING"];
const DEAD_LETTER_STATUSES: &[&str] = &["open", "requeued", "archived"];
const ARCHIVE_STATUSES: &[&str] = &["archived"];
const REASONS: &[&str] = &["retries_exhausted", "non_retryable", "worker_lost", "timeout"];
const TRIGGERS: &[&str] = &["user", "schedule", "webhook", "event", "parent"];

/// The longest text that is looked for, in bytes.
pub(super) const TEXT_BYTES_MAX: usize = 256;

fn any_text(text: &str) -> bool {
    !text.is_empty() && text.len() <= TEXT_BYTES_MAX && !text.chars().any(char::is_control)
}

fn uuid_of<K: Kind>(text: &str) -> Option<uuid::Uuid> {
    Id::<K>::parse(text).map(Id::uuid)
}

const fn many(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind, is_many: true }
}

const fn one(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind, is_many: false }
}

const fn id_of<K: Kind>(name: &'static str) -> Field {
    one(name, FieldKind::Id(K::PREFIX, uuid_of::<K>))
}

const QUEUE: Field = many("queue", FieldKind::Word(QUEUES));
const PRIORITY: Field = many("priority", FieldKind::Word(PRIORITIES));
const JOB_TYPE: Field = many("jobType", FieldKind::Text(|text| JobType::parse(text).is_ok()));
const WORKFLOW: Field = many("workflow", FieldKind::Text(|text| WorkflowName::parse(text).is_ok()));
const TENANT: Field = many("tenant", FieldKind::Text(|text| TenantName::parse(text).is_ok()));
const TAG: Field = many("tag", FieldKind::Text(|text| Tag::parse(text).is_ok()));
const FINGERPRINT: Field = many("fingerprint", FieldKind::Text(any_text));
const WORKER: Field = many("workerId", FieldKind::Text(|text| WorkerId::parse(text).is_ok()));
const EXECUTION: Field = id_of::<ExecutionKind>("executionId");
const SCHEDULE: Field = id_of::<ScheduleKind>("scheduleId");
const WEBHOOK: Field = id_of::<WebhookKind>("webhookId");
const DELIVERY: Field = id_of::<DeliveryKind>("deliveryId");

const JOBS: &[Field] = &[
    QUEUE,
    many("status", FieldKind::Word(JOB_STATUSES)),
    JOB_TYPE,
    WORKFLOW,
    TENANT,
    PRIORITY,
    TAG,
    FINGERPRINT,
    WORKER,
    EXECUTION,
    one("nodeId", FieldKind::Text(|text| NodeId::parse(text).is_ok())),
    SCHEDULE,
    DELIVERY,
    one("uniqueKey", FieldKind::Text(any_text)),
    one("concurrencyKey", FieldKind::Text(any_text)),
    one("rateKey", FieldKind::Text(any_text)),
];

const EXECUTIONS: &[Field] = &[
    WORKFLOW,
    one("version", FieldKind::Integer),
    many("status", FieldKind::Word(EXECUTION_STATUSES)),
    TENANT,
    PRIORITY,
    TAG,
    many("trigger", FieldKind::Word(TRIGGERS)),
    FINGERPRINT,
    one("correlationId", FieldKind::Text(any_text)),
    one("uniqueKey", FieldKind::Text(any_text)),
    id_of::<ExecutionKind>("parent"),
    SCHEDULE,
    WEBHOOK,
    DELIVERY,
];

const DEAD_LETTERS: &[Field] = &[
    QUEUE,
    WORKFLOW,
    JOB_TYPE,
    TENANT,
    FINGERPRINT,
    many("reason", FieldKind::Word(REASONS)),
    many("status", FieldKind::Word(DEAD_LETTER_STATUSES)),
    TAG,
    WORKER,
    EXECUTION,
    SCHEDULE,
    DELIVERY,
];

const ARCHIVE: &[Field] = &[
    QUEUE,
    WORKFLOW,
    JOB_TYPE,
    TENANT,
    FINGERPRINT,
    many("reason", FieldKind::Word(REASONS)),
    many("status", FieldKind::Word(ARCHIVE_STATUSES)),
    TAG,
    WORKER,
    EXECUTION,
    SCHEDULE,
    DELIVERY,
];

const DELIVERY_STATUSES: &[&str] =
    &["accepted", "held", "matched", "unmatched", "parked", "duplicate", "rejected", "handshake"];
const PAUSED: &[&str] = &["true", "false"];

const SOURCES: &[&str] = &["webhook", "event"];

const DELIVERIES: &[Field] = &[
    many("source", FieldKind::Word(SOURCES)),
    many("webhookId", FieldKind::Id(WebhookKind::PREFIX, uuid_of::<WebhookKind>)),
    TENANT,
    many("status", FieldKind::Word(DELIVERY_STATUSES)),
    many("eventType", FieldKind::Text(any_text)),
    many("reason", FieldKind::Text(any_text)),
    one("remoteAddress", FieldKind::Text(any_text)),
    EXECUTION,
];

const SCHEDULES: &[Field] = &[WORKFLOW, TENANT, one("paused", FieldKind::Word(PAUSED))];

impl SearchList {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Jobs, Self::Executions, Self::DeadLetters, Self::Archive, Self::Deliveries, Self::Schedules];

    /// Its name, as in its path.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jobs => "jobs",
            Self::Executions => "executions",
            Self::DeadLetters => "dead-letters",
            Self::Archive => "archive",
            Self::Deliveries => "deliveries",
            Self::Schedules => "schedules",
        }
    }

    /// What it is filtered by.
    pub const fn fields(self) -> &'static [Field] {
        match self {
            Self::Jobs => JOBS,
            Self::Executions => EXECUTIONS,
            Self::DeadLetters => DEAD_LETTERS,
            Self::Archive => ARCHIVE,
            Self::Deliveries => DELIVERIES,
            Self::Schedules => SCHEDULES,
        }
    }

    /// The instants of its objects; the one that it is ordered by is first.
    pub const fn instants(self) -> &'static [&'static str] {
        match self {
            Self::Jobs => &["created", "run", "processed", "completed"],
            Self::Executions => &["created", "started", "completed"],
            Self::DeadLetters | Self::Archive => &["died", "resolved"],
            Self::Deliveries => &["received", "processed"],
            Self::Schedules => &["created", "nextRun"],
        }
    }

    /// What it is filtered by under this name.
    pub fn field(self, name: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.name == name)
    }

    /// The instant with this name.
    pub fn instant(self, name: &str) -> Option<&'static str> {
        self.instants().iter().copied().find(|instant| *instant == name)
    }

    /// Reads an id of its objects.
    pub fn parse_id(self, text: &str) -> Option<uuid::Uuid> {
        match self {
            Self::Jobs => uuid_of::<JobKind>(text),
            Self::Executions => uuid_of::<ExecutionKind>(text),
            Self::DeadLetters | Self::Archive => uuid_of::<DeadLetterKind>(text),
            Self::Deliveries => uuid_of::<DeliveryKind>(text),
            Self::Schedules => uuid_of::<ScheduleKind>(text),
        }
    }

    /// What its ids begin with.
    pub const fn id_prefix(self) -> &'static str {
        match self {
            Self::Jobs => JobKind::PREFIX,
            Self::Executions => ExecutionKind::PREFIX,
            Self::DeadLetters | Self::Archive => DeadLetterKind::PREFIX,
            Self::Deliveries => DeliveryKind::PREFIX,
            Self::Schedules => ScheduleKind::PREFIX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::DeadReason;
    use crate::job::JobStatus;
    use crate::queue::{QueueName, Tier};
    use crate::workflow::execution::ExecutionStatus;

    #[test]
    fn words_are_those_of_the_enumerations() {
        assert_eq!(QUEUES, QueueName::ALL.map(QueueName::as_str));
        assert_eq!(PRIORITIES, Tier::ALL.map(Tier::as_str));
        assert_eq!(JOB_STATUSES, JobStatus::ALL.map(JobStatus::as_str));
        assert_eq!(EXECUTION_STATUSES, ExecutionStatus::ALL.map(ExecutionStatus::as_str));
        assert_eq!(REASONS, DeadReason::ALL.map(DeadReason::as_str));
    }

    #[test]
    fn names_are_each_once_in_a_list() {
        for list in SearchList::ALL {
            let mut names: Vec<&str> = list.fields().iter().map(|field| field.name).collect();
            names.extend(list.instants());
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", list.as_str());
        }
    }
}
