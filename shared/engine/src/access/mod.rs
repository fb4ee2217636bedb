//! Access: keys, tenants and idempotency keys.

mod authenticate;
mod bootstrap;
mod idempotency;
mod keys;
mod secret_text;
mod tenants;

pub(crate) use authenticate::KeyCache;
pub use secret_text::SecretText;
