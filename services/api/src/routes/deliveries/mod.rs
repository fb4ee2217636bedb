//! `/v1/deliveries`: look at what came to webhooks, and replay it.

mod read;
mod replay;
mod table;

pub(super) use table::router;
