//! Others whose word counts, over HTTP: identity providers (OpenID Connect).
//!
//! Implements ports of the engine. Decides nothing about roles and tenants, and stores nothing beyond a small cache.

mod fetch;
pub mod oidc;
