//! Alerts, and the mail server that sends them.

use domain::time::DurationMs;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::values::secret;

/// How often alert rules are evaluated, and how often notifications are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlertSettings {
    /// How often rules are evaluated.
    pub evaluate_every: DurationMs,
    /// Waits between tries to send a notification.
    pub backoff: AlertBackoffSettings,
}

/// Waits between tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlertBackoffSettings {
    /// The first wait.
    pub initial: DurationMs,
    /// By what each next wait is longer.
    pub factor: u32,
    /// The longest wait.
    pub max: DurationMs,
    /// How often a notification is tried in all.
    pub tries: u32,
}

impl Default for AlertSettings {
    fn default() -> Self {
        Self { evaluate_every: DurationMs::from_secs(15), backoff: AlertBackoffSettings::default() }
    }
}

impl Default for AlertBackoffSettings {
    fn default() -> Self {
        Self { initial: DurationMs::from_secs(5), factor: 4, max: DurationMs::from_secs(3_600), tries: 10 }
    }
}

// The mail server of alerts.

/// The server that takes mail about alerts.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SmtpSettings {
    /// Its name; empty for none.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is protected.
    pub encryption: SmtpEncryption,
    /// Who signs in; empty for nobody.
    pub username: String,
    /// What signs in.
    #[serde(with = "secret::optional_key", skip_serializing_if = "Option::is_none")]
    pub password: Option<SecretString>,
    /// The sender of mails.
    pub from: String,
    /// The file of authorities of TLS beside those of the system, as PEM; empty for none.
    pub tls_ca: String,
}

/// How a connection to a mail server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SmtpEncryption {
    /// By TLS, which the server is asked for after the connection; without it nothing is sent.
    Starttls,
    /// By TLS from the first byte.
    Tls,
    /// Not at all.
    None,
}

impl Default for SmtpSettings {
    fn default() -> Self {
        Self {
            host: String::new(),
            port: 587,
            encryption: SmtpEncryption::Starttls,
            username: String::new(),
            password: None,
            from: String::new(),
            tls_ca: String::new(),
        }
    }
}

impl SmtpSettings {
    /// Whether there is one.
    pub const fn is_on(&self) -> bool {
        !self.host.is_empty()
    }
}
