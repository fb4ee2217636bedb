//! Alerts: rules over what is measured, one evaluator over all nodes, and notifications that are sent until they arrive.

mod evaluate;
mod read;
mod routes;
mod rules;
mod samples;
mod send;
mod silences;
mod stored;

pub use evaluate::AlertPolicy;
pub use routes::{RouteRequest, RouteView};
pub(crate) use send::SenderSlot;
pub use send::{AlertMail, AlertSender};
pub use silences::SilenceRequest;
