//! `/hooks`: where the world sends its webhooks. No API key; the signature is checked.
//!
//! Rates come first, then the bytes of the body as they are, then one call of the engine. Answers say no more than
//! their sender may know. What goes wrong on our side is always 503: senders try again then, and give up for good on
//! other answers.

mod answer;
mod receive;

pub(super) use receive::router;
