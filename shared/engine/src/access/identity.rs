//! People and machines whom an identity provider vouches for: from a signed token to who the caller is.

use std::sync::Arc;

use domain::access::{Identity, TokenRules, check_token};

use super::provider::{IdentityFault, IdentityPolicy};
use crate::caller::{Caller, KeyLimits, Membership};
use crate::engine::Engine;
use crate::error::EngineError;

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
    let hides_payloads = || KeyLimits { scopes: None, networks: Vec::new(), shows_payloads: false };
    let limits = (!grant.shows_payloads).then(|| Arc::new(hides_payloads()));
    let membership = Some(Arc::new(membership));
    Ok(Caller { limits, membership, ..Caller::new(grant.scope, grant.role, actor) })
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
