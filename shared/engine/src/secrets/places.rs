//! Values that rest elsewhere than in the database: in the environment of the process, and in files.

use std::io::Read as _;
use std::path::Path;

use async_trait::async_trait;
use domain::secret::SECRET_BYTES_MAX;

use crate::access::SecretText;

/// What variables that hold secrets begin with: no other one can be named.
const VARIABLE_PREFIX: &str = "TRUNKLINE_SECRET_";
/// The longest name of a variable or file, in bytes.
const NAME_BYTES_MAX: usize = 200;

/// Whether this can be the name of a variable.
pub(super) fn is_variable(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() <= NAME_BYTES_MAX
        && name
            .strip_prefix(VARIABLE_PREFIX)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_part))
}

/// Whether this can be the name of a file: a plain one, so that it does not leave the directory.
pub(super) fn is_file(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=NAME_BYTES_MAX).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(is_part)
}

/// The value of a variable; `None` where it is not set, or is none that can be sent.
pub(super) fn of_variable(name: &str, read: fn(&str) -> Option<String>) -> Option<SecretText> {
    if !is_variable(name) {
        return None;
    }
    read(name).and_then(|value| usable(&value))
}

/// What a file holds, without the line's end. Blocks.
pub(super) fn of_file(directory: &Path, name: &str) -> Option<SecretText> {
    if !is_file(name) {
        return None;
    }
    let file = std::fs::File::open(directory.join(name)).ok()?;
    let mut text = String::new();
    file.take(SECRET_BYTES_MAX as u64 + 2).read_to_string(&mut text).ok()?;
    usable(text.trim_end_matches(['\r', '\n']))
}

fn usable(value: &str) -> Option<SecretText> {
    let fits = !value.is_empty() && value.len() <= SECRET_BYTES_MAX && !value.chars().any(char::is_control);
    fits.then(|| SecretText::new(value))
}

// Values that rest in a secret manager beside this server.

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
    use super::{place_of, *};

    #[test]
    fn only_variables_that_are_meant_can_be_named() {
        assert!(is_variable("TRUNKLINE_SECRET_STRIPE"));
        for name in ["TRUNKLINE_SECRET_", "TRUNKLINE_SECRETS__KEYS", "DATABASE_URL", "TRUNKLINE_SECRET_a", ""]
        {
            assert!(!is_variable(name), "{name}");
        }
    }

    #[test]
    fn files_stay_in_their_directory() {
        assert!(is_file("stripe.key"));
        for name in ["", ".", "..", "../x", "a/b", ".hidden", "/etc/passwd", "a\0"] {
            assert!(!is_file(name), "{name}");
        }
        let directory = std::env::temp_dir();
        assert!(of_file(&directory, "../etc/passwd").is_none());
    }

    #[test]
    fn values_fit_into_a_header() {
        assert_eq!(usable("abc"), Some(SecretText::new("abc")));
        for value in ["", "a\nb", &"x".repeat(SECRET_BYTES_MAX + 1)] {
            assert_eq!(usable(value), None);
        }
    }

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
