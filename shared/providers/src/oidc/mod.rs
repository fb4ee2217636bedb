//! OpenID Connect: tokens that an identity provider has signed, and sign-in by authorization code with PKCE.

mod discovery;
mod jwks;
mod jws;
mod key_cache;
mod provider;
#[cfg(test)]
mod tests;

pub use provider::{OidcError, OidcOptions, OidcProvider};
