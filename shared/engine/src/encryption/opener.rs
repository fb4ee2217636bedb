//! What opens the payload keys of tenants.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::id::SecretId;
use store::payload_keys::{OpenPayloadKey, PayloadKey};
use zeroize::Zeroizing;

use crate::webhooks::SealingKeys;

/// For processes without keys in their settings: what is sealed stays closed.
pub(crate) struct NoKeys;

impl OpenPayloadKey for NoKeys {
    fn open(&self, _key: &PayloadKey) -> Option<Zeroizing<[u8; 32]>> {
        None
    }
}

impl OpenPayloadKey for SealingKeys {
    fn open(&self, key: &PayloadKey) -> Option<Zeroizing<[u8; 32]>> {
        let text = self.open(SecretId::from_uuid(key.id), &key.key_id, &key.sealed).ok()?;
        let mut opened = Zeroizing::new([0_u8; 32]);
        let bytes = Zeroizing::new(STANDARD.decode(text.as_bytes()).ok()?);
        (bytes.len() == opened.len()).then(|| opened.copy_from_slice(&bytes))?;
        Some(opened)
    }
}
