//! Secrets in headers: filled in when the request is sent, for hosts that they are bound to, and taken out of what comes back.

use async_trait::async_trait;
use domain::failure::JobError;
use domain::job::Outcome;
use domain::names::TenantName;
use domain::secret::{HeaderPart, SecretName, may_be_sent_to};
use engine::{Engine, EngineError, SendableSecret};
use reqwest::header::{HeaderName, HeaderValue};

use super::call::HttpCall;
use crate::egress::EgressResponse;

/// Shorter values are not looked for in answers: they would be found in everything.
const ECHO_BYTES_MIN: usize = 6;
/// What stands in their place.
const REDACTED: &[u8] = b"[redacted]";

/// Where the values of secrets come from.
#[async_trait]
pub trait SecretSource: Send + Sync {
    /// The secrets of these names of a tenant.
    async fn secrets(
        &self,
        tenant: &TenantName,
        names: &[SecretName],
    ) -> Result<Vec<SendableSecret>, EngineError>;
}

#[async_trait]
impl SecretSource for Engine {
    async fn secrets(
        &self,
        tenant: &TenantName,
        names: &[SecretName],
    ) -> Result<Vec<SendableSecret>, EngineError> {
        self.secrets_to_send(tenant, names).await
    }
}

/// Fills the sealed headers of a call. Answers the secrets that are in it; no error holds a value.
pub(super) async fn fill(
    call: &mut HttpCall,
    source: Option<&dyn SecretSource>,
    tenant: &TenantName,
) -> Result<Vec<SendableSecret>, Outcome> {
    let sealed = std::mem::take(&mut call.sealed);
    let mut names: Vec<SecretName> = sealed.iter().flat_map(|(_, parts)| parts).filter_map(name_of).collect();
    names.sort_unstable();
    names.dedup();
    if sealed.is_empty() {
        return Ok(Vec::new());
    }
    let source = source.ok_or_else(|| failed("secret_missing", "This process has no secrets.", false))?;
    let secrets = source.secrets(tenant, &names).await.map_err(|error| unavailable(&error))?;
    let host = call.request.url.host_str().unwrap_or_default();
    for secret in &secrets {
        if !may_be_sent_to(&secret.hosts, host) {
            let message = format!("The secret {} is not bound to the host {host}.", secret.name);
            return Err(failed("secret_host", &message, false));
        }
        if !is_private(&call.request.url) {
            let message =
                format!("The secret {} is sent over https only, not to {host} over http.", secret.name);
            return Err(failed("secret_insecure", &message, false));
        }
    }
    for (name, parts) in sealed {
        let value = value_of(&name, &parts, &secrets)?;
        call.request.headers.insert(name, value);
    }
    Ok(secrets)
}

/// Whether nobody on the way can read what is sent there: by TLS, or since it does not leave the machine.
fn is_private(url: &reqwest::Url) -> bool {
    url.scheme() == "https"
        || url.host_str().is_some_and(|host| {
            let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
            address.map_or(host == "localhost", |address| address.is_loopback())
        })
}

fn name_of(part: &HeaderPart) -> Option<SecretName> {
    match part {
        HeaderPart::Secret { secret } => Some(secret.clone()),
        HeaderPart::Plain(_) => None,
    }
}

fn value_of(
    name: &HeaderName,
    parts: &[HeaderPart],
    secrets: &[SendableSecret],
) -> Result<HeaderValue, Outcome> {
    let mut text = String::new();
    for part in parts {
        match part {
            HeaderPart::Plain(plain) => text.push_str(plain),
            HeaderPart::Secret { secret } => {
                let found = secrets.iter().find(|known| known.name == *secret);
                text.push_str(found.map(|secret| secret.value.reveal()).unwrap_or_default());
            }
        }
    }
    let mut value = HeaderValue::try_from(text).map_err(|_| {
        let message = format!("The header {name:?} cannot be sent: its value is not valid HTTP.");
        failed("http_request", &message, false)
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// An answer without the secrets that its request was sent with: some services repeat what they were sent.
pub(super) fn without(mut response: EgressResponse, secrets: &[SendableSecret]) -> EgressResponse {
    for secret in secrets {
        let plain = secret.value.reveal();
        if plain.len() < ECHO_BYTES_MIN {
            continue;
        }
        // As it is, and as JSON writes it.
        let quoted = serde_json::Value::from(plain).to_string();
        let quoted = quoted.trim_matches('"').to_owned();
        for needle in [plain, &quoted] {
            if let Some(body) = replaced(&response.body, needle.as_bytes()) {
                response.body = body;
            }
            for value in response.headers.values_mut() {
                let found = replaced(value.as_bytes(), needle.as_bytes());
                if let Some(other) = found.and_then(|bytes| HeaderValue::from_bytes(&bytes).ok()) {
                    *value = other;
                }
            }
        }
    }
    response
}

/// The text with each occurrence replaced; `None` where there is none. Takes as long as both are, whatever they hold: a tenant
/// may choose its secret and answer with what is hard to search for it.
fn replaced(text: &[u8], needle: &[u8]) -> Option<Vec<u8>> {
    let borders = borders_of(needle);
    let (mut kept, mut copied, mut matched) = (Vec::new(), 0, 0);
    for (at, byte) in text.iter().enumerate() {
        while matched > 0 && needle[matched] != *byte {
            matched = borders[matched - 1];
        }
        if needle[matched] == *byte {
            matched += 1;
        }
        if matched == needle.len() {
            kept.extend_from_slice(&text[copied..at + 1 - needle.len()]);
            kept.extend_from_slice(REDACTED);
            (copied, matched) = (at + 1, 0);
        }
    }
    if copied == 0 {
        return None;
    }
    kept.extend_from_slice(&text[copied..]);
    Some(kept)
}

/// For each beginning of a text, how much of it is its own end as well: where a search goes on after a byte that differs.
fn borders_of(needle: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; needle.len()];
    let mut matched = 0;
    for (at, byte) in needle.iter().enumerate().skip(1) {
        while matched > 0 && needle[matched] != *byte {
            matched = borders[matched - 1];
        }
        if needle[matched] == *byte {
            matched += 1;
        }
        borders[at] = matched;
    }
    borders
}

/// A secret that is not there is so until somebody stores it; a store that does not answer is tried again.
fn unavailable(error: &EngineError) -> Outcome {
    match error {
        EngineError::NotFound { what, id } => {
            failed("secret_missing", &format!("The tenant has no {what} {id}."), false)
        }
        _ => failed("secret_unavailable", "A secret could not be read.", true),
    }
}

fn failed(code: &'static str, message: &str, retryable: bool) -> Outcome {
    Outcome::Failed { error: JobError::coded(code, message.to_owned()), retryable, retry_after: None }
}

#[cfg(test)]
mod tests {
    use engine::SecretText;
    use reqwest::StatusCode;
    use reqwest::header::HeaderMap;

    use super::*;

    #[test]
    fn echoes_are_taken_out() {
        let secret = |value: &str| SendableSecret {
            name: SecretName::trusted("a"),
            value: SecretText::new(value),
            hosts: Vec::new(),
        };
        let answer = |body: &str, secret: SendableSecret| {
            let headers = HeaderMap::from_iter([(
                HeaderName::from_static("x-echo"),
                HeaderValue::from_static("got s3cr3t-value."),
            )]);
            let response = EgressResponse { status: StatusCode::OK, headers, body: body.as_bytes().to_vec() };
            let response = without(response, &[secret]);
            let header = response.headers["x-echo"].to_str().expect("text").to_owned();
            (String::from_utf8(response.body).expect("text"), header)
        };
        assert_eq!(
            answer(r#"{"h":"Bearer s3cr3t-value","again":"s3cr3t-value"}"#, secret("s3cr3t-value")),
            (r#"{"h":"Bearer [redacted]","again":"[redacted]"}"#.to_owned(), "got [redacted].".to_owned())
        );
        assert_eq!(answer(r#"{"h":"a\"quoted"}"#, secret("a\"quoted")).0, r#"{"h":"[redacted]"}"#);
        assert_eq!(answer("short", secret("s")).0, "short");
        for (body, value, expected) in [
            ("aabaabaabaac", "aabaabaac", "aab[redacted]"),
            ("aaaaaaaaaaaaa", "aaaaaa", "[redacted][redacted]a"),
            ("xabcabcabcabd!", "abcabcabd", "xabc[redacted]!"),
            ("abcabcabc", "abcabcabd", "abcabcabc"),
        ] {
            assert_eq!(answer(body, secret(value)).0, expected);
        }
    }

    #[test]
    fn secrets_go_over_tls_or_stay_on_the_machine() {
        let is_sent = |url: &str| is_private(&url.parse().expect("an address"));
        for url in ["https://api.example/", "http://127.0.0.1:8080/", "http://[::1]/", "http://localhost:1/"]
        {
            assert!(is_sent(url), "{url}");
        }
        for url in ["http://api.example/", "http://10.0.0.1/", "http://localhost.example/"] {
            assert!(!is_sent(url), "{url}");
        }
    }
}
