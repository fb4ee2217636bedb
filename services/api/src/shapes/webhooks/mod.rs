//! Webhook endpoints: what is sent to save one, how one is shown, and what its verbs answer.

mod act;
mod body;
mod byte_count;
mod dedupe;
mod gather;
mod scheme;
mod secret;
mod shape;
mod trigger;

pub(crate) use act::{RotateSecretBody, RotatedResponse, TestedResponse};
pub(crate) use body::WebhookBody;
pub(crate) use gather::{BatchDocument, DebounceDocument, ThrottleDocument};
pub(crate) use shape::{SavedWebhookResponse, WebhookResponse};
