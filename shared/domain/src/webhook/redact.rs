//! What of a request is kept and shown: headers and parameters that look like secrets are not.

use std::sync::LazyLock;

use super::config::SchemeConfig;
use super::preset::preset;
use super::provider::Provider;

/// What stands in place of a value.
pub const REDACTED: &str = "[redacted]";

/// Parts of names whose values are secrets, whoever sends them.
const TELLING: [&str; 17] = [
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
    "x-auth",
    "passphrase",
    "jwt",
];

/// Names of query parameters that hold secrets, whole: `https://example.com/hooks/x?key=…`.
const TELLING_PARAMETERS: [&str; 5] = ["key", "sig", "auth", "pass", "pwd"];

/// Names that contain a telling part and are no secrets.
const HARMLESS: [&str; 2] = ["i-twilio-idempotency-token", "x-twilio-webhooks-signature-settings"];

/// The headers of all presets that hold signatures, each once.
static PRESET_HEADERS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let schemes = Provider::ALL.iter().flat_map(|provider| preset(*provider).schemes);
    let mut headers: Vec<&'static str> = schemes.map(|scheme| &*scheme.header).collect();
    headers.sort_unstable();
    headers.dedup();
    headers
});

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
        Some((name, _)) if is_telling_parameter(name) => format!("{name}={REDACTED}"),
        _ => pair.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

fn is_secret_header(config: &SchemeConfig, name: &str) -> bool {
    is_telling(name)
        || PRESET_HEADERS.iter().any(|header| header.eq_ignore_ascii_case(name))
        || config.schemes().iter().any(|scheme| scheme.header.eq_ignore_ascii_case(name))
}

fn is_telling_parameter(name: &str) -> bool {
    is_telling(&name.replace('_', "-"))
        || TELLING_PARAMETERS.iter().any(|telling| name.eq_ignore_ascii_case(telling))
}

fn is_telling(name: &str) -> bool {
    let name = name.as_bytes();
    // Every header of every delivery comes by here, so nothing is allocated.
    let begins = |rest: &[u8], part: &str| {
        rest.get(..part.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(part.as_bytes()))
    };
    let has_part = |at: usize| {
        let first = name[at].to_ascii_lowercase();
        TELLING.iter().any(|part| part.as_bytes()[0] == first && begins(&name[at..], part))
    };
    (0..name.len()).any(has_part) && !HARMLESS.iter().any(|whole| name.eq_ignore_ascii_case(whole.as_bytes()))
}
