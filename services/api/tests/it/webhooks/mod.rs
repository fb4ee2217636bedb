//! `/v1/webhooks`, `/v1/deliveries` and `/hooks`.

mod deliveries;
mod endpoints;
mod handshakes;
mod ingress;
mod secrets;
pub(crate) mod sender;
