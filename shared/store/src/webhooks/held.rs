//! Deliveries that are held: verified and stored, and matched later.

use domain::id::DeliveryId;
use domain::names::TenantName;

use super::delivery::{GuardKey, NewDelivery};
use crate::jobs::NewJob;

/// A verified delivery that its endpoint does not take now.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldDelivery {
    /// The delivery.
    pub delivery: NewDelivery,
    /// Any of these that is known already makes it a duplicate.
    pub guards: Vec<GuardKey>,
    /// How many bytes its endpoint may hold, this one included. Each delivery counts as its body and
    /// [`HELD_BYTES_EXTRA`].
    pub bytes_max: u64,
}

/// What a held delivery counts beside its body, in bytes: so many small ones have a bound, too.
pub const HELD_BYTES_EXTRA: u64 = 1_024;

/// What became of a delivery that was to be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// It is stored, without a job.
    Held(DeliveryId),
    /// It came before, as this delivery. A line for the repetition is stored, without a body.
    Duplicate(DeliveryId),
    /// Its endpoint holds as much as it may. Nothing is stored.
    Full,
}

/// A delivery that is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Releasable {
    /// Its id.
    pub id: DeliveryId,
    /// Whose it is.
    pub tenant: TenantName,
    /// W3C trace context.
    pub traceparent: Option<String>,
}

/// A held delivery that is to be matched now.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// The delivery.
    pub id: DeliveryId,
    /// Its job, as in [`Acceptance`](super::delivery::Acceptance).
    pub job: NewJob,
}
