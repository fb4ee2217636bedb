//! Tenants, API keys and idempotency keys. Secrets never come here: keys are stored by their digest.

mod idempotency;
mod key_changes;
mod keys;
mod server_keys;
mod tenants;

mod verbs;
