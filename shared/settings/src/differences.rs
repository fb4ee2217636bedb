//! Which settings two processes, or two moments of one, do not have in common.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret, SecretString};

use crate::catalog;
use crate::load::leaves;
use crate::settings::Settings;

impl Settings {
    /// The names of the settings that have other values in `other`, in the order of the default file. Secrets are compared,
    /// and never shown.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let (own, others) = (self.values(), other.values());
        let all = catalog::paths().into_iter().map(|(path, _)| path);
        all.filter(|path| own.get(path.as_str()) != others.get(path.as_str())).collect()
    }

    fn values(&self) -> BTreeMap<String, String> {
        let table = toml::Table::try_from(self).expect("settings are tables of plain values");
        let mut values: BTreeMap<String, String> =
            leaves("", table).into_iter().map(|(path, value)| (path, value.to_string())).collect();
        for (path, secret) in self.secrets_in_full() {
            values.insert(path.to_owned(), secret);
        }
        values
    }

    /// What is masked in text forms.
    fn secrets_in_full(&self) -> Vec<(&'static str, String)> {
        let keys: Vec<&str> = self.secrets.keys.iter().map(SecretString::expose_secret).collect();
        let optional = [
            ("bootstrap_key", &self.bootstrap_key),
            ("database.listen_url", &self.database.listen_url),
            ("database.read_url", &self.database.read_url),
            ("redis.url", &self.redis.url),
            ("egress.proxy", &self.egress.proxy),
            ("oidc.client_secret", &self.oidc.client_secret),
            ("vault.token", &self.vault.token),
            ("smtp.password", &self.smtp.password),
            ("otel.headers", &self.otel.headers),
        ];
        let mut found: Vec<(&str, String)> = optional
            .into_iter()
            .filter_map(|(path, secret)| Some((path, secret.as_ref()?.expose_secret().to_owned())))
            .collect();
        found.push(("database.url", self.database.url.expose_secret().to_owned()));
        found.push(("secrets.keys", keys.join("\n")));
        let properties: Vec<&str> = self.kafka.properties.iter().map(SecretString::expose_secret).collect();
        found.push(("kafka.properties", properties.join("\n")));
        found
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use crate::catalog::SECRETS;
    use crate::settings::Settings;

    #[test]
    fn differences_are_named_also_those_of_secrets() {
        let own = Settings::default();
        assert!(own.differences(&own.clone()).is_empty());
        let mut other = own.clone();
        other.log.filter = "debug".to_owned();
        other.database.url = SecretString::from("postgres://a:one@h/d");
        assert_eq!(own.differences(&other), ["database.url", "log.filter"]);
        let mut another = other.clone();
        another.database.url = SecretString::from("postgres://a:two@h/d");
        another.secrets.keys = vec![SecretString::from("a:AA==")];
        another.redis.url = Some(SecretString::from("redis://h"));
        another.egress.tenants = vec!["acme deny *".to_owned()];
        assert_eq!(
            other.differences(&another),
            ["database.url", "redis.url", "secrets.keys", "egress.tenants"]
        );
    }

    /// Two values that are shown alike: who compares what is shown takes one for the other.
    #[test]
    fn every_secret_is_compared() {
        for path in SECRETS.into_iter().chain(["vault.token", "otel.headers"]) {
            let of = |word: &str| {
                let value = match path {
                    "secrets.keys" => format!("[\"a:{word}\"]"),
                    "kafka.properties" => format!("[\"sasl.password={word}\"]"),
                    "egress.tenants" => format!("[\"acme proxy http://{word}:1\"]"),
                    "egress.proxy" | "redis.url" => format!("\"http://ann:{word}@h\""),
                    address if address.starts_with("database.") => format!("\"postgres://ann:{word}@h/d\""),
                    _ => format!("\"{word}\""),
                };
                toml::from_str::<Settings>(&format!("{path} = {value}")).expect("one setting")
            };
            assert_eq!(of("one").differences(&of("two")), [path]);
            assert!(of("one").differences(&of("one")).is_empty(), "{path}");
        }
    }
}
