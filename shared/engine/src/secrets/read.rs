//! Which secrets a tenant has. Never their values.

use domain::access::Permission;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::secrets::{SecretPlace, TenantSecret};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

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
