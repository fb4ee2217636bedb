//! A secret manager that speaks the HTTP interface of Vault: key-value store, version 2.
//!
//! What was read counts for a short while, so that a burst of requests asks once. A token file is read each time, because
//! agents renew it in place.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use engine::{SecretManager, SecretManagerFault, SecretText};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::fetch::{FetchError, Fetcher};

/// How many secrets are remembered.
const KEPT_MAX: usize = 256;
/// How many are asked for at once.
const CALLS_MAX: usize = 8;
/// The longest value that is sent, in bytes. It has to fit into a header.
const VALUE_BYTES_MAX: usize = 8 * 1024;

/// Where the secret manager is, and how it lets us in.
#[derive(Debug, Clone)]
pub struct VaultOptions {
    /// Its address.
    pub address: String,
    /// The token, where it is given.
    pub token: Option<SecretText>,
    /// The file that holds the token.
    pub token_file: Option<PathBuf>,
    /// Where the key-value store is mounted.
    pub mount: String,
    /// The namespace; empty for none.
    pub namespace: String,
    /// Authorities of TLS beside those of the system, as PEM.
    pub authorities: Option<Vec<u8>>,
    /// How long what was read counts.
    pub kept_for: Duration,
}

/// The settings of a secret manager cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the secret manager")]
pub struct VaultError(#[source] FetchError);

/// A secret manager.
pub struct Vault {
    fetcher: Fetcher,
    options: VaultOptions,
    kept: Mutex<HashMap<String, Kept>>,
    calls: Semaphore,
}

/// The fields of a secret as they were read. Never printed.
struct Kept {
    read_at: Instant,
    fields: Arc<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Answer {
    data: Version,
}

#[derive(Deserialize)]
struct Version {
    data: Option<Map<String, Value>>,
}

impl Vault {
    /// A secret manager. Nothing is read before somebody asks.
    pub fn new(options: VaultOptions) -> Result<Self, VaultError> {
        let fetcher =
            Fetcher::new(&options.address, &[], options.authorities.as_deref()).map_err(VaultError)?;
        Ok(Self { fetcher, options, kept: Mutex::default(), calls: Semaphore::new(CALLS_MAX) })
    }

    fn kept(&self, path: &str) -> Option<Arc<Map<String, Value>>> {
        let kept = self.kept.lock();
        let secret = kept.get(path).filter(|secret| secret.read_at.elapsed() < self.options.kept_for)?;
        Some(Arc::clone(&secret.fields))
    }

    fn keep(&self, path: &str, fields: Arc<Map<String, Value>>) {
        let mut kept = self.kept.lock();
        kept.retain(|_, secret| secret.read_at.elapsed() < self.options.kept_for);
        if kept.len() < KEPT_MAX && !self.options.kept_for.is_zero() {
            kept.insert(path.to_owned(), Kept { read_at: Instant::now(), fields });
        }
    }

    async fn token(&self) -> Result<SecretText, SecretManagerFault> {
        if let Some(token) = &self.options.token {
            return Ok(token.clone());
        }
        let unreadable = || SecretManagerFault::Unavailable("its token file cannot be read".to_owned());
        let path = self.options.token_file.as_ref().ok_or_else(unreadable)?;
        let text = tokio::fs::read_to_string(path).await.map_err(|_| unreadable())?;
        Ok(SecretText::new(text.trim()))
    }

    async fn read(&self, path: &str) -> Result<Option<Map<String, Value>>, SecretManagerFault> {
        let VaultOptions { address, mount, namespace, .. } = &self.options;
        let address = format!("{}/v1/{mount}/data/{path}", address.trim_end_matches('/'));
        let unavailable = |error: FetchError| {
            tracing::warn!(error = &error as &dyn std::error::Error, "the secret manager cannot be reached");
            SecretManagerFault::Unavailable(error.to_string())
        };
        let url = self.fetcher.checked(&address, "the secret manager").map_err(unavailable)?;
        let token = self.token().await?;
        let mut headers =
            vec![("x-vault-token", token.reveal().to_owned()), ("x-vault-request", "true".to_owned())];
        if !namespace.is_empty() {
            headers.push(("x-vault-namespace", namespace.clone()));
        }
        match self.fetcher.get_with(url, &headers).await {
            Ok(body) => {
                let answer: Answer =
                    serde_json::from_slice(&body).map_err(|error| unavailable(error.into()))?;
                Ok(answer.data.data)
            }
            Err(FetchError::Status(404)) => Ok(None),
            Err(FetchError::Status(401 | 403)) => Err(SecretManagerFault::Refused),
            Err(error) => Err(unavailable(error)),
        }
    }
}

#[async_trait]
impl SecretManager for Vault {
    async fn value(&self, path: &str, field: &str) -> Result<Option<SecretText>, SecretManagerFault> {
        if let Some(fields) = self.kept(path) {
            return Ok(usable(&fields, field));
        }
        // Those who waited for the same secret find it when their turn comes.
        let _turn = self.calls.acquire().await;
        if let Some(fields) = self.kept(path) {
            return Ok(usable(&fields, field));
        }
        let Some(fields) = self.read(path).await?.map(Arc::new) else {
            return Ok(None);
        };
        let value = usable(&fields, field);
        self.keep(path, fields);
        Ok(value)
    }
}

/// A field that can be sent in a header.
fn usable(fields: &Map<String, Value>, field: &str) -> Option<SecretText> {
    let text = fields.get(field)?.as_str()?;
    let fits = !text.is_empty() && text.len() <= VALUE_BYTES_MAX && !text.chars().any(char::is_control);
    fits.then(|| SecretText::new(text))
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::extract::{Path, State};
    use axum::http::{HeaderMap, StatusCode};
    use axum::routing::get;
    use serde_json::json;

    use super::*;

    type Calls = Arc<Mutex<Vec<(String, String)>>>;

    async fn read(
        State(calls): State<Calls>,
        Path(path): Path<String>,
        headers: HeaderMap,
    ) -> (StatusCode, String) {
        let of = |name: &str| {
            headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        calls.lock().push((path.clone(), of("x-vault-namespace")));
        let body = match (of("x-vault-token").as_str(), path.as_str()) {
            ("good", "apps/stripe") => json!({"data": {"data": {"token": "sk_1", "n": 7, "bad": "a\nb"}}}),
            ("good", "apps/deleted") => json!({"data": {"data": null, "metadata": {"deletion_time": "x"}}}),
            ("good", "apps/odd") => json!({"error": "no data"}),
            ("good", "apps/large") => json!({"data": {"data": {"token": "x".repeat(300 * 1024)}}}),
            ("good", _) => return (StatusCode::NOT_FOUND, r#"{"errors":[]}"#.to_owned()),
            _ => return (StatusCode::FORBIDDEN, r#"{"errors":["permission denied"]}"#.to_owned()),
        };
        (StatusCode::OK, body.to_string())
    }

    async fn start() -> (VaultOptions, Calls) {
        let calls = Calls::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("loopback can be bound");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        let router = Router::new().route("/v1/kv/data/{*path}", get(read)).with_state(Arc::clone(&calls));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let options = VaultOptions {
            address,
            token: Some(SecretText::new("good")),
            token_file: None,
            mount: "kv".to_owned(),
            namespace: "team".to_owned(),
            authorities: None,
            kept_for: Duration::from_hours(1),
        };
        (options, calls)
    }

    fn text(value: Option<SecretText>) -> Option<String> {
        value.map(|value| value.reveal().to_owned())
    }

    #[tokio::test]
    async fn values_are_read_once_in_a_while() {
        let (options, calls) = start().await;
        let vault = Vault::new(options.clone()).expect("usable settings");
        for _ in 0..5 {
            assert_eq!(
                text(vault.value("apps/stripe", "token").await.expect("read")),
                Some("sk_1".to_owned())
            );
        }
        assert_eq!(*calls.lock(), [("apps/stripe".to_owned(), "team".to_owned())]);
        for (path, field) in
            [("apps/stripe", "none"), ("apps/stripe", "n"), ("apps/stripe", "bad"), ("apps/none", "x")]
        {
            assert_eq!(text(vault.value(path, field).await.expect("read")), None, "{path}#{field}");
        }
        assert_eq!(text(vault.value("apps/deleted", "token").await.expect("read")), None);
        for path in ["apps/odd", "apps/large"] {
            let fault = vault.value(path, "token").await;
            assert!(matches!(fault, Err(SecretManagerFault::Unavailable(_))), "{path}");
        }
        let fresh =
            Vault::new(VaultOptions { kept_for: Duration::ZERO, ..options }).expect("usable settings");
        calls.lock().clear();
        for _ in 0..2 {
            fresh.value("apps/stripe", "token").await.expect("read");
        }
        assert_eq!(calls.lock().len(), 2);
    }

    #[tokio::test]
    async fn a_token_file_is_read_each_time() {
        let (options, _) = start().await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("token");
        let options =
            VaultOptions { token: None, token_file: Some(file.clone()), kept_for: Duration::ZERO, ..options };
        let vault = Vault::new(options).expect("usable settings");
        assert!(matches!(vault.value("apps/stripe", "token").await, Err(SecretManagerFault::Unavailable(_))));
        std::fs::write(&file, "old\n").expect("written");
        assert!(matches!(vault.value("apps/stripe", "token").await, Err(SecretManagerFault::Refused)));
        std::fs::write(&file, "good\n").expect("written");
        assert!(vault.value("apps/stripe", "token").await.expect("read").is_some());
    }

    #[tokio::test]
    async fn a_manager_that_is_away_is_no_missing_secret() {
        let (options, _) = start().await;
        let options = VaultOptions { address: "http://127.0.0.1:1".to_owned(), ..options };
        let vault = Vault::new(options.clone()).expect("usable settings");
        assert!(matches!(vault.value("a", "b").await, Err(SecretManagerFault::Unavailable(_))));
        assert!(Vault::new(VaultOptions { address: "http://vault.example".to_owned(), ..options }).is_err());
    }
}
