//! Deliveries: how one is shown, which are meant by a bulk verb, and what ingress answers.

mod curl;
mod filter;
mod ingress;
mod shape;

pub(crate) use filter::{ReplayBody, ReplayedResponse};
pub(crate) use ingress::{ReceivedResponse, RefusalResponse};
pub(crate) use shape::DeliveryResponse;
