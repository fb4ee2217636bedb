//! Tokens for OAUTHBEARER, from a file that somebody else keeps fresh, such as a projected token of Kubernetes.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rdkafka::client::OAuthToken;
use serde::Deserialize;

/// For how long a token counts that does not say when it ends. It is read again after most of that.
const LIFETIME_UNKNOWN_MS: i64 = 300_000;
/// Who the client is where neither the token nor the setting says so.
const PRINCIPAL: &str = "trunkline";

/// A token cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TokenError {
    /// The property does not say where it is.
    #[error("sasl.oauthbearer.config must be token_file=PATH, or token_file=PATH principal=NAME")]
    Config,
    /// The file cannot be read.
    #[error("the token file {path} cannot be read")]
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is nothing in it.
    #[error("the token file {0} is empty")]
    Empty(PathBuf),
}

/// What `sasl.oauthbearer.config` says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Source<'a> {
    file: Option<&'a str>,
    principal: Option<&'a str>,
}

impl<'a> Source<'a> {
    fn parse(config: &'a str) -> Option<Self> {
        let mut source = Self::default();
        for part in config.split_whitespace() {
            match part.split_once('=')? {
                ("token_file", path) => source.file = Some(path),
                ("principal", name) => source.principal = Some(name),
                _ => return None,
            }
        }
        Some(source)
    }
}

/// Those claims of a token that matter here. Whether it is genuine, the broker decides.
#[derive(Debug, Default, Deserialize)]
struct Claims {
    sub: Option<String>,
    exp: Option<f64>,
}

/// Reads the token.
pub(crate) fn read(config: Option<&str>, now_ms: i64) -> Result<OAuthToken, TokenError> {
    let source = config.and_then(Source::parse).ok_or(TokenError::Config)?;
    let path = PathBuf::from(source.file.ok_or(TokenError::Config)?);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => return Err(TokenError::File { path, source: error }),
    };
    let token = text.trim();
    if token.is_empty() {
        return Err(TokenError::Empty(path));
    }
    let claims = claims(token);
    let principal = source.principal.map(str::to_owned).or(claims.sub);
    let ends_at = claims.exp.map(|seconds| (seconds * 1_000.0) as i64);
    Ok(OAuthToken {
        token: token.to_owned(),
        principal_name: principal.unwrap_or_else(|| PRINCIPAL.to_owned()),
        lifetime_ms: ends_at.unwrap_or(now_ms.saturating_add(LIFETIME_UNKNOWN_MS)),
    })
}

/// The claims of a JWT; none where it is another kind of token.
fn claims(token: &str) -> Claims {
    let payload = token.split('.').nth(1).and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
    payload.and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token_of(content: &str, extra: &str) -> Result<OAuthToken, TokenError> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(&file, content).expect("the file can be written");
        read(Some(&format!("token_file={}{extra}", file.path().display())), 1_000)
    }

    #[test]
    fn a_jwt_says_who_and_until_when() {
        let jwt = format!("e30.{}.", URL_SAFE_NO_PAD.encode(r#"{"sub":"relay","exp":1700000000}"#));
        let token = token_of(&format!("{jwt}\n"), "").expect("a token");
        assert_eq!((token.token, token.principal_name.as_str()), (jwt.clone(), "relay"));
        assert_eq!(token.lifetime_ms, 1_700_000_000_000);
        assert_eq!(token_of(&jwt, " principal=other").expect("a token").principal_name, "other");
    }

    #[test]
    fn other_tokens_are_read_again_soon() {
        let token = token_of("opaque", "").expect("a token");
        assert_eq!((token.principal_name.as_str(), token.lifetime_ms), (PRINCIPAL, 301_000));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for config in [None, Some(""), Some("principal=x"), Some("file=/x"), Some("token_file")] {
            assert!(matches!(read(config, 0), Err(TokenError::Config)), "{config:?}");
        }
        assert!(matches!(read(Some("token_file=/no/such/file"), 0), Err(TokenError::File { .. })));
        assert!(matches!(token_of(" \n", ""), Err(TokenError::Empty(_))));
    }
}
