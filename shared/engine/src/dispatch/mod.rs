//! Dispatch by offers: nodes of one mode, what a relay does, and what workers accept.

mod accept;
mod memory;
mod nodes;
mod policy;
mod relay;
mod report;

pub use accept::{AcceptRequest, AcceptedJob};
pub(crate) use memory::DispatchMemory;
pub use nodes::{BrokerState, DispatchRefused};
pub use policy::DispatchPolicy;
pub use relay::{OFFERS_PER_CLAIM_MAX, RefusedOffer};
pub use report::{DispatchReport, OutboxFigures};
