//! Access: keys, sessions, tenants and idempotency keys.

mod authenticate;
mod bootstrap;
mod idempotency;
mod keys;
mod secret_text;
mod sessions;
mod tenants;

pub(crate) use authenticate::KeyCache;
pub use secret_text::SecretText;
pub(crate) use sessions::SessionKey;
pub use sessions::{NewSession, Session};
