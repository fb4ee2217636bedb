//! The command line that sends a delivery again, for looking at what a server does with it.
//!
//! What it is made of came from outside, so everything is quoted for the shell, and nothing is read as a file name by
//! curl. Values that were redacted are left out: the server refuses the request as it stands.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::webhook::REDACTED;

/// Larger bodies are read from a file that the user provides.
const BODY_BYTES_SHOWN_MAX: usize = 16 * 1024;

/// Headers that curl sets itself, or that belong to the connection.
const OWN_HEADERS: [&str; 8] = [
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "accept-encoding",
    "expect",
    "keep-alive",
    "te",
];

/// The command line.
pub(super) fn command(
    method: &str,
    target: &str,
    headers: &[(String, String)],
    body: Option<&[u8]>,
) -> String {
    let mut words = Vec::new();
    let binary = body.filter(|bytes| std::str::from_utf8(bytes).map_or(true, |text| text.contains('\0')));
    let is_large = body.is_some_and(|bytes| bytes.len() > BODY_BYTES_SHOWN_MAX);
    if let (Some(bytes), false) = (binary, is_large) {
        words.push(format!("printf %s {} | base64 -d |", quoted(&STANDARD.encode(bytes))));
    }
    words.push(format!("curl -X {} \"$TRUNKLINE_URL\"{}", quoted(method), quoted(target)));
    let is_shown = |name: &str, value: &str| {
        value != REDACTED && !OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name))
    };
    for (name, value) in headers.iter().filter(|(name, value)| is_shown(name, value)) {
        // curl takes `name:` for the wish to leave a header out.
        let line = if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") };
        words.push(format!("-H {}", quoted(&line)));
    }
    let Some(bytes) = body.filter(|bytes| !bytes.is_empty()) else { return words.join(" ") };
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        words.push("-H 'content-type:'".to_owned());
    }
    words.push(match std::str::from_utf8(bytes) {
        _ if is_large => "--data-binary @body".to_owned(),
        Ok(text) if binary.is_none() => format!("--data-raw {}", quoted(text)),
        _ => "--data-binary @-".to_owned(),
    });
    words.join(" ")
}

/// One word for a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn commands_are_quoted_and_hold_no_secret() {
        let headers = headers(&[
            ("host", "example.com"),
            ("content-type", "application/json"),
            ("x-hub-signature-256", REDACTED),
            ("x-note", "it's $(here)"),
            ("x-empty", ""),
        ]);
        let shown = command("POST", "/hooks/whk_1?a=$(b)", &headers, Some(b"@/etc/passwd 'x'"));
        assert_eq!(
            shown,
            "curl -X 'POST' \"$TRUNKLINE_URL\"'/hooks/whk_1?a=$(b)' -H 'content-type: application/json' \
             -H 'x-note: it'\\''s $(here)' -H 'x-empty;' --data-raw '@/etc/passwd '\\''x'\\'''"
        );
    }

    #[test]
    fn bodies_that_no_shell_can_hold_go_around_it() {
        let shown = command("POST", "/h", &[], Some(&[0xff, 0x00]));
        assert_eq!(
            shown,
            "printf %s '/wA=' | base64 -d | curl -X 'POST' \"$TRUNKLINE_URL\"'/h' -H 'content-type:' --data-binary @-"
        );
        assert!(command("POST", "/h", &[], Some(b"a\0b")).starts_with("printf"));
        assert!(command("POST", "/h", &[], Some(&vec![b'a'; 20_000])).ends_with("--data-binary @body"));
        assert_eq!(command("POST", "/h", &[], Some(b"")), "curl -X 'POST' \"$TRUNKLINE_URL\"'/h'");
        assert_eq!(command("POST", "/h", &[], None), "curl -X 'POST' \"$TRUNKLINE_URL\"'/h'");
    }
}
