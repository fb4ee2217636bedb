//! `trunkline webhook`: the verbs of endpoints and deliveries, the bodies that they send, and samples signed here.

mod body;
mod deliveries;
mod sample;
mod secret;
mod verbs;

pub(crate) use verbs::{WebhookCommand, run};
