//! Webhooks: endpoints and their secrets, deliveries on their way in, and what they start.
//!
//! What is verified, what counts as a repetition and which trigger wants a delivery is decided in `domain::webhook`. On
//! the way in, `admit` limits rates, `receive` puts `classify` (pure) and `accept` (one commit) together, and `record`
//! keeps what was refused, and `hold` what is matched later; nothing else stands between a request and its answer. `matching` does the rest later, in a
//! job. Secrets rest under `sealing`, and are in the clear only in `endpoint`.

mod accept;
mod admin;
mod admit;
mod cache;
mod check;
mod classify;
mod config;
mod endpoint;
mod hold;
mod incoming;
mod load;
mod matching;
mod put_off;
mod receive;
mod replay;
mod sealing;
mod secrets;
mod sinks;
mod start;
mod test_delivery;
mod view;

pub use crate::policy::WebhookPolicy;
pub use accept::JOB_TYPE_DELIVERY;
pub use admit::{Admission, AdmittedDelivery, subscriber};
pub(crate) use cache::WebhookMemory;
pub use config::{WebhookConfig, WebhookRateLimit, WebhookRequest};
pub use incoming::{Incoming, Received, RefusedDelivery};
pub use matching::MatchedDelivery;
pub(crate) use receive::ROW_BYTES;
pub use sealing::{KeyFault, SealingKeys};
pub use secrets::RotateSecret;
pub(crate) use secrets::unusable;
pub use test_delivery::TestedWebhook;
pub use view::{MadeSecret, SavedWebhook, SecretView, WebhookView};
