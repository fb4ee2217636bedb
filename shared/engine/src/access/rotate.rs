//! Give an API key another secret, while the one before holds on for a while.

use domain::access::Permission;
use domain::id::KeyId;
use domain::time::DurationMs;
use store::access::{KeyRecord, KeyRotation};

use crate::access::authenticate::digest;
use crate::access::keys::shown;
use crate::access::secret_text::SecretText;
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How long the secret of before holds where nobody says.
const OVERLAP_DEFAULT: DurationMs = DurationMs::from_secs(24 * 60 * 60);
/// The longest overlap.
const OVERLAP_MAX: DurationMs = DurationMs::from_secs(30 * 24 * 60 * 60);

impl Engine {
    /// Gives a key another secret, which is in this answer and nowhere else. Id, rights and idempotency keys stay. The
    /// secret of before holds for `overlap` (24 h where absent), one that still held from an earlier rotation no more.
    pub async fn rotate_key(
        &self,
        caller: &Caller,
        id: KeyId,
        overlap: Option<DurationMs>,
    ) -> Result<(KeyRecord, SecretText), EngineError> {
        caller.require(Permission::Administer)?;
        if caller.limits.is_some() && caller.actor != id.to_string() {
            return Err(EngineError::Forbidden { reason: "An API key with scopes can rotate only itself." });
        }
        let overlap = overlap.unwrap_or(OVERLAP_DEFAULT);
        let mut faults = Faults::default();
        faults.within("/overlap", overlap, DurationMs::ZERO, OVERLAP_MAX);
        faults.check()?;
        let now = self.now();
        let secret = self.fresh_secret();
        let rotation = KeyRotation {
            id,
            prefix: shown(&secret),
            digest: digest(secret.reveal()),
            previous_until: now.plus(overlap),
        };
        let detail = serde_json::json!({ "overlap": overlap });
        let line = self.audit_line(caller, AuditedAction::new("key.rotate", &id).with(detail));
        let rotated = self.store().rotate_key(&caller.scope, &rotation, &[line], now).await?;
        let key = rotated.ok_or_else(|| EngineError::not_found("valid key", &id))?;
        self.forget_keys();
        Ok((key, secret))
    }
}
