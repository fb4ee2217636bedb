//! Alerts: rules and routes that operators set, silences, alerts as they stand, and notifications to send.

use async_trait::async_trait;
use domain::alerting::{Alert, AlertStatus, Labels, Severity, Silence};
use domain::id::{AlertId, NotificationId, SecretId, SilenceId, WebhookId};
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use uuid::Uuid;

use crate::audit::AuditRecord;
use crate::error::StoreResult;
use crate::page::{Page, PageRequest};

/// Something that operators set under a name, in a form of the engine's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSpec {
    /// Its name.
    pub name: String,
    /// What it is, as raw JSON text.
    pub spec: String,
    /// Its secret, where it has one.
    pub secret: Option<SealedSecret>,
    /// When it was last changed.
    pub changed_at: Timestamp,
}

/// A secret as it rests.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret {
    /// The id of this value; authenticated with it.
    pub id: SecretId,
    /// The key that it is sealed with.
    pub key_id: String,
    /// Nonce and ciphertext.
    pub sealed: Vec<u8>,
}

impl std::fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SealedSecret").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

domain::words! {
    /// What kind of thing has the name.
    SpecKind {
        /// A rule.
        Rule "rule",
        /// A route.
        Route "route",
    }
}

/// Which alerts a list shows. Empty fields match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlertFilter {
    /// Only these; none is all.
    pub statuses: Vec<AlertStatus>,
    /// Only of this rule.
    pub rule: Option<String>,
    /// Only of this severity.
    pub severity: Option<Severity>,
}

domain::words! {
    /// Where a notification stands.
    NotificationStatus {
        /// It is to be sent, or sent again.
        Pending "pending",
        /// It arrived.
        Sent "sent",
        /// It was given up.
        Failed "failed",
    }
}

/// A notification about an alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Its id, the same over all tries.
    pub id: NotificationId,
    /// The alert; none for a test.
    pub alert_id: Option<AlertId>,
    /// The route.
    pub route: String,
    /// `alert.firing`, `alert.resolved` or `alert.test`.
    pub kind: String,
    /// What is sent, as raw JSON text.
    pub body: String,
    /// Where it stands.
    pub status: NotificationStatus,
    /// How often it was tried.
    pub tries: u32,
    /// When it is to be tried, while it is pending. Whoever tries moves it on first.
    pub due_at: Timestamp,
    /// Why the last try failed.
    pub error: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it arrived.
    pub sent_at: Option<Timestamp>,
}

/// What an evaluation changes, in one commit of who has the turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluated {
    /// Alerts as they are now, new ones with them.
    pub keep: Vec<Alert>,
    /// Alerts that are forgotten.
    pub drop: Vec<AlertId>,
    /// What is to be sent about them.
    pub notify: Vec<Notification>,
}

/// Attempts of a job type that ended lately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentLane {
    /// The queue.
    pub queue: QueueName,
    /// The tier.
    pub tier: Tier,
    /// The tenant.
    pub tenant: TenantName,
    /// The workflow.
    pub workflow: Option<WorkflowName>,
    /// The job type.
    pub job_type: JobType,
    /// Attempts of the jobs that ended.
    pub attempts: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// How long the jobs waited for their last claim, in no order.
    pub waits: Vec<DurationMs>,
}

/// Jobs of the same kind that became dead letters lately, with the same error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDeadLetters {
    /// The fingerprint of their error.
    pub fingerprint: String,
    /// The queue.
    pub queue: QueueName,
    /// The tenant.
    pub tenant: TenantName,
    /// The workflow.
    pub workflow: Option<WorkflowName>,
    /// The job type.
    pub job_type: JobType,
    /// How many there are.
    pub letters: u64,
}

/// A schedule that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LateSchedule {
    /// Its id, as text.
    pub id: String,
    /// Whose it is.
    pub tenant: TenantName,
    /// Its workflow.
    pub workflow: String,
    /// Since when it has been due.
    pub due_at: Timestamp,
}

/// What is measured for rules beside the loads of queues. Each part is bounded: of more than so many rows the newest are
/// looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// Jobs that ended lately.
    pub recent: Vec<RecentLane>,
    /// New dead letters.
    pub dead_letters: Vec<NewDeadLetters>,
    /// Deliveries by endpoint: all, and those that were rejected.
    pub deliveries: Vec<(WebhookId, TenantName, u64, u64)>,
    /// Schedules that are late.
    pub late: Vec<LateSchedule>,
    /// Bytes of the database's log.
    pub log_bytes: Option<u64>,
    /// Which part of the disk of the database's file is used.
    pub disk_used: Option<f64>,
}

/// The store's operations on alerts.
#[async_trait]
pub trait AlertStore {
    /// Rules or routes that operators set, by name.
    async fn alert_specs(&self, kind: SpecKind) -> StoreResult<Vec<NamedSpec>>;

    /// Sets one, with its line of the audit log. Answers `false` where it is new and there are `specs_max` already.
    async fn put_alert_spec(
        &self,
        kind: SpecKind,
        spec: &NamedSpec,
        specs_max: u32,
        audit: &[AuditRecord],
    ) -> StoreResult<bool>;

    /// Removes one. Answers whether it was there.
    async fn delete_alert_spec(&self, kind: SpecKind, name: &str, audit: &[AuditRecord])
    -> StoreResult<bool>;

    /// Silences that have not ended, newest first.
    async fn silences(&self, now: Timestamp) -> StoreResult<Vec<Silence>>;

    /// Keeps a silence.
    async fn add_silence(&self, silence: &Silence, audit: &[AuditRecord]) -> StoreResult<()>;

    /// Ends a silence. Answers whether it held.
    async fn end_silence(&self, id: SilenceId, now: Timestamp, audit: &[AuditRecord]) -> StoreResult<bool>;

    /// Takes or keeps the turn to evaluate until an instant, if nobody else has it.
    async fn take_alert_turn(&self, holder: Uuid, until: Timestamp, now: Timestamp) -> StoreResult<bool>;

    /// Alerts that have not ended.
    async fn open_alerts(&self) -> StoreResult<Vec<Alert>>;

    /// Alerts that ended under a silence after somebody was notified that they fire, until an evaluation keeps them without a
    /// silence: nobody was notified of their end. The oldest ends first, at most 10,000.
    async fn silenced_ends(&self) -> StoreResult<Vec<Alert>>;

    /// Writes what an evaluation came to, if the holder still has the turn; answers whether. Of alerts with the same rule
    /// and labels one at most is open.
    async fn commit_alerts(&self, holder: Uuid, evaluated: &Evaluated, now: Timestamp) -> StoreResult<bool>;

    /// Alerts, newest first.
    async fn list_alerts(&self, filter: &AlertFilter, page: PageRequest) -> StoreResult<Page<Alert>>;

    /// Adds a notification that no evaluation made.
    async fn add_notification(&self, notification: &Notification) -> StoreResult<()>;

    /// Takes notifications that are due: nobody else tries them before `until`.
    async fn take_notifications(
        &self,
        now: Timestamp,
        until: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<Notification>>;

    /// Writes what a try came to: status, tries, when it is due again, error.
    async fn settle_notification(&self, notification: &Notification) -> StoreResult<()>;

    /// Notifications with one of these statuses, or with any where none is named, newest first.
    async fn list_notifications(
        &self,
        statuses: &[NotificationStatus],
        page: PageRequest,
    ) -> StoreResult<Page<Notification>>;

    /// Has one that is not sent tried again now, from the first try on. Answers it; `None` where there is none or it is sent.
    async fn retry_notification(
        &self,
        id: NotificationId,
        now: Timestamp,
        audit: &[AuditRecord],
    ) -> StoreResult<Option<Notification>>;

    /// Measures what has happened since an instant.
    async fn measure_alerts(&self, since: Timestamp, now: Timestamp) -> StoreResult<Measured>;

    /// Removes what ended before an instant: alerts, notifications, silences. At most `limit` of each.
    async fn prune_alerts(&self, before: Timestamp, limit: u32) -> StoreResult<u64>;
}

/// Labels as they are stored: JSON in the order of their names, so that equal ones are equal texts.
pub fn labels_text(labels: &Labels) -> String {
    serde_json::to_string(labels).unwrap_or_default()
}
