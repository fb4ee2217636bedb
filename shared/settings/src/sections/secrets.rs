//! The keys under which secrets rest.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::values::secret;

/// The keys that secrets of webhooks are sealed with.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecretSettings {
    /// Keys as `name:base64`, of 32 bytes each. The first seals, all open. Empty: a key that the database keeps.
    #[serde(with = "secret::keys")]
    pub keys: Vec<SecretString>,
}
