//! Who vouches for people and machines, and how that fails.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use domain::access::IdentityRules;
use domain::time::DurationMs;
use serde_json::{Map, Value};

use crate::error::EngineError;

/// Longer texts are no tokens and are not even decoded.
pub(super) const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// What a provider is asked for.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// The claims of a token that the provider has signed. What they say is not checked yet.
    async fn claims(&self, token: &str) -> Result<Map<String, Value>, IdentityFault>;

    /// Where a browser is sent to sign in.
    async fn sign_in_url(&self, request: &SignInRequest<'_>) -> Result<String, IdentityFault>;

    /// The identity token for the code that a browser came back with.
    async fn redeem(&self, code: &str, verifier: &str, redirect_url: &str) -> Result<String, IdentityFault>;
}

/// A sign-in that begins.
#[derive(Debug, Clone, Copy)]
pub struct SignInRequest<'a> {
    /// Comes back with the browser.
    pub state: &'a str,
    /// Comes back in the token.
    pub nonce: &'a str,
    /// The SHA-256 of what only we can show when the code is redeemed, in base64.
    pub challenge: &'a str,
    /// Where the browser comes back to.
    pub redirect_url: &'a str,
}

/// Why a provider did not answer as asked.
#[derive(Debug, thiserror::Error)]
pub enum IdentityFault {
    /// The token or the code is not the provider's.
    #[error("{0}")]
    Refused(&'static str),
    /// The provider cannot be asked, or answers what nobody can use.
    #[error("the identity provider cannot be used: {0}")]
    Unavailable(String),
}

/// An identity provider, and what its word counts for.
#[derive(Clone)]
pub struct IdentityPolicy {
    /// Whom to ask.
    pub provider: Arc<dyn IdentityProvider>,
    /// Its name, as tokens spell it.
    pub issuer: String,
    /// For whom tokens of callers have to be.
    pub audiences: Vec<String>,
    /// Under which name this server signs people in; `None` where it does not.
    pub client_id: Option<String>,
    /// Who may do what.
    pub rules: IdentityRules,
    /// How long people stay signed in.
    pub session_ttl: DurationMs,
}

impl fmt::Debug for IdentityPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdentityPolicy").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

impl From<IdentityFault> for EngineError {
    fn from(fault: IdentityFault) -> Self {
        tracing::warn!(error = &fault as &dyn std::error::Error, "the identity provider cannot be used");
        Self::NotReached { what: "identity provider" }
    }
}
