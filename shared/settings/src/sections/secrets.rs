//! The keys under which secrets rest.

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
