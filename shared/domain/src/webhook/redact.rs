//! What is kept of a request's headers and query: all names, and no value that could be used again.

use super::config::SchemeConfig;
use super::preset::preset;
use super::provider::Provider;

/// What stands in place of a value.
pub const REDACTED: &str = "[redacted]";

/// Parts of names whose values are secrets, whoever sends them.
const TELLING: [&str; 14] = [
    "authorization",
    "authentication",
    "cookie",
    "signature",
    "hmac",
    "token",
    "secret",
    "password",
    "passwd",
    "api-key",
    "apikey",
    "access-key",
    "credential",
    "session",
];

/// Names that contain a telling part and are no secrets.
const HARMLESS: [&str; 2] = ["i-twilio-idempotency-token", "x-twilio-webhooks-signature-settings"];

/// The headers as they may be stored and shown: in order, with all names, without the values of signatures, tokens,
/// credentials and cookies. Other values that are not UTF-8 are shown with replacement characters.
pub fn redact(config: &SchemeConfig, headers: &[(&str, &[u8])]) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            let shown = if is_secret_header(config, name) {
                REDACTED.to_owned()
            } else {
                String::from_utf8_lossy(value).into_owned()
            };
            ((*name).to_owned(), shown)
        })
        .collect()
}

/// The query as it may be stored and shown. Names are kept; values of telling names are not.
pub fn redact_query(query: &str) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if is_telling(&name.replace('_', "-")) => format!("{name}={REDACTED}"),
        _ => pair.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

fn is_secret_header(config: &SchemeConfig, name: &str) -> bool {
    let presets = Provider::ALL.iter().flat_map(|provider| preset(*provider).schemes);
    config.schemes().iter().chain(presets).any(|scheme| scheme.header.eq_ignore_ascii_case(name))
        || is_telling(name)
}

fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    !HARMLESS.contains(&name.as_str()) && TELLING.iter().any(|part| name.contains(part))
}
