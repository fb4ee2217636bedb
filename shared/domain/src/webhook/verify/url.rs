//! The URL that a sender signs, made of the registered one and of the query as received.

use crate::webhook::scheme::UrlForm;

/// The escapes that HubSpot decodes before it signs.
const HUBSPOT_ESCAPES: [(&str, &str); 12] = [
    ("%3A", ":"),
    ("%2F", "/"),
    ("%3F", "?"),
    ("%40", "@"),
    ("%21", "!"),
    ("%24", "$"),
    ("%27", "'"),
    ("%28", "("),
    ("%29", ")"),
    ("%2A", "*"),
    ("%2C", ","),
    ("%3B", ";"),
];

/// The URLs to try; at least one, the first being what the sender's documents say.
pub(super) fn candidates(form: UrlForm, registered: &str, query: Option<&str>) -> Vec<String> {
    match form {
        UrlForm::Registered => vec![registered.to_owned()],
        UrlForm::HubSpot => {
            let url = with_query(registered, query);
            let decoded = HUBSPOT_ESCAPES.iter().fold(url.clone(), |url, (escape, char)| {
                url.replace(escape, char).replace(&escape.to_ascii_lowercase(), char)
            });
            if decoded == url { vec![url] } else { vec![decoded, url] }
        }
        UrlForm::Twilio => {
            let url = with_query(registered, query);
            let other = other_port(&url);
            std::iter::once(url).chain(other).collect()
        }
    }
}

/// The registered URL without its fragment, which is never sent, and with the received query in place of its own.
fn with_query(registered: &str, query: Option<&str>) -> String {
    let url = registered.split('#').next().unwrap_or_default();
    match query.filter(|query| !query.is_empty()) {
        None => url.to_owned(),
        Some(query) => format!("{}?{query}", url.split('?').next().unwrap_or_default()),
    }
}

/// The same URL without its port, or with the default port of its scheme if it has none.
fn other_port(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    // A colon within brackets or before an `@` belongs to an IPv6 address or a password.
    let host = authority.rfind([']', '@']).map_or(0, |at| at + 1);
    match authority[host..].find(':') {
        Some(colon) => Some(format!("{scheme}://{}{path}", &authority[..host + colon])),
        None if scheme.eq_ignore_ascii_case("https") => Some(format!("{scheme}://{authority}:443{path}")),
        None if scheme.eq_ignore_ascii_case("http") => Some(format!("{scheme}://{authority}:80{path}")),
        None => None,
    }
}
