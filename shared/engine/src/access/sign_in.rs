//! Sign-in of people by their identity provider: authorization code with PKCE.
//!
//! What has to be remembered between the two requests of a browser is sealed into a cookie of that browser, so that nothing
//! is stored and any node can finish what another began. Only the browser that began a sign-in can finish it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::access::{TokenRules, check_nonce, check_token};
use domain::time::{DurationMs, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::identity::caller_of;
use super::provider::{IdentityFault, IdentityPolicy, SignInRequest, TOKEN_BYTES_MAX};
use super::secret_text::SecretText;
use super::sessions::{NewSession, Sealed, SessionOwner, open, seal};
use crate::engine::Engine;
use crate::error::EngineError;

/// How long somebody may take to sign in.
const SIGN_IN_TTL: DurationMs = DurationMs::from_secs(10 * 60);
/// The longest address to go back to, in bytes.
const RETURN_BYTES_MAX: usize = 512;
/// The longest code, in bytes.
const CODE_BYTES_MAX: usize = 4 * 1024;

/// A sign-in that began.
#[derive(Debug, Clone)]
pub struct StartedSignIn {
    /// Where the browser goes.
    pub url: String,
    /// What its cookie holds until it comes back.
    pub sealed: SecretText,
    /// How long that may take.
    pub ttl: DurationMs,
}

/// A sign-in that ended well.
#[derive(Debug, Clone)]
pub struct FinishedSignIn {
    /// The session.
    pub session: NewSession,
    /// The page of the console to go back to, relative to its first.
    pub return_to: String,
}

/// Why somebody was not signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// The sign-in took too long, was begun by another browser, or was finished before.
    #[error("the sign-in has expired; start again")]
    Expired,
    /// The provider did not confirm who it is.
    #[error("the identity provider did not confirm the sign-in")]
    Refused,
    /// Nobody signs in by a provider here.
    #[error("sign-in by an identity provider is not configured")]
    Off,
    /// Anything else: no role, or somebody cannot be asked.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What the cookie holds.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Begun {
    state: String,
    nonce: String,
    verifier: String,
    return_to: String,
    redirect_url: String,
    expires_at: i64,
}

impl Engine {
    /// Whether people sign in by a provider.
    pub fn has_sign_in(&self) -> bool {
        self.identity().is_some_and(|policy| policy.client_id.is_some())
    }

    /// Begins a sign-in that comes back to `redirect_url` and then to the page `return_to` of the console.
    pub async fn begin_sign_in(
        &self,
        redirect_url: &str,
        return_to: &str,
    ) -> Result<StartedSignIn, SignInError> {
        let (policy, _) = self.sign_in_policy()?;
        let random = || URL_SAFE_NO_PAD.encode(self.entropy().secret());
        let begun = Begun {
            state: random(),
            nonce: random(),
            verifier: random(),
            return_to: if is_inner_page(return_to) { return_to.to_owned() } else { String::new() },
            redirect_url: redirect_url.to_owned(),
            expires_at: self.now().plus(SIGN_IN_TTL).0,
        };
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(begun.verifier.as_bytes()));
        let request =
            SignInRequest { state: &begun.state, nonce: &begun.nonce, challenge: &challenge, redirect_url };
        let url = policy.provider.sign_in_url(&request).await.map_err(EngineError::from)?;
        let key = self.session_key().await?;
        let sealed = seal(&key, Sealed::SignIn, &encoded(&begun)?, &self.entropy().secret());
        let sealed = sealed.ok_or(SignInError::Refused)?;
        Ok(StartedSignIn { url, sealed: SecretText::new(sealed), ttl: SIGN_IN_TTL })
    }

    /// Finishes a sign-in: with the cookie of the browser, and what the provider sent it back with.
    pub async fn finish_sign_in(
        &self,
        sealed: &str,
        state: &str,
        code: &str,
    ) -> Result<FinishedSignIn, SignInError> {
        let (policy, client_id) = self.sign_in_policy()?;
        let plain = open(&self.session_key().await?, Sealed::SignIn, sealed).ok_or(SignInError::Expired)?;
        let begun: Begun = serde_json::from_slice(&plain).map_err(|_| SignInError::Expired)?;
        // Digests are compared: how long that takes says nothing about the state.
        let is_ours = Sha256::digest(state.as_bytes()) == Sha256::digest(begun.state.as_bytes());
        if !is_ours || self.now() >= Timestamp(begun.expires_at) {
            return Err(SignInError::Expired);
        }
        if code.is_empty() || code.len() > CODE_BYTES_MAX {
            return Err(SignInError::Refused);
        }
        let provider = &policy.provider;
        let token = provider.redeem(code, &begun.verifier, &begun.redirect_url).await.map_err(refused)?;
        if token.len() > TOKEN_BYTES_MAX {
            return Err(SignInError::Refused);
        }
        let claims = provider.claims(&token).await.map_err(refused)?;
        // An identity token is for the client that asked for it, whoever else the tokens of callers are for.
        let audiences = [client_id.to_owned()];
        let rules = TokenRules { issuer: &policy.issuer, audiences: &audiences };
        let checked =
            check_token(&claims, &rules, self.now()).and_then(|()| check_nonce(&claims, &begun.nonce));
        if let Err(fault) = checked {
            tracing::warn!(error = &fault as &dyn std::error::Error, "an identity token was refused");
            return Err(SignInError::Refused);
        }
        let identity = policy.rules.identity(&claims).ok_or(SignInError::Refused)?;
        let caller = caller_of(policy, &identity)?;
        let owner = SessionOwner::Person { issuer: policy.issuer.clone(), identity };
        let session = self.seal_session(owner, caller, policy.session_ttl).await?;
        Ok(FinishedSignIn { session: session.ok_or(SignInError::Refused)?, return_to: begun.return_to })
    }

    fn sign_in_policy(&self) -> Result<(&IdentityPolicy, &str), SignInError> {
        let policy = self.identity().ok_or(SignInError::Off)?;
        Ok((policy, policy.client_id.as_deref().ok_or(SignInError::Off)?))
    }
}

fn encoded(begun: &Begun) -> Result<Vec<u8>, EngineError> {
    serde_json::to_vec(begun)
        .map_err(|error| EngineError::Encoding { what: "a sign-in", source: Box::new(error) })
}

fn refused(fault: IdentityFault) -> SignInError {
    match fault {
        IdentityFault::Refused(reason) => {
            tracing::warn!(reason, "a sign-in was refused");
            SignInError::Refused
        }
        unavailable @ IdentityFault::Unavailable(_) => EngineError::from(unavailable).into(),
    }
}

/// Whether an address is a page below the console's first, whatever a browser makes of it: never another host, never a
/// step up.
fn is_inner_page(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    address.len() <= RETURN_BYTES_MAX
        && !address.starts_with('/')
        && address.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'"' | b'<' | b'>'))
        && !path.contains(':')
        && !path.contains("//")
        && !path.split('/').any(|part| {
            matches!(part.to_ascii_lowercase().as_str(), ".." | "." | "%2e%2e" | "%2e" | ".%2e" | "%2e.")
        })
}

#[cfg(test)]
mod tests {
    use super::is_inner_page;

    #[test]
    fn nobody_is_sent_elsewhere() {
        for page in ["", "jobs", "executions/exe_1?tab=timeline#x", "jobs?q=a:b//c"] {
            assert!(is_inner_page(page), "{page}");
        }
        for page in [
            "/jobs",
            "//evil.example",
            "https://evil.example",
            "\\\\evil",
            "javascript:alert(1)",
            "../v1/jobs",
            "jobs/%2E%2e/x",
            "a b",
            "a\r\nb",
            "a//b",
        ] {
            assert!(!is_inner_page(page), "{page}");
        }
        assert!(!is_inner_page(&"a".repeat(600)));
    }
}
