//! Routes: where notifications go.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::rule::{is_name, name_expected};
use crate::error::Fault;
use crate::time::{DurationMs, Timestamp};

words! {
    /// What a route is.
    RouteKind {
        /// A line in the log of the process.
        Log "log",
        /// A webhook that is signed by Standard Webhooks.
        Webhook "webhook",
        /// A webhook in the form that Slack takes.
        Slack "slack",
        /// A mail.
        Mail "mail",
    }
}

/// The most addresses of a mail.
const RECIPIENTS_MAX: usize = 20;
/// The longest subject of a mail, in characters.
const SUBJECT_CHARS_MAX: usize = 200;

/// A route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRoute {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: RouteKind,
    /// The address of a webhook.
    pub url: Option<String>,
    /// The addresses of a mail.
    pub to: Vec<String>,
    /// Whether ends of alerts are sent, too.
    pub send_resolved: bool,
    /// How often a firing alert is sent again.
    pub repeat_every: Option<DurationMs>,
}

impl AlertRoute {
    /// What is wrong with it.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !is_name(&self.name) {
            faults.push(Fault::new("/name", name_expected()));
        }
        let needs_url = matches!(self.kind, RouteKind::Webhook | RouteKind::Slack);
        let is_http = |url: &String| {
            (url.starts_with("https://") || url.starts_with("http://"))
                && url.len() <= 2_000
                && !url.chars().any(|c| c.is_control() || c == ' ')
        };
        match &self.url {
            Some(url) if needs_url && is_http(url) => {}
            None if !needs_url => {}
            Some(_) if !needs_url => faults.push(Fault::new("/url", "a route of this type has no url")),
            _ => faults.push(Fault::new("/url", "expected an address that begins with https:// or http://")),
        }
        let is_mail = self.kind == RouteKind::Mail;
        match self.to.len() {
            0 if is_mail => faults.push(Fault::new("/to", "expected at least one address")),
            1.. if !is_mail => faults.push(Fault::new("/to", "a route of this type has no to")),
            _ if self.to.len() > RECIPIENTS_MAX => {
                faults.push(Fault::new("/to", format!("expected at most {RECIPIENTS_MAX} addresses")));
            }
            _ => {}
        }
        for (place, address) in self.to.iter().enumerate().filter(|(_, address)| !is_mail_address(address)) {
            let message = format!("{address:?} is not an address such as ops@example.com");
            faults.push(Fault::new(format!("/to/{place}"), message));
        }
        if self.repeat_every.is_some_and(|every| every < DurationMs::from_secs(60)) {
            faults.push(Fault::new("/repeatEvery", "expected a duration from 1m"));
        }
        faults
    }
}

/// An address as mail servers take it, without a name.
fn is_mail_address(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>()[],;:\\\"".contains(c);
    let parts = text.split_once('@');
    text.len() <= 254
        && text.chars().all(is_plain)
        && parts.is_some_and(|(local, host)| {
            (1..=64).contains(&local.len()) && !host.is_empty() && !host.contains('@')
        })
}

/// What Slack shows of a notification.
pub fn slack_text(kind: &str, severity: &str, summary: &str) -> String {
    // Slack reads these three as markup.
    let summary = summary.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    titled(kind, severity, &summary)
}

fn titled(kind: &str, severity: &str, summary: &str) -> String {
    let what = match kind {
        "alert.firing" => "FIRING",
        "alert.resolved" => "RESOLVED",
        _ => "TEST",
    };
    format!("[{what}, {severity}] {summary}")
}

/// A mail about a notification: its subject, and its text with one fact a line. `data` is the alert.
pub fn mail_text(kind: &str, data: &Value) -> (String, String) {
    let shown = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text = |name: &str| data.get(name).map(shown).unwrap_or_default();
    let (summary, severity) = (text("summary"), text("severity"));
    // A subject is one line, and no longer than people read.
    let subject = titled(kind, &severity, &summary);
    let subject =
        subject.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SUBJECT_CHARS_MAX).collect();
    let mut lines = vec![summary, String::new()];
    let mut add = |name: &str, value: String| {
        if !value.is_empty() {
            lines.push(format!("{name}: {value}"));
        }
    };
    add("Rule", text("rule"));
    add("Severity", severity);
    for (name, value) in data.get("labels").and_then(Value::as_object).into_iter().flatten() {
        add(name, shown(value));
    }
    add("Value", text("value"));
    add("Threshold", text("threshold"));
    add("Started", text("startedAt"));
    add("Resolved", text("resolvedAt"));
    add("Alert", text("id"));
    (subject, lines.join("\n") + "\n")
}

// Standard Webhooks from the sender's side: the key, and the signature over id, time and body.

/// What a secret begins with.
const PREFIX: &str = "whsec_";
/// How many bytes a key has.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// A secret out of random bytes.
pub fn new_secret(random: &[u8; 32]) -> String {
    format!("{PREFIX}{}", STANDARD.encode(random))
}

/// The key of a secret: base64 behind `whsec_`, of 24 to 64 bytes.
pub fn signing_key(secret: &str) -> Option<Vec<u8>> {
    let key = STANDARD.decode(secret.strip_prefix(PREFIX)?).ok()?;
    KEY_BYTES.contains(&key.len()).then_some(key)
}

/// The headers of a notification.
pub fn signed_headers(key: &[u8], id: &str, now: Timestamp, body: &str) -> [(&'static str, String); 3] {
    let time = now.0.div_euclid(1_000).to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(format!("{id}.{time}.{body}").as_bytes());
    let signature = STANDARD.encode(mac.finalize().into_bytes());
    [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", time),
        ("webhook-signature", format!("v1,{signature}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answer of the specification's reference libraries.
    #[test]
    fn signatures_are_those_of_the_reference() {
        let key = signing_key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a key");
        let body = r#"{"test": 2432232314}"#;
        let headers =
            signed_headers(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", Timestamp(1_614_265_330_000), body);
        assert_eq!(headers[1].1, "1614265330");
        assert_eq!(headers[2].1, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secrets_are_keys_of_some_length() {
        assert_eq!(signing_key(&new_secret(&[7; 32])).map(|key| key.len()), Some(32));
        for wrong in ["", "whsec_", "whsec_YQ==", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_!!!"] {
            assert_eq!(signing_key(wrong), None, "{wrong}");
        }
    }
}
