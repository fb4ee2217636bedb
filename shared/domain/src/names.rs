//! Names that come from outside, checked once at the edge.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The text was not a valid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NameFault(pub &'static str);

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $check:path, $help:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Checks the text and wraps it.
            pub fn parse(text: impl Into<String>) -> Result<Self, NameFault> {
                let text = text.into();
                if $check(&text) { Ok(Self(text)) } else { Err(NameFault($help)) }
            }

            /// Wraps text that was checked when it was stored.
            pub fn trusted(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.0)
            }
        }
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::parse(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }
    )*};
}

names! {
    /// A tenant's name.
    TenantName, is_name, "expected a tenant name: a letter or digit, then at most 62 letters, digits, '_' or '-'";
    /// A workflow's name.
    WorkflowName, is_name, "expected a workflow name: a letter or digit, then at most 62 letters, digits, '_' or '-'";
    /// The id of a node within a definition.
    NodeId, is_name, "expected a node id: a letter or digit, then at most 62 letters, digits, '_' or '-'";
    /// What kind of work a job is; the handler is chosen by it.
    JobType, is_job_type, "expected a job type: a letter or digit, then at most 126 letters, digits, '_', '-', '.', ':' or '/'";
    /// The random name of one worker process, chosen by the worker.
    WorkerId, is_label, "expected 1 to 200 printable characters";
    /// A key chosen by the caller (unique key, concurrency key, idempotency key).
    CallerKey, is_label, "expected 1 to 200 printable characters";
    /// A schedule's name, unique within its tenant.
    ScheduleName, is_label, "expected 1 to 200 printable characters";
    /// The name of an event that is sent to this server.
    EventName, is_event_name, "expected an event name: a letter or digit, then at most 127 letters, digits, '_', '-', '.' or '/'";
    /// What a delivery is about, as a provider or a sender of events calls it.
    EventType, is_event_type, "expected an event type: 1 to 200 printable characters other than `*`";
    /// A trigger's name, unique within its tenant.
    TriggerName, is_label, "expected 1 to 200 printable characters";
    /// The name of a searchable attribute, unique within its tenant.
    AttributeName, is_attribute_name, "expected an attribute name: a letter, then at most 62 letters, digits or '_'";
    /// A tag on a job or an execution.
    Tag, is_label, "expected 1 to 200 printable characters";
}

/// The tenant of callers that name none.
pub const TENANT_DEFAULT: &str = "default";

/// `[A-Za-z0-9][A-Za-z0-9_-]{0,62}`.
fn is_name(text: &str) -> bool {
    matches_shape(text, 63, |byte| matches!(byte, b'_' | b'-'))
}

/// As a name, longer, and with the separators that teams use to group handlers.
fn is_job_type(text: &str) -> bool {
    matches_shape(text, 127, |byte| matches!(byte, b'_' | b'-' | b'.' | b':' | b'/'))
}

/// What can stand in paths and in patterns of triggers.
fn is_event_name(text: &str) -> bool {
    matches_shape(text, 128, |byte| matches!(byte, b'_' | b'-' | b'.' | b'/'))
}

fn is_event_type(text: &str) -> bool {
    is_label(text) && !text.contains('*')
}

/// `[A-Za-z][A-Za-z0-9_]{0,62}`.
fn is_attribute_name(text: &str) -> bool {
    matches_shape(text, 63, |byte| byte == b'_') && text.as_bytes()[0].is_ascii_alphabetic()
}

fn matches_shape(text: &str, len_max: usize, extra: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    !bytes.is_empty()
        && bytes.len() <= len_max
        && bytes[0].is_ascii_alphanumeric()
        && bytes.iter().all(|&byte| byte.is_ascii_alphanumeric() || extra(byte))
}

fn is_label(text: &str) -> bool {
    (1..=200).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}
