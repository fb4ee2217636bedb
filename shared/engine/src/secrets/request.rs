//! What is asked of a secret, and whether it can be.

use domain::names::TenantName;
use domain::secret::{SECRET_BYTES_MAX, SecretName, are_hosts};

use crate::access::SecretText;
use crate::bounds::Faults;
use crate::error::EngineError;
use crate::secrets::manager::place_of;
use crate::secrets::places::{is_file, is_variable};

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
