//! Values that rest in a secret manager beside this server.

use async_trait::async_trait;

use crate::access::SecretText;

/// The longest path in a secret manager, in bytes.
const PATH_BYTES_MAX: usize = 200;

/// A secret manager.
#[async_trait]
pub trait SecretManager: Send + Sync {
    /// The value of a field of the secret at a path; `None` where there is none that can be sent.
    async fn value(&self, path: &str, field: &str) -> Result<Option<SecretText>, SecretManagerFault>;
}

/// Why a secret manager gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum SecretManagerFault {
    /// It does not let this server in, or not to this secret.
    #[error("the secret manager refuses access")]
    Refused,
    /// It cannot be asked, or answers what nobody can use.
    #[error("the secret manager cannot be used: {0}")]
    Unavailable(String),
}

/// Path and field of a reference such as `apps/stripe#token`; `None` for any other text. A path has plain parts, so that it
/// leads nowhere else than it says.
pub(super) fn place_of(reference: &str) -> Option<(&str, &str)> {
    let (path, field) = reference.split_once('#')?;
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    (path.len() <= PATH_BYTES_MAX && field.len() <= 100 && path.split('/').all(is_part) && is_part(field))
        .then_some((path, field))
}

#[cfg(test)]
mod tests {
    use super::place_of;

    #[test]
    fn references_lead_where_they_say() {
        assert_eq!(place_of("apps/acme/stripe#token"), Some(("apps/acme/stripe", "token")));
        for reference in [
            "",
            "apps",
            "apps#",
            "#token",
            "/apps#token",
            "apps/#token",
            "a//b#c",
            "../sys#x",
            "a/../b#c",
            "a?b#c",
            "a#b#c",
            "a/%2e%2e#b",
            "a b#c",
        ] {
            assert_eq!(place_of(reference), None, "{reference}");
        }
        assert_eq!(place_of(&format!("{}#x", "a".repeat(201))), None);
    }
}
