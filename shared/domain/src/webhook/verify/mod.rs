//! Verification: whether one of an endpoint's active secrets signed this request, and recently.
//!
//! `check` puts it together, `listed` reads signature headers, `timestamp` reads and judges times, `message` builds the
//! bytes that are signed out of `url` and `form`, `matching` compares. Nothing is decoded or parsed before it is
//! verified, but for the header's own grammar and for Twilio, which signs the fields of a form and not its bytes.

mod check;
mod form;
mod listed;
mod matching;
mod message;
mod timestamp;
mod url;

pub use check::{Verified, verify};
pub(super) use form::form_fields;
pub use listed::SIGNATURES_MAX;
pub(super) use matching::{is_public_key, mac};
pub(super) use message::{Message, Signing, messages};
