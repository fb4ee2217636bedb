//! Webhooks on the real binary: what providers' own libraries sign is accepted and what is not as signed is refused; a
//! delivery that was answered with success has one execution, whatever happens around it.

mod bodies;
mod canary;
mod copies;
mod endpoint;
mod handshakes;
mod keys;
mod kills;
mod nodes;
mod outage;
mod providers;
mod rates;
mod sender;
pub(crate) mod signers;
mod tampers;
mod traced;
mod traffic;
mod unknown;
