//! Events: the triggers that they start workflows by, and the nodes of executions that wait for them.
//!
//! An event that is sent to this server is a delivery without an endpoint, see [`crate::webhooks::NO_WEBHOOK`].

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{DeliveryId, ExecutionId, TriggerId};
use domain::names::{NodeId, TenantName, TriggerName};
use domain::time::Timestamp;
use domain::workflow::execution::EventWait;

use crate::audit::AuditRecord;
use crate::error::StoreResult;
use crate::page::{Page, PageRequest};

/// A trigger of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggerRecord {
    /// Its id.
    pub id: TriggerId,
    /// Whose it is.
    pub tenant: TenantName,
    /// Its name, unique in the tenant.
    pub name: TriggerName,
    /// Patterns, workflow, filter, input: as raw JSON text that the engine reads and writes.
    pub config: String,
    /// Whether it starts nothing for now.
    pub is_paused: bool,
    /// Grows with each change; an update names the one it was made from.
    pub version: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What a change of a trigger did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TriggerChange {
    /// It is done; how the trigger is now.
    Done(TriggerRecord),
    /// There is no such trigger in this scope.
    NotFound,
    /// Somebody changed it since.
    VersionConflict,
    /// The tenant has another trigger of that name.
    NameTaken,
    /// The tenant has as many triggers as it may.
    Full,
}

/// What becomes of a node's wait for events, with a step of its execution.
#[derive(Debug, Clone, PartialEq)]
pub enum EventWaitChange {
    /// It waits from now on. Until somebody has looked for events that came before ([`EventStore::end_look_back`]), that
    /// is to be done.
    Open(EventWait),
    /// It waits no more.
    Close {
        /// The node.
        node_id: NodeId,
        /// The round in which it waited.
        round: u32,
    },
}

/// A node that waits for an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WaitingNode {
    /// The execution.
    pub execution_id: ExecutionId,
    /// The node.
    pub node_id: NodeId,
    /// The round in which it waits.
    pub round: u32,
    /// Whether its definition has a condition besides.
    pub has_filter: bool,
}

/// A wait for which events that came before are to be looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookBack {
    /// Who waits.
    pub node: WaitingNode,
    /// The tenant of the execution.
    pub tenant: TenantName,
    /// The type of the event; a node that waits for several has one of these for each.
    pub event: String,
    /// Which parts of a body are compared.
    pub paths: String,
    /// What they have to be.
    pub digest: [u8; 32],
    /// When the wait began.
    pub began_at: Timestamp,
    /// The earliest instant at which the event may have come.
    pub from: Timestamp,
}

impl LookBack {
    /// Where the next page begins after this one.
    pub fn cursor(&self) -> LookBackCursor {
        LookBackCursor {
            began_at: self.began_at,
            execution_id: self.node.execution_id,
            node_id: self.node.node_id.clone(),
        }
    }
}

/// The last node of a page of waits that are left, in the order of when their waits began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookBackCursor {
    /// When its wait began.
    pub began_at: Timestamp,
    /// The execution.
    pub execution_id: ExecutionId,
    /// The node.
    pub node_id: NodeId,
}

/// A delivery for nodes that wait for it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventWake {
    /// The delivery.
    pub delivery_id: DeliveryId,
    /// The output of the nodes, as raw JSON text.
    pub output: String,
    /// The nodes that it is for.
    pub nodes: Vec<WaitingNode>,
    /// How many of them the delivery may show.
    pub shown_max: u32,
}

/// The store's operations on triggers of events, and on nodes that wait for events.
#[async_trait]
pub trait EventStore {
    /// Stores a new trigger, if the tenant has fewer than `triggers_max`. `Full`, `NameTaken` or `Done`.
    async fn create_trigger(
        &self,
        trigger: &TriggerRecord,
        triggers_max: u32,
        audit: &[AuditRecord],
    ) -> StoreResult<TriggerChange>;

    /// Replaces name, config and pause of a trigger if it still has the version before this one's.
    async fn update_trigger(
        &self,
        scope: &TenantScope,
        trigger: &TriggerRecord,
        audit: &[AuditRecord],
    ) -> StoreResult<TriggerChange>;

    /// Removes a trigger; answers whether it was there.
    async fn delete_trigger(
        &self,
        scope: &TenantScope,
        id: TriggerId,
        audit: &[AuditRecord],
    ) -> StoreResult<bool>;

    /// A trigger.
    async fn trigger(&self, scope: &TenantScope, id: TriggerId) -> StoreResult<Option<TriggerRecord>>;

    /// Triggers, newest first.
    async fn list_triggers(
        &self,
        scope: &TenantScope,
        tenant: Option<&TenantName>,
        page: PageRequest,
    ) -> StoreResult<Page<TriggerRecord>>;

    /// All triggers of a tenant that are not paused, oldest first, at most `limit`.
    async fn triggers_of(&self, tenant: &TenantName, limit: u32) -> StoreResult<Vec<TriggerRecord>>;

    /// The different paths that nodes of a tenant compare which wait for an event of a type, after `after` in their order,
    /// at most `limit`. Costs a look in an index for each, however many nodes wait.
    async fn event_wait_paths(
        &self,
        tenant: &TenantName,
        event: &str,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<String>>;

    /// Nodes of a tenant that wait for an event of a type with this digest of what stands at `paths`, in the order of
    /// executions and nodes from `after` on; at most `limit`.
    async fn waiting_nodes(
        &self,
        (tenant, event): (&TenantName, &str),
        (paths, digest): (&str, &[u8; 32]),
        after: Option<(ExecutionId, &NodeId)>,
        limit: u32,
    ) -> StoreResult<Vec<WaitingNode>>;

    /// Ends the waits of nodes by a delivery: each that still waits, in an execution that has not ended, has the output
    /// appended to its inbox, its execution is taken up where it is parked, and the delivery shows it, all in one
    /// transaction. Answers those that were woken.
    async fn wake_waiting_nodes(&self, wake: &EventWake, now: Timestamp) -> StoreResult<Vec<WaitingNode>>;

    /// The waits of these executions for which events that came before are still to be looked for.
    async fn look_backs_of(&self, executions: &[ExecutionId]) -> StoreResult<Vec<LookBack>>;

    /// Waits that began before an instant for which that is still to be done, in the order in which they began; those behind
    /// `after`, at most `limit`. Waits of one node stand together, and a page may end within them.
    async fn look_backs_left(
        &self,
        before: Timestamp,
        after: Option<&LookBackCursor>,
        limit: u32,
    ) -> StoreResult<Vec<LookBack>>;

    /// Records that it was done. A wait for which it was asked for once more since it was read ([`EventStore::look_again`]) stays.
    async fn end_look_back(&self, waits: &[LookBack]) -> StoreResult<()>;

    /// Has it looked for events of a type that came at `from` or later, or at the instant that was asked for before, whichever is
    /// earlier, for those of these nodes that still wait for the type.
    async fn look_again(&self, event: &str, nodes: &[WaitingNode], from: Timestamp) -> StoreResult<()>;

    /// Deliveries of a tenant that count as events of a type and came at `from` or later and before `until`, newest first, at most
    /// `limit`.
    async fn events_before(
        &self,
        tenant: &TenantName,
        event: &str,
        (from, until): (Timestamp, Timestamp),
        limit: u32,
    ) -> StoreResult<Vec<DeliveryId>>;

    /// Those that came at `from` or later, behind `after`, oldest first, at most `limit`.
    async fn events_since(
        &self,
        tenant: &TenantName,
        event: &str,
        (from, after): (Timestamp, Option<DeliveryId>),
        limit: u32,
    ) -> StoreResult<Vec<DeliveryId>>;
}
