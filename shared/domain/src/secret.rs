//! Secrets that workflows send: their names, where they may be sent, and the headers that they stand in. Never their values.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The longest name, in bytes.
const NAME_BYTES_MAX: usize = 63;
/// The most hosts of a secret.
const HOSTS_MAX: usize = 16;
/// The longest host, in bytes.
const HOST_BYTES_MAX: usize = 253;
/// The longest value, in bytes: it has to fit into a header.
pub const SECRET_BYTES_MAX: usize = 8 * 1024;
/// What stands before the name in an expression.
const ROOT: &str = "secrets.";

/// The name of a secret: a letter, then letters, digits, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SecretName(String);

impl SecretName {
    /// Reads a name.
    pub fn parse(text: &str) -> Option<Self> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let is_name = text.len() <= NAME_BYTES_MAX
            && text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
            && text.bytes().all(is_part);
        is_name.then(|| Self(text.to_owned()))
    }

    /// A name that was checked when it was stored.
    pub fn trusted(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The name in an expression that is `secrets.name` and nothing else.
    pub fn of_expression(source: &str) -> Option<Self> {
        Self::parse(source.trim().strip_prefix(ROOT)?)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SecretName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(
                "expected a letter, then up to 62 letters, digits, underscores and hyphens",
            )
        })
    }
}

/// A part of a header's value, in the data of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HeaderPart {
    /// Text as it is, whatever it looks like.
    Plain(String),
    /// The value of a secret.
    Secret {
        /// Its name.
        secret: SecretName,
    },
}

impl HeaderPart {
    /// As it stands in the data of a job.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Plain(text) => Value::from(text.as_str()),
            Self::Secret { secret } => json!({ "secret": secret.as_str() }),
        }
    }
}

/// Whether hosts can be stored: names such as `api.example.com`, `*.example.com`, or addresses.
pub fn are_hosts(hosts: &[String]) -> bool {
    let is_host = |host: &String| {
        let name = host.strip_prefix("*.").unwrap_or(host);
        let is_part =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-:[]_".contains(&byte);
        (1..=HOST_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_part) && !name.starts_with('.')
    };
    (1..=HOSTS_MAX).contains(&hosts.len()) && hosts.iter().all(is_host)
}

/// Whether a secret that is bound to these hosts may be sent to this one. `*.example.com` is any name below it, not itself.
pub fn may_be_sent_to(hosts: &[String], host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    hosts.iter().any(|bound| match bound.strip_prefix("*.") {
        Some(parent) => host
            .strip_suffix(parent)
            .and_then(|rest| rest.strip_suffix('.'))
            .is_some_and(|below| !below.is_empty()),
        None => *bound == host,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_found_in_expressions() {
        assert_eq!(
            SecretName::of_expression(" secrets.stripe-key ").map(|name| name.to_string()).as_deref(),
            Some("stripe-key")
        );
        for source in
            ["secrets", "secrets.", "secrets.a.b", "secrets.1a", "secrets['a']", "secrets.a + 'x'", "input.a"]
        {
            assert_eq!(SecretName::of_expression(source), None, "{source}");
        }
        assert_eq!(SecretName::parse(&"a".repeat(64)), None);
    }

    #[test]
    fn a_secret_goes_to_its_hosts_only() {
        let hosts = ["api.example.com".to_owned(), "*.internal.example".to_owned(), "127.0.0.1".to_owned()];
        for host in
            ["api.example.com", "API.example.com", "api.example.com.", "a.internal.example", "127.0.0.1"]
        {
            assert!(may_be_sent_to(&hosts, host), "{host}");
        }
        for host in [
            "example.com",
            "xapi.example.com",
            "api.example.com.evil",
            "internal.example",
            "xinternal.example",
            "",
        ] {
            assert!(!may_be_sent_to(&hosts, host), "{host}");
        }
        assert!(are_hosts(&hosts));
        for wrong in ["", "*", "*.", "https://x", "A.example", "a/b", ".example"] {
            assert!(!are_hosts(&[wrong.to_owned()]), "{wrong}");
        }
        assert!(!are_hosts(&[]));
    }

    #[test]
    fn what_looks_like_a_secret_in_a_text_is_text() {
        let read = |json: &str| serde_json::from_str::<HeaderPart>(json).expect("a part");
        assert_eq!(read(r#""${secrets.a}""#), HeaderPart::Plain("${secrets.a}".to_owned()));
        let secret = HeaderPart::Secret { secret: SecretName::trusted("a") };
        assert_eq!(read(r#"{"secret": "a"}"#), secret);
        assert_eq!(secret.to_json(), json!({"secret": "a"}));
    }
}
