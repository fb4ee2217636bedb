//! Others whose word counts, over HTTP: identity providers (OpenID Connect), and secret managers (Vault).
//!
//! Implements ports of the engine. Decides nothing about roles and tenants, and stores nothing beyond a small cache.

mod fetch;
pub mod oidc;
pub mod vault;
