//! What the claims of a token of an identity provider must say before anybody is let in by it.
//!
//! Signatures are checked elsewhere. Whoever comes here has claims that the provider did sign, and asks whether they are
//! meant for this server and hold now.

use serde_json::{Map, Value};

use crate::time::{DurationMs, Timestamp};

/// By how much the clocks of the provider and of this server may differ.
const LEEWAY: DurationMs = DurationMs::from_secs(30);
/// The longest subject, in bytes. OpenID Connect allows 255 characters of ASCII.
const SUBJECT_BYTES_MAX: usize = 255;

/// For whom a token has to be.
#[derive(Debug, Clone, Copy)]
pub struct TokenRules<'a> {
    /// Who has to have issued it, letter by letter.
    pub issuer: &'a str,
    /// For whom it has to be: one of them is enough.
    pub audiences: &'a [String],
}

/// Why a token lets nobody in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// Somebody else has issued it.
    #[error("`iss` is not the configured issuer")]
    Issuer,
    /// It is for somebody else.
    #[error("`aud` does not name this server")]
    Audience,
    /// It does not say when it ends, or a time of it is no time.
    #[error("`exp`, `nbf` or `iat` is missing or not a number")]
    Times,
    /// It has ended.
    #[error("it has expired")]
    Expired,
    /// It begins later.
    #[error("it is not valid yet")]
    Early,
    /// It does not say for whom it stands, or at too great length.
    #[error("`sub` is missing or invalid")]
    Subject,
    /// It is the answer to another sign-in.
    #[error("`nonce` does not match this sign-in")]
    Nonce,
}

/// Whether a token with these claims lets its subject in. Times that are there have to be numbers: what cannot be read
/// never counts as absent.
pub fn check_token(
    claims: &Map<String, Value>,
    rules: &TokenRules<'_>,
    now: Timestamp,
) -> Result<(), TokenFault> {
    if claims.get("iss").and_then(Value::as_str) != Some(rules.issuer) {
        return Err(TokenFault::Issuer);
    }
    let is_ours =
        |audience: &Value| audience.as_str().is_some_and(|name| rules.audiences.iter().any(|a| a == name));
    let is_for_us = match claims.get("aud") {
        Some(Value::Array(names)) => names.iter().any(is_ours),
        Some(name) => is_ours(name),
        None => false,
    };
    if !is_for_us {
        return Err(TokenFault::Audience);
    }
    let expires_at = instant(claims, "exp")?.ok_or(TokenFault::Times)?;
    if now >= expires_at.plus(LEEWAY) {
        return Err(TokenFault::Expired);
    }
    if instant(claims, "nbf")?.is_some_and(|begins_at| now.plus(LEEWAY) < begins_at) {
        return Err(TokenFault::Early);
    }
    instant(claims, "iat")?;
    let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default();
    let is_usable =
        (1..=SUBJECT_BYTES_MAX).contains(&subject.len()) && !subject.chars().any(char::is_control);
    if is_usable { Ok(()) } else { Err(TokenFault::Subject) }
}

/// Whether an identity token answers the sign-in that has this nonce.
pub fn check_nonce(claims: &Map<String, Value>, nonce: &str) -> Result<(), TokenFault> {
    let is_ours = claims.get("nonce").and_then(Value::as_str) == Some(nonce);
    if is_ours { Ok(()) } else { Err(TokenFault::Nonce) }
}

/// A time in seconds since 1970, with fractions cut.
fn instant(claims: &Map<String, Value>, name: &str) -> Result<Option<Timestamp>, TokenFault> {
    /// The end of the year 9999.
    const SECONDS_MAX: f64 = 253_402_300_799.0;
    match claims.get(name) {
        None => Ok(None),
        Some(value) => {
            let seconds = value.as_f64().filter(|seconds| (0.0..=SECONDS_MAX).contains(seconds));
            seconds.map(|seconds| Some(Timestamp(seconds as i64 * 1_000))).ok_or(TokenFault::Times)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn check(change: &Value) -> Result<(), TokenFault> {
        let mut claims = json!({
            "iss": "https://id.example", "aud": "trunkline", "sub": "ann", "exp": 1_800_000_600, "iat": 1_800_000_000
        });
        for (name, value) in change.as_object().expect("changes") {
            if value.is_null() {
                claims.as_object_mut().expect("claims").remove(name);
            } else {
                claims[name] = value.clone();
            }
        }
        let audiences = ["other".to_owned(), "trunkline".to_owned()];
        let rules = TokenRules { issuer: "https://id.example", audiences: &audiences };
        check_token(claims.as_object().expect("claims"), &rules, NOW)
    }

    #[test]
    fn a_token_is_for_us_and_holds_now() {
        for change in [
            json!({}),
            json!({"aud": ["a", "other"]}),
            json!({"exp": 1_799_999_971.5}),
            json!({"nbf": 1_800_000_030}),
            json!({"iat": null}),
        ] {
            assert_eq!(check(&change), Ok(()), "{change}");
        }
    }

    #[test]
    fn everything_else_lets_nobody_in() {
        for (change, fault) in [
            (json!({"iss": "https://id.example/"}), TokenFault::Issuer),
            (json!({"iss": null}), TokenFault::Issuer),
            (json!({"iss": ["https://id.example"]}), TokenFault::Issuer),
            (json!({"aud": "stranger"}), TokenFault::Audience),
            (json!({"aud": []}), TokenFault::Audience),
            (json!({"aud": null}), TokenFault::Audience),
            (json!({"aud": {"trunkline": true}}), TokenFault::Audience),
            (json!({"exp": null}), TokenFault::Times),
            (json!({"exp": "1800000600"}), TokenFault::Times),
            (json!({"exp": -1}), TokenFault::Times),
            (json!({"exp": 1e300}), TokenFault::Times),
            (json!({"nbf": "soon"}), TokenFault::Times),
            (json!({"iat": []}), TokenFault::Times),
            (json!({"exp": 1_799_999_970}), TokenFault::Expired),
            (json!({"nbf": 1_800_000_031}), TokenFault::Early),
            (json!({"sub": null}), TokenFault::Subject),
            (json!({"sub": ""}), TokenFault::Subject),
            (json!({"sub": "a\nb"}), TokenFault::Subject),
            (json!({"sub": "a".repeat(256)}), TokenFault::Subject),
        ] {
            assert_eq!(check(&change), Err(fault), "{change}");
        }
    }

    #[test]
    fn a_nonce_is_that_of_the_sign_in() {
        let claims = json!({"nonce": "n1"});
        let claims = claims.as_object().expect("claims");
        assert_eq!(check_nonce(claims, "n1"), Ok(()));
        assert_eq!(check_nonce(claims, "n2"), Err(TokenFault::Nonce));
        assert_eq!(check_nonce(&Map::new(), ""), Err(TokenFault::Nonce));
    }
}
