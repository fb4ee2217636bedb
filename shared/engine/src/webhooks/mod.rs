//! Webhooks: endpoints and their secrets, deliveries on their way in, and what they start.
//!
//! What is verified, what counts as a repetition and which trigger wants a delivery is decided in `domain::webhook`. On
//! the way in, `admit` limits rates, `receive` puts `classify` (pure) and `accept` (one commit) together, and `record`
//! keeps what was refused, and `hold` what is matched later; nothing else stands between a request and its answer. `matching` does the rest later, in a
//! job. Secrets rest under `sealing`, and are in the clear only in `endpoint`.

mod accept;
mod admit;
mod cache;
mod check;
mod classify;
mod config;
mod create;
mod delete;
mod deliveries;
mod encoding;
mod endpoint;
mod hold;
mod keys;
mod matching;
mod memory;
mod pause;
mod policy;
mod put_off;
mod read;
mod receive;
mod record;
mod replay;
mod request;
mod reseal;
mod rotate;
mod sealing;
mod start;
mod test_delivery;
mod update;
mod view;

pub use accept::JOB_TYPE_DELIVERY;
pub use admit::{Admission, AdmittedDelivery, subscriber};
pub use config::{WebhookConfig, WebhookRateLimit};
pub(crate) use keys::unusable;
pub use matching::MatchedDelivery;
pub(crate) use memory::WebhookMemory;
pub use policy::WebhookPolicy;
pub(crate) use receive::ROW_BYTES;
pub use receive::{Incoming, Received, RefusedDelivery};
pub use request::WebhookRequest;
pub use rotate::RotateSecret;
pub use sealing::{KeyFault, SealingKeys};
pub use test_delivery::TestedWebhook;
pub use view::{MadeSecret, SavedWebhook, SecretView, WebhookView};
