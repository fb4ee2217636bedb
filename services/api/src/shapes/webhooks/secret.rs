//! Secrets as they are sent. No fault about one holds any of it.

use engine::SecretText;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A secret. `Debug` does not print it.
#[derive(Debug)]
pub(super) struct SecretInput(SecretText);

/// Several secrets.
#[derive(Debug)]
pub(super) struct SecretInputs(Vec<SecretText>);

impl SecretInput {
    pub(super) fn into_text(self) -> SecretText {
        self.0
    }
}

impl SecretInputs {
    pub(super) fn into_texts(self) -> Vec<SecretText> {
        self.0
    }
}

// serde's own message about a value of another type would show the value.
impl<'de> Deserialize<'de> for SecretInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(SecretText::new(text))),
            _ => Err(serde::de::Error::custom("expected a string")),
        }
    }
}

impl<'de> Deserialize<'de> for SecretInputs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = || serde::de::Error::custom("expected a list of strings");
        let Value::Array(items) = Value::deserialize(deserializer)? else {
            return Err(expected());
        };
        let texts = items.into_iter().map(|item| match item {
            Value::String(text) => Ok(SecretText::new(text)),
            _ => Err(expected()),
        });
        texts.collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn i11_no_fault_shows_a_secret() {
        for value in [json!("canary"), json!({"canary": 1}), json!(["canary", 7]), json!(4_711)] {
            let error = serde_json::from_value::<SecretInputs>(value).expect_err("no list of strings");
            assert_eq!(error.to_string(), "expected a list of strings");
        }
        let error = serde_json::from_value::<SecretInput>(json!(4_711)).expect_err("no string");
        assert_eq!(error.to_string(), "expected a string");
        let secret = serde_json::from_value::<SecretInput>(json!("canary")).expect("a secret");
        assert!(!format!("{secret:?}").contains("canary"));
        assert_eq!(secret.into_text().reveal(), "canary");
    }
}
