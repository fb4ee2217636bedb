//! Deliveries: how one is shown, which are meant by a bulk verb, and what ingress answers.

mod curl;
mod filter;
mod ingress;
mod shape;

pub(crate) use filter::{BulkReplayBody, ReplayBody, ReplayedShape};
pub(crate) use ingress::{ReceivedShape, RefusalShape};
pub(crate) use shape::DeliveryShape;
