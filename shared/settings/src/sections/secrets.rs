//! The keys under which secrets rest, and secret managers beside this server.

use domain::time::DurationMs;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::values::secret;

/// The keys that secrets of webhooks and of tenants are sealed with, and where else secrets of tenants are.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecretSettings {
    /// Keys as `name:base64`, of 32 bytes each. The first seals, all open. Empty: a key that the database keeps.
    #[serde(with = "secret::keys")]
    pub keys: Vec<SecretString>,
    /// Where files that hold secrets of tenants are; empty for nowhere.
    pub directory: String,
}

// A secret manager that keeps secrets of tenants.

/// A secret manager with the HTTP interface of Vault.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VaultSettings {
    /// Its address; empty for none.
    pub address: String,
    /// The token that lets this server in.
    #[serde(with = "secret::optional_key", skip_serializing_if = "Option::is_none")]
    pub token: Option<SecretString>,
    /// The file that holds the token, where it is not given; empty for none.
    pub token_file: String,
    /// Where the key-value store is mounted.
    pub mount: String,
    /// The namespace; empty for none.
    pub namespace: String,
    /// The file of authorities of TLS beside those of the system, as PEM; empty for none.
    pub tls_ca: String,
    /// How long a secret that was read counts.
    pub cache: DurationMs,
}

impl Default for VaultSettings {
    fn default() -> Self {
        Self {
            address: String::new(),
            token: None,
            token_file: String::new(),
            mount: "secret".to_owned(),
            namespace: String::new(),
            tls_ca: String::new(),
            cache: DurationMs::from_secs(30),
        }
    }
}

impl VaultSettings {
    /// Whether there is one.
    pub const fn is_on(&self) -> bool {
        !self.address.is_empty()
    }
}
