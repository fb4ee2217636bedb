//! Bounded calls to a few hosts that the operator names: no redirects, no proxy, a cap on size and time.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, Url};

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The largest answer that is read.
const BYTES_MAX: usize = 256 * 1024;

/// Why a call did not work. Says nothing that came from the other side but its status.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// The address is none, or not one of those that may be called.
    #[error("{0} is not at an allowed host, or not https")]
    Address(&'static str),
    /// The client cannot be built.
    #[error("cannot use the TLS settings")]
    Client(#[source] reqwest::Error),
    /// The call failed.
    #[error("the call failed")]
    Call(#[source] reqwest::Error),
    /// Another answer than 200.
    #[error("the answer has status {0}")]
    Status(u16),
    /// The answer is too large.
    #[error("the answer is larger than {BYTES_MAX} bytes")]
    TooLarge,
    /// The answer is not the JSON that it has to be.
    #[error("the answer is not the expected JSON")]
    Json(#[from] serde_json::Error),
}

/// Makes calls.
#[derive(Debug, Clone)]
pub(crate) struct Fetcher {
    client: Client,
    hosts: Vec<String>,
    /// Whether plain HTTP is spoken: only where the operator gave such an address on this machine.
    is_plain: bool,
}

impl Fetcher {
    /// Calls the host of `base` and `hosts` only. `authorities` are trusted beside those of the system.
    pub(crate) fn new(base: &str, hosts: &[String], authorities: Option<&[u8]>) -> Result<Self, FetchError> {
        let base = Url::parse(base).map_err(|_| FetchError::Address("the configured address"))?;
        let is_plain = base.scheme() == "http" && is_local(&base);
        let mut all: Vec<String> = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        all.extend(base.host_str().map(str::to_owned));
        let build = || {
            Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .referer(false)
                .no_proxy()
                .connect_timeout(CONNECT_TIMEOUT)
                .timeout(TIMEOUT)
                .user_agent(concat!("trunkline/", env!("CARGO_PKG_VERSION")))
        };
        let client = match authorities {
            Some(pem) => {
                let trusted = reqwest::Certificate::from_pem_bundle(pem).map_err(FetchError::Client)?;
                build().tls_certs_merge(trusted).build()
            }
            None => build().build(),
        };
        let client = match client {
            Ok(client) => client,
            // A machine without authorities can still speak plain HTTP to itself.
            Err(_) if is_plain => build().tls_certs_only([]).build().map_err(FetchError::Client)?,
            Err(error) => return Err(FetchError::Client(error)),
        };
        let fetcher = Self { client, hosts: all, is_plain };
        fetcher.checked(base.as_str(), "the configured address")?;
        Ok(fetcher)
    }

    /// The address, if it may be called. `what` names it in the error.
    pub(crate) fn checked(&self, address: &str, what: &'static str) -> Result<Url, FetchError> {
        let url = Url::parse(address).map_err(|_| FetchError::Address(what))?;
        let is_safe = url.scheme() == "https" || (self.is_plain && url.scheme() == "http" && is_local(&url));
        let is_known = url.host_str().is_some_and(|host| self.hosts.iter().any(|known| known == host));
        if is_safe && is_known { Ok(url) } else { Err(FetchError::Address(what)) }
    }

    /// The body of a GET.
    pub(crate) async fn get(&self, url: Url) -> Result<Vec<u8>, FetchError> {
        self.send(self.client.get(url)).await
    }

    /// The same with headers, which are never logged.
    pub(crate) async fn get_with(&self, url: Url, headers: &[(&str, String)]) -> Result<Vec<u8>, FetchError> {
        let mut request = self.client.get(url);
        for (name, value) in headers {
            request = request.header(*name, value.as_str());
        }
        self.send(request).await
    }

    /// The body of the answer to a form.
    pub(crate) async fn post_form(
        &self,
        url: Url,
        form: String,
        authorization: Option<(String, String)>,
    ) -> Result<Vec<u8>, FetchError> {
        let mut request =
            self.client.post(url).header("content-type", "application/x-www-form-urlencoded").body(form);
        if let Some((user, password)) = authorization {
            request = request.basic_auth(user, Some(password));
        }
        self.send(request).await
    }

    async fn send(&self, request: RequestBuilder) -> Result<Vec<u8>, FetchError> {
        let mut response =
            request.header("accept", "application/json").send().await.map_err(FetchError::Call)?;
        if response.status().as_u16() != 200 {
            return Err(FetchError::Status(response.status().as_u16()));
        }
        if response.content_length().is_some_and(|length| length > BYTES_MAX as u64) {
            return Err(FetchError::TooLarge);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(FetchError::Call)? {
            if body.len() + chunk.len() > BYTES_MAX {
                return Err(FetchError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// Whether an address is on this machine.
fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_hosts_are_called_and_only_by_tls() {
        let hosts = ["keys.example".to_owned()];
        let fetcher = Fetcher::new("https://id.example/realm", &hosts, None).expect("an address");
        for address in ["https://id.example/keys", "https://KEYS.example/x", "https://id.example:8443/x"] {
            assert!(fetcher.checked(address, "x").is_ok(), "{address}");
        }
        for address in [
            "http://id.example/keys",
            "https://evil.example/",
            "https://id.example@evil.example/",
            "http://127.0.0.1/latest",
            "file:///etc/passwd",
            "keys",
        ] {
            assert!(fetcher.checked(address, "x").is_err(), "{address}");
        }
        assert!(Fetcher::new("http://id.example", &[], None).is_err());
        let local = Fetcher::new("http://127.0.0.1:9/realm", &[], None).expect("this machine");
        assert!(local.checked("http://127.0.0.1:9/keys", "x").is_ok());
        assert!(local.checked("http://id.example/keys", "x").is_err());
    }
}
