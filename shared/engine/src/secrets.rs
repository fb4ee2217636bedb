//! Secrets of tenants: stored sealed, or elsewhere, and given to nobody but the request that sends them.

mod places;
mod send;

use domain::access::{Permission, TenantScope};
use domain::id::SecretId;
use domain::names::TenantName;
use domain::problem::ProblemCode;
use domain::secret::SecretName;
use domain::time::Timestamp;
use serde_json::json;
use store::secrets::{SecretPlace, SecretPut, TenantSecret};

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::webhooks::{SealingKeys, unusable};
use send::Given;

pub use places::{SecretManager, SecretManagerFault};
pub use send::{SecretRequest, SendableSecret};

// Store and remove secrets of a tenant.

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
                code: ProblemCode::TooManySecrets,
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

// Which secrets a tenant has. Never their values.

/// What may be shown of a secret: never its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretLine {
    /// Whose it is.
    pub tenant: TenantName,
    /// Its name.
    pub name: String,
    /// `store`, `environment`, `file` or `vault`.
    pub provider: &'static str,
    /// The variable, the file, or the path in the secret manager.
    pub reference: Option<String>,
    /// The hosts that it may be sent to.
    pub hosts: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl From<TenantSecret> for SecretLine {
    fn from(secret: TenantSecret) -> Self {
        let provider = secret.place.provider();
        let reference = match secret.place {
            SecretPlace::Store { .. } => None,
            SecretPlace::Environment(name) | SecretPlace::File(name) | SecretPlace::Vault(name) => Some(name),
        };
        Self {
            tenant: secret.tenant,
            name: secret.name.to_string(),
            provider,
            reference,
            hosts: secret.hosts,
            created_at: secret.created_at,
            updated_at: secret.updated_at,
        }
    }
}

impl Engine {
    /// The secrets of a tenant by name, after `after`.
    pub async fn list_secrets(
        &self,
        caller: &Caller,
        tenant: TenantName,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<SecretLine>, EngineError> {
        caller.require(Permission::Operate)?;
        let tenant = caller.tenant_or_default(Some(tenant))?;
        let secrets = self.store().list_secrets(&tenant, after, limit).await?;
        Ok(secrets.into_iter().map(SecretLine::from).collect())
    }
}

// Reseal: secrets of tenants that rest under another key than the current one are sealed again.

impl Engine {
    /// One bounded step. Answers whether there may be more. Secrets whose key is not there stay as they are.
    pub(crate) async fn reseal_tenants(&self) -> Result<bool, EngineError> {
        let keys = self.sealing_keys().await?;
        let limit = self.policy().upkeep_batch;
        let stale = self.store().tenant_secrets_sealed_otherwise(keys.current(), limit).await?;
        let mut resealed = 0_u32;
        for secret in &stale {
            if let Some(secret) = self.resealed_of_tenant(keys, secret) {
                self.store().reseal_tenant_secret(&secret).await?;
                resealed += 1;
            }
        }
        if resealed > 0 {
            tracing::info!(secrets = resealed, key = keys.current(), "tenant secrets were re-encrypted");
        }
        Ok(resealed > 0 && stale.len() >= limit as usize)
    }

    fn resealed_of_tenant(&self, keys: &SealingKeys, secret: &TenantSecret) -> Option<TenantSecret> {
        let SecretPlace::Store { key_id, sealed } = &secret.place else {
            return None;
        };
        let text = keys.open(secret.id, key_id, sealed);
        match text.and_then(|text| keys.seal(secret.id, &text, &self.entropy().secret())) {
            Ok(sealed) => {
                let place = SecretPlace::Store { key_id: keys.current().to_owned(), sealed };
                Some(TenantSecret { place, ..secret.clone() })
            }
            Err(error) => {
                tracing::warn!(
                    secret.name = %secret.name,
                    error = &error as &dyn std::error::Error,
                    "a tenant's secret cannot be re-encrypted"
                );
                None
            }
        }
    }
}
