//! OpenID Connect: tokens that an identity provider has signed, and sign-in by authorization code with PKCE.

mod jwks;
mod jws;
mod key_cache;

use std::time::Duration;

use async_trait::async_trait;
use engine::{IdentityFault, IdentityProvider, SecretText, SignInRequest};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::fetch::{FetchError, Fetcher};
use jws::Token;
use key_cache::{Addresses, CacheFault, KeyCache};

// A provider of OpenID Connect, as the engine asks it.

/// The least time between two attempts to read the keys of a provider.
const READ_INTERVAL: Duration = Duration::from_secs(10);

/// Where a provider is, and as whom it knows us.
#[derive(Debug, Clone)]
pub struct OidcOptions {
    /// The provider's name, which is also its address.
    pub issuer: String,
    /// Hosts beside the issuer's that its addresses may be at.
    pub hosts: Vec<String>,
    /// Authorities of TLS beside those of the system, as PEM.
    pub authorities: Option<Vec<u8>>,
    /// As whom it knows us, for sign-in.
    pub client_id: Option<String>,
    /// What we show it when a code is redeemed; PKCE alone without.
    pub client_secret: Option<SecretText>,
    /// What sign-in asks for beside `openid`.
    pub scopes: Vec<String>,
    /// The least time between two attempts to read its keys; `None` for ten seconds.
    pub read_interval: Option<Duration>,
}

/// The settings of a provider cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the identity provider")]
pub struct OidcError(#[source] FetchError);

/// A provider.
pub struct OidcProvider {
    fetcher: Fetcher,
    cache: KeyCache,
    client_id: Option<String>,
    client_secret: Option<SecretText>,
    scope: String,
}

#[derive(Deserialize)]
struct TokenAnswer {
    id_token: String,
}

impl OidcProvider {
    /// A provider. Nothing is read before somebody asks.
    pub fn new(options: OidcOptions) -> Result<Self, OidcError> {
        let fetcher = Fetcher::new(&options.issuer, &options.hosts, options.authorities.as_deref());
        let fetcher = fetcher.map_err(OidcError)?;
        let interval = options.read_interval.unwrap_or(READ_INTERVAL);
        let mut scope = "openid".to_owned();
        for more in options.scopes.iter().filter(|more| *more != "openid") {
            scope.push(' ');
            scope.push_str(more);
        }
        Ok(Self {
            cache: KeyCache::new(fetcher.clone(), options.issuer, interval),
            fetcher,
            client_id: options.client_id,
            client_secret: options.client_secret,
            scope,
        })
    }

    /// The form that redeems a code, and who we are where a header says it.
    fn redemption(
        &self,
        client_id: &str,
        fields: &[(&str, &str)],
        addresses: &Addresses,
    ) -> (String, Option<(String, String)>) {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code").extend_pairs(fields);
        match &self.client_secret {
            Some(secret) if !addresses.takes_secret_in_form => {
                // Both are written as in a form before they are put together (RFC 6749, 2.3.1).
                let escaped =
                    |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
                return (form.finish(), Some((escaped(client_id), escaped(secret.reveal()))));
            }
            Some(secret) => {
                form.append_pair("client_id", client_id).append_pair("client_secret", secret.reveal())
            }
            None => form.append_pair("client_id", client_id),
        };
        (form.finish(), None)
    }

    fn client_id(&self) -> Result<&str, IdentityFault> {
        self.client_id.as_deref().ok_or(IdentityFault::Refused("sign-in is not configured"))
    }
}

impl From<CacheFault> for IdentityFault {
    fn from(fault: CacheFault) -> Self {
        match fault {
            CacheFault::UnknownKey => Self::Refused("the provider has no key of this name"),
            CacheFault::Unavailable => Self::Unavailable("its keys cannot be read".to_owned()),
        }
    }
}

#[async_trait]
impl IdentityProvider for OidcProvider {
    async fn claims(&self, token: &str) -> Result<Map<String, Value>, IdentityFault> {
        let token = Token::parse(token).map_err(IdentityFault::Refused)?;
        let key = self.cache.key(token.algorithm, token.key_id.as_deref()).await?;
        token.verified(&key).map_err(IdentityFault::Refused)
    }

    async fn sign_in_url(&self, request: &SignInRequest<'_>) -> Result<String, IdentityFault> {
        let client_id = self.client_id()?;
        let addresses = self.cache.addresses().await?;
        let missing = || IdentityFault::Unavailable("it has no authorization_endpoint".to_owned());
        let mut url = addresses.authorization.ok_or_else(missing)?;
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", client_id)
            .append_pair("redirect_uri", request.redirect_url)
            .append_pair("scope", &self.scope)
            .append_pair("state", request.state)
            .append_pair("nonce", request.nonce)
            .append_pair("code_challenge", request.challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    async fn redeem(&self, code: &str, verifier: &str, redirect_url: &str) -> Result<String, IdentityFault> {
        let client_id = self.client_id()?;
        let addresses = self.cache.addresses().await?;
        let missing = || IdentityFault::Unavailable("it has no token_endpoint".to_owned());
        let url = addresses.token.clone().ok_or_else(missing)?;
        let (form, authorization) = self.redemption(
            client_id,
            &[("code", code), ("redirect_uri", redirect_url), ("code_verifier", verifier)],
            &addresses,
        );
        let body = match self.fetcher.post_form(url, form, authorization).await {
            Ok(body) => body,
            // The provider answers so for a code that it did not make, or that somebody has used.
            Err(FetchError::Status(400..=499)) => {
                return Err(IdentityFault::Refused("the provider does not take the code"));
            }
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "a sign-in could not be completed");
                return Err(IdentityFault::Unavailable("the code cannot be redeemed".to_owned()));
            }
        };
        let answer: Result<TokenAnswer, _> = serde_json::from_slice(&body);
        answer.map(|answer| answer.id_token).map_err(|_| IdentityFault::Refused("there is no identity token"))
    }
}

#[cfg(test)]
mod tests;
