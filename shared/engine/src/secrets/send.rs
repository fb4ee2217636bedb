//! The values of secrets, for the request that sends them.

use domain::names::TenantName;
use domain::secret::SecretName;
use store::secrets::{SecretPlace, TenantSecret};

use crate::access::SecretText;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::secrets::manager::place_of;
use crate::secrets::places::{of_file, of_variable};
use crate::webhooks::unusable;

/// A secret that is about to be sent.
#[derive(Debug, Clone)]
pub struct SendableSecret {
    /// Its name.
    pub name: SecretName,
    /// Its value.
    pub value: SecretText,
    /// The hosts that it may be sent to.
    pub hosts: Vec<String>,
}

impl Engine {
    /// The secrets of these names, for a request of a tenant's workflow. One that the tenant does not have, or whose
    /// variable or file is not there, is not found. Nobody but the sender of requests calls this; it is recorded in the
    /// audit log, once a minute for each secret.
    pub async fn secrets_to_send(
        &self,
        tenant: &TenantName,
        names: &[SecretName],
    ) -> Result<Vec<SendableSecret>, EngineError> {
        let stored = self.store().secrets_of(tenant, names).await?;
        let mut sendable = Vec::with_capacity(names.len());
        for name in names {
            let secret = stored.iter().find(|secret| secret.name == *name);
            let secret = secret.ok_or_else(|| EngineError::not_found("secret", name))?;
            let value = self.value_of(secret).await?;
            let value = value.ok_or_else(|| EngineError::not_found("value of the secret", name))?;
            self.record_secret_use(tenant, name);
            sendable.push(SendableSecret { name: name.clone(), value, hosts: secret.hosts.clone() });
        }
        Ok(sendable)
    }

    async fn value_of(&self, secret: &TenantSecret) -> Result<Option<SecretText>, EngineError> {
        match &secret.place {
            SecretPlace::Store { key_id, sealed } => {
                let keys = self.sealing_keys().await?;
                let text = keys.open(secret.id, key_id, sealed).map_err(unusable)?;
                Ok(Some(SecretText::new(text.as_str())))
            }
            SecretPlace::Environment(name) => Ok(of_variable(name, self.secret_variable())),
            SecretPlace::Vault(reference) => {
                let (Some(manager), Some((path, field))) = (self.secret_manager(), place_of(reference))
                else {
                    return Ok(None);
                };
                match manager.value(path, field).await {
                    Ok(value) => Ok(value),
                    Err(fault) => {
                        tracing::warn!(
                            secret.name = secret.name.as_str(),
                            error = &fault as &dyn std::error::Error,
                            "a secret cannot be read from the secret manager"
                        );
                        Err(EngineError::NotReached { what: "secret manager" })
                    }
                }
            }
            SecretPlace::File(name) => {
                let Some(directory) = self.policy().secrets_directory.clone() else {
                    return Ok(None);
                };
                let name = name.clone();
                let read = tokio::task::spawn_blocking(move || of_file(&directory, &name)).await;
                Ok(read.unwrap_or_default())
            }
        }
    }
}
