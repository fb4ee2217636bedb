//! What is known of a provider: its addresses and keys, read when they are needed, and again when they are old or a token
//! names a key that is not among them.
//!
//! However many strangers come with tokens of unknown keys, the provider is asked once in a while and by one request at a
//! time. While it cannot be reached, what is known counts for an hour.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reqwest::Url;
use serde::Deserialize;

use super::jwks::{self, Algorithm, Key};
use crate::fetch::{FetchError, Fetcher};

/// How long keys are believed without asking. A key that a provider takes back counts for so long.
const FRESH: Duration = Duration::from_mins(5);
/// How long they are believed while the provider cannot be reached.
const STALE_MAX: Duration = Duration::from_hours(1);

/// What is known.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) addresses: Addresses,
    pub(super) keys: Vec<Key>,
    read_at: Instant,
}

/// What is known, and how it becomes known.
#[derive(Debug)]
pub(super) struct KeyCache {
    fetcher: Fetcher,
    issuer: String,
    /// The time between two attempts to read it.
    interval: Duration,
    known: Mutex<Option<Arc<Known>>>,
    /// When it was read last, well or not; held by whoever reads.
    attempted_at: tokio::sync::Mutex<Option<Instant>>,
}

/// Why nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CacheFault {
    /// The provider has no such key.
    UnknownKey,
    /// The provider cannot be asked.
    Unavailable,
}

impl KeyCache {
    pub(super) fn new(fetcher: Fetcher, issuer: String, interval: Duration) -> Self {
        Self {
            fetcher,
            issuer,
            interval,
            known: Mutex::default(),
            attempted_at: tokio::sync::Mutex::default(),
        }
    }

    /// The addresses of the provider.
    pub(super) async fn addresses(&self) -> Result<Addresses, CacheFault> {
        let known = self.known_where(|_| true).await?;
        Ok(known.addresses.clone())
    }

    /// The key that a token names.
    pub(super) async fn key(&self, algorithm: Algorithm, id: Option<&str>) -> Result<Key, CacheFault> {
        let known = self.known_where(|known| jwks::find(&known.keys, algorithm, id).is_some()).await?;
        jwks::find(&known.keys, algorithm, id).cloned().ok_or(CacheFault::UnknownKey)
    }

    /// What is known, read again where that is old or does not hold what is looked for.
    async fn known_where(&self, holds: impl Fn(&Known) -> bool) -> Result<Arc<Known>, CacheFault> {
        let usable = |within: Duration| {
            let known = self.known.lock().clone()?;
            (known.read_at.elapsed() < within && holds(&known)).then_some(known)
        };
        if let Some(known) = usable(FRESH) {
            return Ok(known);
        }
        let mut attempted_at = match (self.attempted_at.try_lock(), usable(STALE_MAX)) {
            (Ok(guard), _) => guard,
            // Somebody is reading; what is known is good enough until then.
            (Err(_), Some(known)) => return Ok(known),
            (Err(_), None) => self.attempted_at.lock().await,
        };
        if let Some(known) = usable(FRESH) {
            return Ok(known);
        }
        if attempted_at.is_none_or(|at| at.elapsed() >= self.interval) {
            let read = self.read().await;
            *attempted_at = Some(Instant::now());
            match read {
                Ok(known) => *self.known.lock() = Some(Arc::new(known)),
                Err(error) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the keys of the identity provider cannot be read"
                ),
            }
        }
        drop(attempted_at);
        if let Some(known) = usable(STALE_MAX) {
            return Ok(known);
        }
        let is_known = self.known.lock().as_ref().is_some_and(|known| known.read_at.elapsed() < STALE_MAX);
        Err(if is_known { CacheFault::UnknownKey } else { CacheFault::Unavailable })
    }

    async fn read(&self) -> Result<Known, DiscoveryError> {
        let addresses = discover(&self.fetcher, &self.issuer).await?;
        let document = self.fetcher.get(addresses.keys.clone()).await?;
        let keys = jwks::parse(&document).map_err(FetchError::from)?;
        Ok(Known { addresses, keys, read_at: Instant::now() })
    }
}

// What a provider says of itself at `/.well-known/openid-configuration`.

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
    #[error("the issuer of the provider is {0:?}, not the configured one")]
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
