//! What a provider says of itself at `/.well-known/openid-configuration`.

use reqwest::Url;
use serde::Deserialize;

use crate::fetch::{FetchError, Fetcher};

/// The addresses of a provider, each at a host that may be called.
#[derive(Debug, Clone)]
pub(super) struct Addresses {
    pub(super) keys: Url,
    /// Where browsers sign in. They go there by themselves, and it has to be known like the others.
    pub(super) authorization: Option<Url>,
    pub(super) token: Option<Url>,
    /// Whether the secret of the client goes into the form, where the header is not taken.
    pub(super) takes_secret_in_form: bool,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    jwks_uri: String,
    #[serde(default)]
    authorization_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// Why a provider's description is of no use.
#[derive(Debug, thiserror::Error)]
pub(super) enum DiscoveryError {
    /// It cannot be read, or names an address that may not be called.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// It describes another provider.
    #[error("the provider calls itself {0:?}, not as configured")]
    Issuer(String),
}

/// Reads the description of a provider.
pub(super) async fn discover(fetcher: &Fetcher, issuer: &str) -> Result<Addresses, DiscoveryError> {
    let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
    let body = fetcher.get(fetcher.checked(&address, "the issuer")?).await?;
    let document: Document = serde_json::from_slice(&body).map_err(FetchError::from)?;
    if document.issuer != issuer {
        return Err(DiscoveryError::Issuer(document.issuer.chars().take(200).collect()));
    }
    let checked =
        |address: Option<String>, what| address.map(|address| fetcher.checked(&address, what)).transpose();
    let methods = document.token_endpoint_auth_methods_supported.unwrap_or_default();
    let has = |name: &str| methods.iter().any(|method| method == name);
    Ok(Addresses {
        keys: fetcher.checked(&document.jwks_uri, "jwks_uri")?,
        authorization: checked(document.authorization_endpoint, "authorization_endpoint")?,
        token: checked(document.token_endpoint, "token_endpoint")?,
        takes_secret_in_form: has("client_secret_post") && !has("client_secret_basic"),
    })
}
