//! Secrets of tenants: stored sealed, or elsewhere, and given to nobody but the request that sends them.

mod change;
mod manager;
mod places;
mod read;
mod request;
mod reseal;
mod send;

pub use manager::{SecretManager, SecretManagerFault};
pub use read::SecretLine;
pub use request::SecretRequest;
pub use send::SendableSecret;
