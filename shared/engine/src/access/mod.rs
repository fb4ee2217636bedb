//! Access: keys, sessions, tenants and idempotency keys.

mod authenticate;
mod bootstrap;
mod idempotency;
mod key_uses;
mod keys;
mod rotate;
mod secret_text;
mod sessions;
mod tenants;

pub(crate) use authenticate::KeyCache;
pub(crate) use key_uses::KeyUses;
pub use keys::KeyRequest;
pub use secret_text::SecretText;
pub(crate) use sessions::SessionKey;
pub use sessions::{NewSession, Session};
