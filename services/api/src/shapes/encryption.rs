//! How the payloads of a tenant rest.

use domain::time::Timestamp;
use engine::{EncryptionView, PayloadKeyView};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A change of the encryption of a tenant.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EncryptionRequest)]
pub(crate) struct EncryptionBody {
    /// Whether payloads are encrypted from now on.
    pub(crate) enabled: bool,
}

/// The encryption of a tenant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TenantEncryption)]
pub(crate) struct EncryptionResponse {
    /// Whether payloads are encrypted from now on. Payloads that are already stored do not change.
    enabled: bool,
    /// Keys of the tenant, newest first.
    keys: Vec<PayloadKeyResponse>,
}

/// A key for payloads, without the key itself.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PayloadKey)]
pub(crate) struct PayloadKeyResponse {
    id: String,
    /// Name of the key in `secrets.keys` that encrypts this key.
    sealed_with: String,
    /// Whether the responding server has that key.
    usable: bool,
    /// Whether new payloads are encrypted with it. Other keys only decrypt.
    current: bool,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<EncryptionView> for EncryptionResponse {
    fn from(view: EncryptionView) -> Self {
        Self { enabled: view.is_enabled, keys: view.keys.into_iter().map(Into::into).collect() }
    }
}

impl From<PayloadKeyView> for PayloadKeyResponse {
    fn from(key: PayloadKeyView) -> Self {
        Self {
            id: key.id.to_string(),
            sealed_with: key.sealed_with,
            usable: key.is_usable,
            current: key.seals,
            created_at: key.created_at,
        }
    }
}
