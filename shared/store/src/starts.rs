//! Starts that are put off: events that are gathered into one, and starts that wait their turn under a rate.
//!
//! Everything is rows under the lock of a key, so that any number of nodes keep to it, and a restart changes nothing.

use async_trait::async_trait;
use domain::id::{DeliveryId, ExecutionId};
use domain::names::TenantName;
use domain::rate::Rate;
use domain::time::Timestamp;
use domain::webhook::{Gathering, StartEnd};
use uuid::Uuid;

use crate::error::StoreResult;

/// Whose starts belong together: those of a trigger.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StartsOf {
    /// The endpoint of the trigger, or nil of a trigger of events.
    pub owner: Uuid,
    /// The trigger.
    pub trigger_id: String,
}

/// An event for a start that is put off.
#[derive(Debug, Clone, PartialEq)]
pub struct PutOff {
    /// The delivery that the event came with; with the trigger it is added once, however often that is asked for.
    pub delivery_id: DeliveryId,
    /// The delivery that shows the start besides: itself, or its replay.
    pub shown_on: DeliveryId,
    /// The tenant of both.
    pub tenant: TenantName,
    /// The trigger.
    pub of: StartsOf,
    /// How and under which key it is gathered with others.
    pub gathering: Option<(Gathering, String)>,
    /// How many may start, and under which key they are counted.
    pub throttle: Option<(Rate, String)>,
    /// The execution, if this event is the first of its start.
    pub id: ExecutionId,
    /// What is to be started, as the engine wrote it. Of events that are debounced that of the last delivery counts.
    pub request: String,
    /// The event as an entry of a batch, as raw JSON text.
    pub entry: Option<String>,
}

/// What became of an event that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutOffState {
    /// Its start is to come, as things stand not before this instant.
    Waits(Timestamp),
    /// Its start has ended.
    Ended(StartEnd),
}

/// A start whose turn it is.
#[derive(Debug, Clone, PartialEq)]
pub struct DueStart {
    /// The execution.
    pub id: ExecutionId,
    /// Its tenant.
    pub tenant: TenantName,
    /// What is to be started.
    pub request: String,
    /// The entries of its events, in the order in which their deliveries came.
    pub entries: Vec<String>,
}

/// The store's operations on starts that are put off.
#[async_trait]
pub trait StartStore {
    /// Adds an event, unless it was added before. One whose start failed is added again for a replay of its delivery.
    async fn put_off(&self, event: &PutOff, now: Timestamp) -> StoreResult<PutOffState>;

    /// Whether the event of a delivery waits to start under a trigger, or has ended and did not fail: it adds nothing.
    async fn is_put_off(&self, delivery: DeliveryId, trigger_id: &str) -> StoreResult<bool>;

    /// Starts whose turn it is, at most `limit`. Each takes its place under its rate with this call. One whose end is not
    /// recorded within half a minute is answered again, under another place.
    async fn due_starts(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<DueStart>>;

    /// Records the end of a start, and shows it on all deliveries whose events it stands for, as far as they were matched.
    async fn end_start(&self, id: ExecutionId, end: &StartEnd) -> StoreResult<()>;

    /// Shows on a delivery that was matched the starts that ended since they were put off.
    async fn show_ended_starts(&self, delivery: DeliveryId) -> StoreResult<()>;
}
