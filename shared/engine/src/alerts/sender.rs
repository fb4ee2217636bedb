//! What carries notifications out of the process.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

/// What carries notifications out of the process. Keeps to the rules of egress.
#[async_trait]
pub trait AlertSender: Send + Sync {
    /// Posts JSON. Answers the status, or why there is none.
    async fn post(&self, url: &str, headers: &[(&str, String)], body: String) -> Result<u16, String>;

    /// Sends a mail through the mail server of the settings. Answers why it was not taken.
    async fn mail(&self, mail: AlertMail) -> Result<(), String>;
}

/// A mail about an alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertMail {
    /// The same for each try, so that a mail that was taken twice is known as one.
    pub id: String,
    /// Whom it is for.
    pub to: Vec<String>,
    /// The subject, one line.
    pub subject: String,
    /// The text.
    pub text: String,
}

/// Where the sender is, once there is one.
#[derive(Default)]
pub(crate) struct SenderSlot(pub(super) OnceLock<Arc<dyn AlertSender>>);
