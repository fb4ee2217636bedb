//! Serde forms of secrets: read as text, written masked.
//!
//! A value of the wrong type is refused without being repeated, because it is most likely the secret.

use secrecy::{ExposeSecret, SecretString};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

const REDACTED: &str = "[redacted]";

fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretString, D::Error> {
    String::deserialize(deserializer).map(SecretString::from).map_err(|_| D::Error::custom("expected text"))
}

/// A key, of which nothing is shown.
pub(crate) mod optional_key {
    use super::{Deserializer, REDACTED, SecretString, read};
    use serde::Serializer;

    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(
        key: &Option<SecretString>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match key {
            Some(_) => serializer.serialize_str(REDACTED),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<SecretString>, D::Error> {
        read(deserializer).map(Some)
    }
}

/// Named keys, of which only the names are shown. One that has no name may be a key by itself, and shows nothing.
pub(crate) mod keys {
    use super::{Deserialize, Deserializer, Error, ExposeSecret, REDACTED, SecretString};
    use serde::Serializer;

    pub(crate) fn serialize<S: Serializer>(keys: &[SecretString], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(keys.iter().map(|key| match key.expose_secret().split_once(':') {
            Some((name, _)) => format!("{name}:{REDACTED}"),
            None => REDACTED.to_owned(),
        }))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<SecretString>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)
            .map_err(|_| D::Error::custom("expected a list of texts"))?;
        Ok(texts.into_iter().map(SecretString::from).collect())
    }
}

/// An address, of which all but the password is shown.
pub(crate) mod address {
    use super::{Deserializer, ExposeSecret, SecretString, mask_address, read};
    use serde::Serializer;

    pub(crate) fn serialize<S: Serializer>(address: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&mask_address(address.expose_secret()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretString, D::Error> {
        read(deserializer)
    }
}

/// An address that may be absent.
pub(crate) mod optional_address {
    use super::{Deserializer, SecretString, address, read};
    use serde::Serializer;

    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(
        url: &Option<SecretString>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match url {
            Some(url) => address::serialize(url, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<SecretString>, D::Error> {
        read(deserializer).map(Some)
    }
}

/// The address with its password, and secrets among its parameters, replaced.
///
/// Everything up to the last `@` counts as credentials: a password with an unescaped `/` or `?` is a mistake, but no
/// reason to show half of it.
pub(crate) fn mask_address(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (credentials, place) = match rest.rfind('@') {
        Some(at) => (Some(&rest[..at]), &rest[at + 1..]),
        None => (None, rest),
    };
    let credentials = credentials.map_or_else(String::new, |text| match text.split_once(':') {
        Some((user, _)) => format!("{user}:{REDACTED}@"),
        None => format!("{text}@"),
    });
    let place = match place.split_once('?') {
        Some((before, parameters)) => format!("{before}?{}", mask_parameters(parameters)),
        None => place.to_owned(),
    };
    format!("{scheme}://{credentials}{place}")
}

fn mask_parameters(parameters: &str) -> String {
    let masked = parameters.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _))
            if ["pass", "secret", "token"].iter().any(|word| name.to_lowercase().contains(word)) =>
        {
            format!("{name}={REDACTED}")
        }
        _ => pair.to_owned(),
    });
    masked.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::mask_address;

    #[test]
    fn passwords_in_addresses_are_masked() {
        for (url, masked) in [
            ("sqlite://data/trunkline.db", "sqlite://data/trunkline.db"),
            ("sqlite::memory:", "sqlite::memory:"),
            ("postgres://ann@db/x", "postgres://ann@db/x"),
            ("postgres://ann:s3cret@db:5432/x", "postgres://ann:[redacted]@db:5432/x"),
            ("postgres://ann:a:b/c?d@db/x", "postgres://ann:[redacted]@db/x"),
            ("postgres://db/x?user=ann&password=s3cret", "postgres://db/x?user=ann&password=[redacted]"),
            ("redis://:s3cret@cache", "redis://:[redacted]@cache"),
        ] {
            assert_eq!(mask_address(url), masked, "{url}");
        }
    }
}
