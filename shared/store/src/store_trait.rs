//! The store as a whole.

use std::sync::Arc;

use async_trait::async_trait;

use crate::access::AccessStore;
use crate::alerts::AlertStore;
use crate::attributes::AttributeStore;
use crate::audit::AuditStore;
use crate::backup::BackupStore;
use crate::batches::{BatchEntry, BatchStore};
use crate::builds::BuildStore;
use crate::dead_letters::DeadLetterStore;
use crate::dispatch::DispatchStore;
use crate::erasure::ErasureStore;
use crate::error::StoreResult;
use crate::events::EventStore;
use crate::executions::ExecutionStore;
use crate::intake::IntakeStore;
use crate::job_logs::JobLogStore;
use crate::jobs::JobStore;
use crate::limits::LimitStore;
use crate::operations::{DoctorStore, NodeStore, OperationsStore, ServerStore};
use crate::payload_keys::PayloadKeyStore;
use crate::queues::QueueStore;
use crate::retention::RetentionStore;
use crate::schedules::ScheduleStore;
use crate::search::SearchStore;
use crate::secrets::SecretStore;
use crate::starts::StartStore;
use crate::stats::StatStore;
use crate::usage::UsageStore;
use crate::user_tasks::UserTaskStore;
use crate::views::ViewStore;
use crate::webhooks::WebhookStore;
use crate::workflows::WorkflowStore;
use domain::time::Timestamp;

/// Everything a store does. Used as `Arc<dyn Store>`: a boxed future is nothing beside a round trip.
#[async_trait]
pub trait Store:
    JobStore
    + JobLogStore
    + QueueStore
    + LimitStore
    + BuildStore
    + DeadLetterStore
    + DispatchStore
    + WorkflowStore
    + ExecutionStore
    + UserTaskStore
    + ScheduleStore
    + WebhookStore
    + EventStore
    + StartStore
    + AccessStore
    + SecretStore
    + PayloadKeyStore
    + OperationsStore
    + AuditStore
    + NodeStore
    + UsageStore
    + RetentionStore
    + ErasureStore
    + DoctorStore
    + IntakeStore
    + SearchStore
    + AttributeStore
    + BackupStore
    + BatchStore
    + AlertStore
    + ViewStore
    + StatStore
    + ServerStore
    + Send
    + Sync
{
    /// Answers when a trivial read works.
    async fn ping(&self) -> StoreResult<()>;

    /// The database's wall clock (the machine's on SQLite), for calibrating [`crate::Clock`].
    async fn database_now(&self) -> StoreResult<Timestamp>;

    /// How many writes at once are of use to a caller that could as well write all together: one where there is one
    /// writer, a few where one can go on while another is flushed.
    fn writes_at_once(&self) -> usize {
        1
    }

    /// Whether it ever leases jobs as it stores them ([`JobStore::enqueue_eagerly`]). Where it does not, nobody need
    /// keep slots ready.
    fn starts_eagerly(&self) -> bool {
        false
    }

    /// A store whose next transaction that changes something also marks this entry as changed: both commit, or neither.
    /// The transaction fails as `Outdated` where the object has had its turn, or the batch does not run or is another's.
    fn bound_to(&self, entry: BatchEntry) -> Arc<dyn Store>;

    /// Closes all connections; later calls fail as unavailable.
    async fn close(&self);
}
