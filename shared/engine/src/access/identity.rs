//! People and machines whom an identity provider vouches for: from a signed token to who the caller is.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use domain::access::{Identity, IdentityRules, TokenRules, check_token};
use domain::time::DurationMs;
use serde_json::{Map, Value};

use crate::caller::{Caller, Membership};
use crate::engine::Engine;
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
        tracing::warn!(error = &fault as &dyn std::error::Error, "the identity provider is no help");
        Self::NotReached { what: "identity provider" }
    }
}

impl Engine {
    /// Whose token this is; `None` for no valid token. Somebody who is who they say and has no role here is refused.
    pub(super) async fn caller_by_token(
        &self,
        policy: &IdentityPolicy,
        token: &str,
    ) -> Result<Option<Caller>, EngineError> {
        let claims = match policy.provider.claims(token).await {
            Ok(claims) => claims,
            Err(IdentityFault::Refused(reason)) => {
                tracing::debug!(reason, "a token was refused");
                return Ok(None);
            }
            Err(fault) => return Err(fault.into()),
        };
        let rules = TokenRules { issuer: &policy.issuer, audiences: &policy.audiences };
        if let Err(fault) = check_token(&claims, &rules, self.now()) {
            tracing::debug!(error = &fault as &dyn std::error::Error, "a token was refused");
            return Ok(None);
        }
        match policy.rules.identity(&claims) {
            Some(identity) => caller_of(policy, &identity).map(Some),
            None => Ok(None),
        }
    }
}

/// Whether a secret has the form of a signed token: three parts with dots between, of which the first is JSON. Keys have
/// no dots.
pub(super) fn is_token(secret: &str) -> bool {
    secret.starts_with("ey") && secret.bytes().filter(|byte| *byte == b'.').count() == 2
}

/// Who somebody is here.
pub(super) fn caller_of(policy: &IdentityPolicy, identity: &Identity) -> Result<Caller, EngineError> {
    let Some(grant) = policy.rules.grant(identity) else {
        return Err(EngineError::Forbidden {
            reason: "No role is configured for this identity (oidc.roles).",
        });
    };
    let membership = Membership { person: identity.person.clone(), groups: identity.groups.clone() };
    let actor = format!("oidc:{}", identity.subject);
    Ok(Caller { membership: Some(Arc::new(membership)), ..Caller::new(grant.scope, grant.role, actor) })
}

#[cfg(test)]
mod tests {
    use super::is_token;

    #[test]
    fn keys_are_no_tokens() {
        assert!(is_token("eyJhbGciOiJFUzI1NiJ9.e30.c2ln"));
        for text in ["", "tl_abc", "ey", "eyJ.e30", "eyJ.a.b.c", "a.b.c"] {
            assert!(!is_token(text), "{text}");
        }
    }
}
