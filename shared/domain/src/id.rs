//! Ids: UUIDs inside, prefixed text (`job_…`) at the edges only.
//!
//! Ids that an execution or a request spawns are derived from their parent, so that doing the same thing twice
//! inserts one row. This module makes no random ids; the shell passes them in.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::time::Timestamp;

/// When an id was made, or the one that it is derived from: both begin with the 48 bits of UUIDv7 that count milliseconds
/// (RFC 9562 §5.7).
pub fn made_at(id: Uuid) -> Timestamp {
    Timestamp(i64::try_from(id.as_u128() >> 80).unwrap_or(i64::MAX))
}

/// The least id of an instant: none that is made then or later is less. For an instant before 1970 it is that of 1970.
pub fn first_at(instant: Timestamp) -> Uuid {
    Uuid::from_u128(u128::try_from(instant.0).unwrap_or(0).min((1 << 48) - 1) << 80)
}

/// What an [`Id`] identifies; only gives the prefix.
pub trait Kind {
    /// The text before the underscore, such as `job`.
    const PREFIX: &'static str;
}

/// A typed id. Sorts by creation time, as UUIDv7 does.
pub struct Id<K> {
    uuid: Uuid,
    kind: PhantomData<fn() -> K>,
}

impl<K> Id<K> {
    /// Wraps a UUID that the shell made.
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self { uuid, kind: PhantomData }
    }

    /// The UUID inside, for the store.
    pub const fn uuid(self) -> Uuid {
        self.uuid
    }
}

impl<K: Kind> Id<K> {
    /// Derives an id from a parent's and a path of parts. The first 48 bits (the time of UUIDv7) are the parent's,
    /// so that derived ids keep their place in an index; the rest is SHA-256 over parent and parts.
    /// Parts are length-prefixed in the hash: `["ab", "c"]` and `["a", "bc"]` differ.
    pub fn derive(parent: Uuid, parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        hash.update(K::PREFIX.as_bytes());
        hash.update(parent.as_bytes());
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        let digest = hash.finalize();
        let mut bytes = [0_u8; 16];
        bytes.copy_from_slice(&digest[..16]);
        bytes[..6].copy_from_slice(&parent.as_bytes()[..6]);
        // Version 8 (custom, RFC 9562 §5.8) and the RFC variant.
        bytes[6] = (bytes[6] & 0x0f) | 0x80;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        Self::from_uuid(Uuid::from_bytes(bytes))
    }

    /// Reads the prefixed text form. Returns `None` for any other prefix or shape.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix(K::PREFIX)?.strip_prefix('_')?;
        if hex.len() != 32 || !hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
            return None;
        }
        Uuid::try_parse(hex).ok().map(Self::from_uuid)
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.uuid.cmp(&other.uuid)
    }
}
impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}
impl<K: Kind> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", K::PREFIX, self.uuid.simple())
    }
}
impl<K: Kind> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl<K: Kind> serde::Serialize for Id<K> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de, K: Kind> serde::Deserialize<'de> for Id<K> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("expected {}_ and 32 hex digits", K::PREFIX)))
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $alias:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $kind {}
        impl Kind for $kind {
            const PREFIX: &'static str = $prefix;
        }
        $(#[$doc])*
        pub type $alias = Id<$kind>;
    )*};
}

kinds! {
    /// A unit of work.
    JobKind JobId "job";
    /// One run of a workflow.
    ExecutionKind ExecutionId "exe";
    /// A dead letter.
    DeadLetterKind DeadLetterId "dlq";
    /// An API key.
    KeyKind KeyId "key";
    /// An event of the change feed or the audit log.
    EventKind EventId "evt";
    /// A bulk operation.
    BatchKind BatchId "bat";
    /// A schedule.
    ScheduleKind ScheduleId "sch";
    /// A webhook endpoint.
    WebhookKind WebhookId "whk";
    /// A webhook delivery.
    DeliveryKind DeliveryId "dlv";
    /// A secret of a webhook endpoint.
    SecretKind SecretId "sec";
    /// A trigger of events.
    TriggerKind TriggerId "trg";
    /// An alert.
    AlertKind AlertId "alt";
    /// A silence of alerts.
    SilenceKind SilenceId "sil";
    /// A notification about an alert.
    NotificationKind NotificationId "ntf";
    /// A process of the deployment.
    ServerKind ServerId "srv";
    /// A saved view.
    ViewKind ViewId "viw";
    /// What the tenant and the name of a worker give.
    WorkerKind WorkerKey "wrk";
    /// A command to an execution.
    CommandKind CommandId "cmd";
}

/// The random token of one lease. Whoever shows it may write on the job; nobody else may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeaseToken(pub Uuid);

impl LeaseToken {
    /// Reads the text form shown to workers (a hyphenated or plain UUID).
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }
}

impl fmt::Display for LeaseToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_begin_with_their_instant() {
        let instant = Timestamp(1_795_176_000_123);
        assert_eq!(made_at(Uuid::from_u128((1_795_176_000_123_u128 << 80) | 7)), instant);
        assert_eq!(made_at(first_at(instant)), instant);
        assert!(first_at(instant) <= Uuid::from_u128((1_795_176_000_123_u128 << 80) | 7));
    }

    /// An instant that does not fit stays at its end of the order.
    #[test]
    fn instants_that_no_id_can_have_are_held_to_the_bounds() {
        assert_eq!(first_at(Timestamp(-1)), Uuid::nil());
        assert_eq!(made_at(first_at(Timestamp(i64::MAX))), Timestamp((1 << 48) - 1));
    }
}
