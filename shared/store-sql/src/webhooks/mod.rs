//! Webhooks: endpoints with their sealed secrets, deliveries, and the guards that recognize a delivery that came
//! before.
//!
//! Whether a request is genuine and what it starts is decided elsewhere. Here a verified delivery is stored together
//! with its guards and its job, or not at all; the key of `webhook_guard` is what keeps it from being accepted twice,
//! whoever tries.

mod rows;

mod create;
mod delete;
mod list;
mod one;
mod update;

mod reseal;
mod rotate;
mod secrets;

mod accept;
mod accept_fast;
mod guards;
mod hold;
mod lines;
mod record;
mod release;

mod deliveries;
mod finish;

mod prune;
pub(crate) mod remove;

pub(crate) use rows::{delivery_of, woke_text};

mod verbs;
