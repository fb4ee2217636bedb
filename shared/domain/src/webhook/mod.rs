//! Webhooks: whether a request is what its sender signed, whether it came before, and what it is about.
//!
//! A [`Provider`] is a row of data: its [`Scheme`]s, where its event types and delivery ids stand, how long it retries.
//! [`verify`] is one pure function over ([`SchemeConfig`], secrets, [`RequestParts`], time); [`guards`] gives the keys
//! by which a repeated delivery is known; [`handshake`] answers what providers ask before they send events. The order
//! on a request is: [`verify`], [`handshake`], [`guards`], [`locator`], [`request`], and later, for a
//! stored delivery, [`Trigger::decide`]; only [`challenge`] comes before,
//! for the one handshake that arrives by GET and is not signed.
//! Nothing here stores, sends, starts an execution or keeps a rate.

mod config;
mod dedupe;
mod delivery;
mod handshake;
mod identity;
mod key;
mod locator;
mod preset;
mod provider;
mod redact;
mod rejection;
mod request;
mod sample;
mod scheme;
mod secret;
mod settings;
mod template;
mod trigger;
mod verify;

#[cfg(test)]
mod tests;

pub use config::SchemeConfig;
pub use dedupe::{
    DEDUPE_WINDOW_MAX, DEDUPE_WINDOW_MIN, Dedupe, DedupeFault, DedupeOn, Guard, Guards, guards,
};
pub use delivery::{DeliverySource, DeliveryStatus};
pub use handshake::{CHALLENGE_BYTES_MAX, HandshakeAnswer, HandshakeRefusal, challenge, handshake};
pub use identity::{event_type, provider_id};
pub use key::{Algorithm, KeyForm};
pub use locator::{Locator, LocatorFault};
pub use provider::Provider;
pub use redact::{REDACTED, redact, redact_query};
pub use rejection::Rejection;
pub use request::{HEADER_BYTES_MAX, RequestParts};
pub use sample::{Sample, SignFault, Signer, TestKey, sample, sign, test_key};
pub use scheme::{Content, Encoding, Scheme, TimestampSource, TimestampUnit, UrlForm};
pub use secret::{
    SECRET_BYTES_MAX, SECRET_BYTES_MIN, Secret, SecretFault, SecretWarning, check_secret, make_secret,
};
pub use settings::{SchemeSettings, TOLERANCE_MAX};
pub use template::{Placeholder, Template, TemplateFault};
pub use trigger::{
    Admission, BATCH_SIZE_MAX, BatchConfig, DebounceConfig, DeliveryEvent, EventPattern, EventSource,
    Gathered, Gathering, Keys, PatternFault, StartEnd, TRIGGER_ID_BYTES_MAX, ThrottleConfig, Trigger,
    TriggerConfig, TriggerError, fill_ids, put_off_line, with_end,
};
pub use verify::{SIGNATURES_MAX, Verified, verify};
