//! API keys: make, list, rotate and revoke them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::access::{KeyScopes, Network, Permission, Role};
use domain::id::KeyId;
use domain::names::TenantName;
use domain::problem::ProblemCode;
use domain::quota::QuotaKind;
use domain::time::{DurationMs, Timestamp};
use store::access::{KeyRecord, KeyRevocation, KeyRotation, KeySource};
use store::wakeup::Hint;

use super::secret_text::SecretText;
use crate::access::known_keys::digest;
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// What our keys start with.
const KEY_PREFIX: &str = "tl_";
/// How many characters of a secret are kept to distinguish keys.
pub(super) const SHOWN_CHARS: usize = 8;
/// The most networks of a key.
const NETWORKS_MAX: usize = 32;
/// The most groups of a key.
const GROUPS_MAX: usize = 32;

/// A key to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The tenant that it is bound to; that of its maker where absent.
    pub tenant: Option<TenantName>,
    /// What it may do of what its role may; all of it where absent.
    pub scopes: Option<KeyScopes>,
    /// From when on it no longer works.
    pub expires_at: Option<Timestamp>,
    /// From where it may be used; from everywhere where there are none.
    pub networks: Vec<Network>,
    /// Whether answers to it hold payloads. Where absent, those to a key that can only read do not.
    pub shows_payloads: Option<bool>,
    /// The person that it stands for, as user tasks name people.
    pub person: Option<String>,
    /// The groups that it belongs to.
    pub groups: Vec<String>,
}

impl KeyRequest {
    /// A key without any limit beside its role and its tenant.
    pub fn new(name: &str, role: Role, tenant: Option<TenantName>) -> Self {
        let name = name.to_owned();
        Self {
            name,
            role,
            tenant,
            scopes: None,
            expires_at: None,
            networks: Vec::new(),
            shows_payloads: None,
            person: None,
            groups: Vec::new(),
        }
    }

    fn hides_payloads(&self) -> bool {
        let is_read_only =
            self.role == Role::Viewer || self.scopes.as_ref().is_some_and(KeyScopes::are_read_only);
        !self.shows_payloads.unwrap_or(!is_read_only)
    }
}

impl Engine {
    /// Whether there is a key that was not revoked. Without one a server that is open lets callers on loopback in.
    pub async fn has_keys(&self) -> Result<bool, EngineError> {
        Ok(self.store().count_keys().await? > 0)
    }

    /// Makes a key without any limit beside its role and its tenant.
    pub async fn create_key(
        &self,
        caller: &Caller,
        name: &str,
        role: Role,
        tenant: Option<TenantName>,
    ) -> Result<(KeyRecord, SecretText), EngineError> {
        self.make_key(caller, KeyRequest::new(name, role, tenant)).await
    }

    /// Makes a key. The secret is in this answer and nowhere else.
    pub async fn make_key(
        &self,
        caller: &Caller,
        mut request: KeyRequest,
    ) -> Result<(KeyRecord, SecretText), EngineError> {
        caller.require(Permission::Administer)?;
        request.tenant = caller.tenant(request.tenant.take())?;
        may_make(caller, &request)?;
        let now = self.now();
        let mut faults = Faults::default();
        faults.text("/name", &request.name);
        if request.expires_at.is_some_and(|end| end <= now) {
            faults.add("/expiresAt", "expected an instant in the future");
        }
        if request.networks.len() > NETWORKS_MAX {
            faults.add("/networks", format!("expected at most {NETWORKS_MAX} networks"));
        }
        if let Some(person) = &request.person {
            faults.text("/person", person);
        }
        if request.groups.len() > GROUPS_MAX {
            faults.add("/groups", format!("expected at most {GROUPS_MAX} groups"));
        }
        for (index, group) in request.groups.iter().enumerate().take(GROUPS_MAX) {
            faults.text(&format!("/groups/{index}"), group);
        }
        faults.check()?;
        if let Some(tenant) = &request.tenant {
            self.refuse_over_quota(tenant, &[(QuotaKind::ApiKeys, 1)]).await?;
        }
        let secret = self.fresh_secret();
        let id = KeyId::from_uuid(self.entropy().uuid(now));
        let key = new_key(id, request, &secret, KeySource::Call, now);
        let audited =
            AuditedAction::new("key.create", &key.id).of(key.tenant.clone()).with(audit_detail(&key));
        self.store().create_key(&key, &[self.audit_line(caller, audited)]).await?;
        Ok((key, secret))
    }

    /// Keys, newest first, after `after`.
    pub async fn list_keys(
        &self,
        caller: &Caller,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, EngineError> {
        caller.require(Permission::Administer)?;
        Ok(self.store().list_keys(&caller.scope, after, limit).await?)
    }

    /// Revokes a key: at once here, within a second on other nodes. The last key that can manage all others stays.
    pub async fn revoke_key(&self, caller: &Caller, id: KeyId) -> Result<(), EngineError> {
        caller.require(Permission::Administer)?;
        let line = self.audit_line(caller, AuditedAction::new("key.revoke", &id));
        match self.store().revoke_key(&caller.scope, id, &[line], self.now()).await? {
            KeyRevocation::Done => {}
            KeyRevocation::NotFound => return Err(EngineError::not_found("key", &id)),
            KeyRevocation::LastAdmin => {
                return Err(EngineError::Conflict {
                    code: ProblemCode::LastAdminKey,
                    message:
                        "This is the last admin key without tenant, scopes and expiry. Create another one before you \
                         revoke it."
                            .to_owned(),
                });
            }
        }
        self.forget_keys();
        Ok(())
    }

    /// Keys are read anew, here and on other nodes.
    pub(super) fn forget_keys(&self) {
        self.memory().keys.clear();
        self.wake(&[Hint::Settings]);
    }

    /// `tl_` and 32 random bytes in the URL-safe alphabet.
    pub(crate) fn fresh_secret(&self) -> SecretText {
        SecretText::new(format!("{KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(self.entropy().secret())))
    }
}

/// Fails where a limited key would make one that may do more than itself: it could be used in its place.
fn may_make(caller: &Caller, request: &KeyRequest) -> Result<(), EngineError> {
    let Some(limits) = &caller.limits else {
        return Ok(());
    };
    let has_scopes = limits.scopes.as_ref().is_none_or(|own| {
        let asked = request.scopes.as_ref().map(KeyScopes::as_slice).unwrap_or_default();
        !asked.is_empty() && asked.iter().all(|scope| own.as_slice().contains(scope))
    });
    let has_networks = limits.networks.is_empty()
        || (!request.networks.is_empty()
            && request.networks.iter().all(|network| limits.networks.contains(network)));
    let own_groups = caller.membership.as_ref().map(|own| own.groups.as_slice()).unwrap_or_default();
    let is_nobody_else =
        request.person.is_none() && request.groups.iter().all(|group| own_groups.contains(group));
    if has_scopes && has_networks && is_nobody_else && (limits.shows_payloads || request.hides_payloads()) {
        return Ok(());
    }
    Err(EngineError::Forbidden {
        reason: "A restricted key can create only keys with the same restrictions: scopes, networks and groups among \
                           its own, no person, and no payloads if it does not see them.",
    })
}

/// A key as it is stored.
pub(super) fn new_key(
    id: KeyId,
    request: KeyRequest,
    secret: &SecretText,
    source: KeySource,
    now: Timestamp,
) -> KeyRecord {
    KeyRecord {
        id,
        hides_payloads: request.hides_payloads(),
        name: request.name,
        role: request.role,
        tenant: request.tenant,
        prefix: shown(secret),
        digest: digest(secret.reveal()),
        created_at: now,
        revoked_at: None,
        source,
        scopes: request.scopes,
        networks: request.networks,
        expires_at: request.expires_at,
        last_used_at: None,
        rotated_at: None,
        previous: None,
        person: request.person,
        groups: request.groups,
    }
}

/// The characters of a secret by which people distinguish keys.
pub(super) fn shown(secret: &SecretText) -> String {
    secret.reveal().chars().take(SHOWN_CHARS).collect()
}

/// What the audit log shows of a new key.
fn audit_detail(key: &KeyRecord) -> serde_json::Value {
    let networks: Vec<String> = key.networks.iter().map(ToString::to_string).collect();
    serde_json::json!({
        "name": key.name,
        "role": key.role.as_str(),
        "scopes": key.scopes,
        "expiresAt": key.expires_at,
        "networks": networks,
        "payloads": !key.hides_payloads,
        "person": key.person,
        "groups": key.groups,
    })
}

// Give an API key another secret, while the one before holds on for a while.

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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::access::KeyScope;

    use super::*;
    use crate::caller::KeyLimits;

    #[test]
    fn limited_keys_make_limited_keys() {
        let scope = |action: &str| KeyScope { actions: vec![action.to_owned()], ..KeyScope::default() };
        let scopes = |list: Vec<KeyScope>| KeyScopes::new(list).ok();
        let own = KeyLimits {
            scopes: scopes(vec![scope("keys.*"), scope("jobs.work")]),
            networks: Network::parse("10.0.0.0/8").into_iter().collect(),
            shows_payloads: true,
        };
        let caller = Caller { limits: Some(Arc::new(own.clone())), ..Caller::system() };
        let asked =
            |scopes, networks| KeyRequest { scopes, networks, ..KeyRequest::new("k", Role::Worker, None) };
        assert!(may_make(&caller, &asked(scopes(vec![scope("jobs.work")]), own.networks.clone())).is_ok());
        assert!(may_make(&caller, &asked(None, own.networks.clone())).is_err());
        assert!(may_make(&caller, &asked(scopes(vec![scope("*")]), own.networks.clone())).is_err());
        assert!(may_make(&caller, &asked(scopes(vec![scope("jobs.work")]), Vec::new())).is_err());
        assert!(may_make(&Caller::system(), &asked(None, Vec::new())).is_ok());
    }

    #[test]
    fn keys_that_can_only_read_see_no_payloads_unless_they_are_to() {
        let hides = |role, action: Option<&str>, shows_payloads| {
            let scope =
                action.map(|action| KeyScope { actions: vec![action.to_owned()], ..KeyScope::default() });
            let scopes = scope.map(|scope| KeyScopes::new(vec![scope]).expect("fine"));
            KeyRequest { scopes, shows_payloads, ..KeyRequest::new("k", role, None) }.hides_payloads()
        };
        assert!(hides(Role::Viewer, None, None));
        assert!(!hides(Role::Viewer, None, Some(true)));
        assert!(!hides(Role::Client, None, None));
        assert!(hides(Role::Client, None, Some(false)));
        assert!(hides(Role::Admin, Some("*.read"), None));
        assert!(!hides(Role::Admin, Some("jobs.*"), None));
    }

    #[test]
    fn i11_secrets_are_not_printed() {
        assert_eq!(format!("{:?}", SecretText::new("tl_abc")), "[redacted]");
    }
}
