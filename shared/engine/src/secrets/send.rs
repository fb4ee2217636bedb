//! The values of secrets, for the request that sends them.

use domain::names::TenantName;
use domain::secret::{SECRET_BYTES_MAX, SecretName, are_hosts};
use store::secrets::{SecretPlace, TenantSecret};

use crate::access::SecretText;
use crate::bounds::Faults;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::secrets::places::{is_file, is_variable, of_file, of_variable, place_of};
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

// What is asked of a secret, and whether it can be.

/// Where the value of a secret comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Given {
    Value(SecretText),
    Environment(String),
    File(String),
    Vault(String),
}

/// A secret to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretRequest {
    /// Whose it is; that of the caller where absent.
    pub tenant: Option<TenantName>,
    /// Its name.
    pub name: SecretName,
    /// The value itself. One of this, `environment`, `file` and `vault`.
    pub value: Option<SecretText>,
    /// The variable that holds it in the environment of whoever sends it.
    pub environment: Option<String>,
    /// The file that holds it, below the directory of the settings.
    pub file: Option<String>,
    /// The path in the secret manager that holds it, with a field behind `#`.
    pub vault: Option<String>,
    /// The hosts that it may be sent to: names, `*.example.com`, addresses.
    pub hosts: Vec<String>,
}

impl SecretRequest {
    /// What is given, if all of it can be used.
    pub(super) fn given(&self) -> Result<Given, EngineError> {
        let mut faults = Faults::default();
        if !are_hosts(&self.hosts) {
            faults.add(
                "/hosts",
                "expected 1 to 16 hosts that it may be sent to, such as api.example.com or *.example.com, in lower case",
            );
        }
        let given = match (&self.value, &self.environment, &self.file, &self.vault) {
            (Some(value), None, None, None) => {
                let text = value.reveal();
                // It has to fit into a header, and must not change what stands around it.
                if text.is_empty() || text.len() > SECRET_BYTES_MAX || text.chars().any(char::is_control) {
                    let message =
                        format!("expected 1 to {SECRET_BYTES_MAX} bytes without control characters");
                    faults.add("/value", message);
                }
                Some(Given::Value(value.clone()))
            }
            (None, Some(name), None, None) => {
                if !is_variable(name) {
                    let message = "expected the name of a variable that begins with TRUNKLINE_SECRET_";
                    faults.add("/environment", message);
                }
                Some(Given::Environment(name.clone()))
            }
            (None, None, Some(name), None) => {
                if !is_file(name) {
                    faults.add("/file", "expected the name of a file in the directory of secrets.directory");
                }
                Some(Given::File(name.clone()))
            }
            (None, None, None, Some(reference)) => {
                if place_of(reference).is_none() {
                    faults.add("/vault", "expected a path and a field, such as apps/stripe#token");
                }
                Some(Given::Vault(reference.clone()))
            }
            _ => {
                faults.add("", "expected one of value, environment, file and vault");
                None
            }
        };
        faults.check()?;
        given.ok_or_else(|| EngineError::invalid("", "expected one of value, environment, file and vault"))
    }
}
