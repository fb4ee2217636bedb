//! Store and remove secrets of a tenant.

use domain::access::{Permission, TenantScope};
use domain::id::SecretId;
use domain::names::TenantName;
use domain::secret::SecretName;
use serde_json::json;
use store::secrets::{SecretPlace, SecretPut, TenantSecret};

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::secrets::read::SecretLine;
use crate::secrets::request::{Given, SecretRequest};
use crate::webhooks::unusable;

/// The most secrets of a tenant.
const SECRETS_MAX: u32 = 1_000;

impl Engine {
    /// Stores a secret, in the place of one of the same name: requests that are sent afterwards get the new value.
    /// Answers what may be shown of it, and whether it is new. Variables and files are of the machine, so that only a
    /// caller that is bound to no tenant may name them.
    pub async fn put_secret(
        &self,
        caller: &Caller,
        request: SecretRequest,
    ) -> Result<(SecretLine, bool), EngineError> {
        caller.require(Permission::Operate)?;
        let tenant = caller.tenant_or_default(request.tenant.clone())?;
        let given = request.given()?;
        let now = self.now();
        let id = SecretId::from_uuid(self.entropy().uuid(now));
        let place = match given {
            Given::Value(text) => {
                let keys = self.sealing_keys().await?;
                let sealed = keys.seal(id, text.reveal(), &self.entropy().secret()).map_err(unusable)?;
                SecretPlace::Store { key_id: keys.current().to_owned(), sealed }
            }
            Given::Environment(name) => of_machine(caller, SecretPlace::Environment(name))?,
            Given::File(name) => of_machine(caller, SecretPlace::File(name))?,
            Given::Vault(reference) => of_machine(caller, SecretPlace::Vault(reference))?,
        };
        let secret = TenantSecret {
            tenant,
            name: request.name,
            id,
            place,
            hosts: request.hosts,
            created_at: now,
            updated_at: now,
        };
        let detail = json!({ "provider": secret.place.provider(), "hosts": secret.hosts });
        let audited =
            AuditedAction::new("secret.put", &secret.name).of(Some(secret.tenant.clone())).with(detail);
        let line = self.audit_line(caller, audited);
        match self.store().put_secret(&secret, SECRETS_MAX, &[line]).await? {
            SecretPut::Created => Ok((secret.into(), true)),
            SecretPut::Replaced => Ok((secret.into(), false)),
            SecretPut::Full => Err(EngineError::Conflict {
                code: "too_many_secrets",
                message: format!("A tenant has at most {SECRETS_MAX} secrets."),
            }),
        }
    }

    /// Removes a secret. Requests that are to send it fail from then on.
    pub async fn delete_secret(
        &self,
        caller: &Caller,
        tenant: TenantName,
        name: &SecretName,
    ) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        let tenant = caller.tenant_or_default(Some(tenant))?;
        let audited = AuditedAction::new("secret.delete", name).of(Some(tenant.clone()));
        let line = self.audit_line(caller, audited);
        if self.store().delete_secret(&tenant, name, &[line]).await? {
            return Ok(());
        }
        Err(EngineError::not_found("secret", name))
    }
}

fn of_machine(caller: &Caller, place: SecretPlace) -> Result<SecretPlace, EngineError> {
    match caller.scope {
        TenantScope::All => Ok(place),
        TenantScope::One(_) => Err(EngineError::Forbidden {
            reason: "Environment variables, files and Vault paths require an API key that is not bound to a tenant.",
        }),
    }
}
