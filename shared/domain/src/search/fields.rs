//! What each list is filtered by: names, types, and whether several values are taken.

use crate::failure::{DeadLetterStatus, DeadReason};
use crate::id::{DeliveryKind, ExecutionKind, Id, Kind, ScheduleKind, WebhookKind};
use crate::job::JobStatus;
use crate::names::{JobType, NodeId, Tag, TenantName, WorkerId, WorkflowName};
use crate::queue::{QueueName, Tier};
use crate::webhook::{DeliverySource, DeliveryStatus};
use crate::workflow::execution::{ExecutionStatus, UserTaskStatus};

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

const ARCHIVE_STATUSES: &[&str] = &[DeadLetterStatus::Archived.as_str()];
const TRIGGERS: &[&str] = &["user", "schedule", "webhook", "event", "parent"];

/// The longest text that is looked for, in bytes.
pub(super) const TEXT_BYTES_MAX: usize = 256;

fn any_text(text: &str) -> bool {
    !text.is_empty() && text.len() <= TEXT_BYTES_MAX && !text.chars().any(char::is_control)
}

pub(super) fn uuid_of<K: Kind>(text: &str) -> Option<uuid::Uuid> {
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

const QUEUE: Field = many("queue", FieldKind::Word(&QueueName::NAMES));
const PRIORITY: Field = many("priority", FieldKind::Word(&Tier::NAMES));
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

pub(super) const JOBS: &[Field] = &[
    QUEUE,
    many("status", FieldKind::Word(&JobStatus::NAMES)),
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

pub(super) const EXECUTIONS: &[Field] = &[
    WORKFLOW,
    one("version", FieldKind::Integer),
    many("status", FieldKind::Word(&ExecutionStatus::NAMES)),
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

pub(super) const DEAD_LETTERS: &[Field] = &dead_letters(&DeadLetterStatus::NAMES);
pub(super) const ARCHIVE: &[Field] = &dead_letters(ARCHIVE_STATUSES);

const fn dead_letters(statuses: &'static [&'static str]) -> [Field; 12] {
    [
        QUEUE,
        WORKFLOW,
        JOB_TYPE,
        TENANT,
        FINGERPRINT,
        many("reason", FieldKind::Word(&DeadReason::NAMES)),
        many("status", FieldKind::Word(statuses)),
        TAG,
        WORKER,
        EXECUTION,
        SCHEDULE,
        DELIVERY,
    ]
}

const PAUSED: &[&str] = &["true", "false"];

pub(super) const DELIVERIES: &[Field] = &[
    many("source", FieldKind::Word(&DeliverySource::NAMES)),
    many("webhookId", FieldKind::Id(WebhookKind::PREFIX, uuid_of::<WebhookKind>)),
    TENANT,
    many("status", FieldKind::Word(&DeliveryStatus::NAMES)),
    many("eventType", FieldKind::Text(any_text)),
    many("reason", FieldKind::Text(any_text)),
    one("remoteAddress", FieldKind::Text(any_text)),
    EXECUTION,
];

pub(super) const SCHEDULES: &[Field] = &[WORKFLOW, TENANT, one("paused", FieldKind::Word(PAUSED))];

const RUN_STATUSES: &[&str] = &["fired", "waiting", "skipped"];

pub(super) const RUNS: &[Field] = &[
    many("status", FieldKind::Word(RUN_STATUSES)),
    many("reason", FieldKind::Text(any_text)),
    many("skipReason", FieldKind::Text(any_text)),
    EXECUTION,
];

pub(super) const USER_TASKS: &[Field] = &[
    many("status", FieldKind::Word(&UserTaskStatus::NAMES)),
    many("group", FieldKind::Text(any_text)),
    many("assignee", FieldKind::Text(any_text)),
    WORKFLOW,
    TENANT,
    id_of::<ExecutionKind>("execution"),
];

pub(super) const WORKERS: &[Field] = &[TENANT, many("kind", FieldKind::Text(any_text)), JOB_TYPE];

const OUTCOMES: &[&str] = &["done", "refused"];
const DOORS: &[&str] = &["rest", "cli", "console", "grpc", "system"];

pub(super) const AUDIT: &[Field] = &[
    many("actor", FieldKind::Text(any_text)),
    many("action", FieldKind::Text(any_text)),
    one("subject", FieldKind::Text(any_text)),
    TENANT,
    one("address", FieldKind::Text(any_text)),
    one("requestId", FieldKind::Text(any_text)),
    many("outcome", FieldKind::Word(OUTCOMES)),
    many("door", FieldKind::Word(DOORS)),
    one("batch", FieldKind::Text(any_text)),
];

const BATCH_STATUSES: &[&str] = &["preparing", "running", "paused", "completed", "aborted", "failed"];

pub(super) const BATCHES: &[Field] = &[
    many("kind", FieldKind::Text(any_text)),
    many("status", FieldKind::Word(BATCH_STATUSES)),
    many("actor", FieldKind::Text(any_text)),
];
