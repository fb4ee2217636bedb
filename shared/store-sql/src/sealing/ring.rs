//! The keys of payloads in memory: which seal, and which open what was sealed before.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};
use domain::names::TenantName;
use parking_lot::Mutex;
use store::executions::InboxEntry;
use store::payload_keys::{OpenPayloadKey, PayloadKey};
use store::{Closed, StoreError, StoreResult};
use uuid::Uuid;

use super::cipher;
use super::fields::{Field, Payloads, entry_payload};
use super::place::Place;
use super::table;
use crate::pool::Pool;
use crate::retry::{RetryBudget, with_retry};
use crate::starts::ClosedStarts;

/// How long keys are believed without asking. Other processes are notified of a change, and find it after this at the
/// latest.
const BELIEVED: Duration = Duration::from_secs(5);

/// What stands in lists for a payload whose key cannot be used.
const UNREADABLE: &str = r#"{"sealed":true}"#;

/// What a store knows of keys. Shared by all that use one database in this process.
#[derive(Default)]
pub(crate) struct Sealer {
    opener: Mutex<Option<Arc<dyn OpenPayloadKey>>>,
    known: Mutex<Known>,
    /// One reads keys at a time; the others go on with those that are known.
    reading: tokio::sync::Mutex<()>,
    pub(crate) closed_starts: ClosedStarts,
}

/// The keys that were read last.
#[derive(Default)]
struct Known {
    ring: Arc<Ring>,
    /// When they were asked for; `None` where they are to be read before anything else is sealed.
    read_at: Option<Instant>,
    /// How often they were forgotten.
    forgotten: u64,
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealer").finish_non_exhaustive()
    }
}

impl Sealer {
    pub(super) fn unlock(&self, opener: Arc<dyn OpenPayloadKey>) {
        *self.opener.lock() = Some(opener);
        self.forget();
    }

    /// Has keys read again at the next call. What is under way goes on with those that it began with.
    pub(crate) fn forget(&self) {
        let mut known = self.known.lock();
        known.read_at = None;
        known.forgotten += 1;
    }

    /// The keys as they were read last. Empty before [`Sealer::ring`] was called.
    pub(crate) fn current(&self) -> Arc<Ring> {
        Arc::clone(&self.known.lock().ring)
    }

    /// The keys as they were read last, if they were not forgotten since and the instant of that will do.
    fn read_at(&self, will_do: impl FnOnce(Instant) -> bool) -> Option<Arc<Ring>> {
        let known = self.known.lock();
        known.read_at.is_some_and(will_do).then(|| Arc::clone(&known.ring))
    }

    /// The keys, read again where they were not for a while. Asks for a connection: not to be called in a transaction.
    pub(crate) async fn ring(&self, pool: &Pool) -> StoreResult<Arc<Ring>> {
        let is_believed = |at: Instant| at.elapsed() < BELIEVED;
        if let Some(ring) = self.read_at(is_believed) {
            return Ok(ring);
        }
        let Some(opener) = self.opener.lock().clone() else {
            return Ok(Arc::default());
        };
        let _turn = match (self.reading.try_lock(), self.read_at(|_| true)) {
            (Ok(turn), _) => turn,
            (Err(_), Some(ring)) => return Ok(ring),
            (Err(_), None) => self.reading.lock().await,
        };
        // Whoever had the turn before may have read them.
        if let Some(ring) = self.read_at(is_believed) {
            return Ok(ring);
        }
        self.read(pool, &*opener).await
    }

    /// The keys, read now.
    pub(super) async fn fresh(&self, pool: &Pool) -> StoreResult<Arc<Ring>> {
        let Some(opener) = self.opener.lock().clone() else {
            return Ok(Arc::default());
        };
        let asked_at = Instant::now();
        let _turn = self.reading.lock().await;
        // Whoever had the turn before may have begun after this.
        if let Some(ring) = self.read_at(|at| at >= asked_at) {
            return Ok(ring);
        }
        self.read(pool, &*opener).await
    }

    async fn read(&self, pool: &Pool, opener: &dyn OpenPayloadKey) -> StoreResult<Arc<Ring>> {
        let (asked_at, forgotten) = (Instant::now(), self.known.lock().forgotten);
        let rows = with_retry(RetryBudget::repeatable(), || table::all(pool)).await?;
        let ring = Arc::new(Ring::of(&rows, opener));
        let mut known = self.known.lock();
        known.ring = Arc::clone(&ring);
        // What changed since it was asked may be missing.
        known.read_at = (known.forgotten == forgotten).then_some(asked_at);
        Ok(ring)
    }
}

/// A key that is there, or why it is not.
enum DataKey {
    Open(Box<XChaCha20Poly1305>),
    Closed(Closed),
}

impl DataKey {
    fn of(row: &PayloadKey, opener: &dyn OpenPayloadKey) -> Self {
        if row.is_destroyed() {
            return Self::Closed(Closed::Erasing);
        }
        opener.open(row).map_or_else(
            || Self::Closed(Closed::WithoutKey(row.key_id.clone())),
            |key| Self::Open(Box::new(XChaCha20Poly1305::new((&*key).into()))),
        )
    }
}

/// Keys by their ids, and which of them seals for whom.
#[derive(Default)]
pub(crate) struct Ring {
    keys: HashMap<Uuid, DataKey>,
    /// By tenant; `""` for what belongs to none.
    sealing: HashMap<String, Uuid>,
}

impl Ring {
    /// Of several keys that seal, which two calls at once may have left of the server's own, the newest does. What belongs to no
    /// tenant is sealed while payloads of any tenant are.
    fn of(rows: &[PayloadKey], opener: &dyn OpenPayloadKey) -> Self {
        let mut ring = Self::default();
        let mut rows: Vec<&PayloadKey> = rows.iter().collect();
        rows.sort_unstable_by_key(|row| (row.created_at, row.id));
        for row in rows {
            ring.keys.insert(row.id, DataKey::of(row, opener));
            if row.seals {
                ring.sealing.insert(row.tenant.as_ref().map_or("", TenantName::as_str).to_owned(), row.id);
            }
        }
        if !ring.is_sealing() {
            ring.sealing.clear();
        }
        ring
    }

    /// Whether payloads of any tenant are sealed.
    pub(crate) fn is_sealing(&self) -> bool {
        self.sealing.keys().any(|tenant| !tenant.is_empty())
    }

    /// Whether there are keys.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether payloads of a tenant are sealed.
    pub(crate) fn seals(&self, tenant: Option<&str>) -> bool {
        self.sealing.contains_key(tenant.unwrap_or_default())
    }

    /// Seals what a value carries, if payloads of its tenant are sealed. Fails where the key cannot be used: nothing is
    /// written in the clear then.
    pub(crate) fn seal(&self, tenant: Option<&str>, value: &mut impl Payloads) -> StoreResult<()> {
        let Some(&key) = self.sealing.get(tenant.unwrap_or_default()) else {
            return Ok(());
        };
        value.each(&mut |place, field| {
            let cipher = match self.keys.get(&key) {
                Some(DataKey::Open(cipher)) => cipher,
                Some(DataKey::Closed(why)) => return Err(place.closed(why)),
                None => return Err(place.without_key(key)),
            };
            match field {
                Field::Text(text) => {
                    *text = cipher::seal_text(cipher, key, place, text).ok_or_else(|| place.broken())?;
                }
                Field::Bytes(bytes) => {
                    *bytes = cipher::seal_bytes(cipher, key, place, bytes).ok_or_else(|| place.broken())?;
                }
            }
            Ok(())
        })
    }

    /// Opens what a value carries, as far as it is sealed.
    pub(crate) fn open(&self, value: &mut impl Payloads) -> StoreResult<()> {
        value.each(&mut |place, field| self.open_field(place, field))
    }

    /// The same for lists: what cannot be opened does not keep anybody from the rest.
    pub(crate) fn open_listed(&self, value: &mut impl Payloads) -> StoreResult<()> {
        value.each(&mut |place, mut field| {
            let opened = self.open_field(place, field.again());
            // What only looks sealed, because whoever sent it had it begin so, is as unreadable as what lacks its key.
            if let (Err(StoreError::Sealed { .. } | StoreError::Corrupt { .. }), Field::Text(text)) =
                (&opened, field)
            {
                UNREADABLE.clone_into(text);
                return Ok(());
            }
            opened
        })
    }

    fn open_field(&self, place: Place<'_>, field: Field<'_>) -> StoreResult<()> {
        let parts = match &field {
            Field::Text(text) if cipher::is_sealed_text(text) => cipher::text_parts(text),
            Field::Bytes(bytes) if cipher::is_sealed_bytes(bytes) => cipher::bytes_parts(bytes),
            Field::Text(_) | Field::Bytes(_) => return Ok(()),
        };
        let known = parts.as_ref().and_then(|parts| self.keys.get(&parts.key));
        let (parts, cipher) = match (parts, known) {
            (Some(parts), Some(DataKey::Open(cipher))) => (parts, cipher),
            (_, Some(DataKey::Closed(why))) => return Err(place.closed(why)),
            // Whoever sent it had it begin like this.
            (_, None) if place.is_of_any_form() => return Ok(()),
            (Some(parts), None) => return Err(place.without_key(parts.key)),
            (None, _) => return Err(place.broken()),
        };
        let plain = match parts.open(cipher, place) {
            Some(plain) => plain,
            // Whoever sent it knows the id of a key, and had it begin like this.
            None if place.is_of_any_form() => return Ok(()),
            None => return Err(place.broken()),
        };
        match field {
            Field::Text(text) => *text = String::from_utf8(plain).map_err(|_| place.broken())?,
            Field::Bytes(bytes) => *bytes = plain,
        }
        Ok(())
    }

    /// Whether a value carries something that is sealed with a key which is not known here. Another process may have made
    /// it a moment ago.
    pub(super) fn is_unknown(&self, value: &mut impl Payloads) -> bool {
        let mut is_unknown = false;
        let _ = value.each(&mut |_, field| {
            is_unknown |= key_of(&field).is_some_and(|key| !self.keys.contains_key(&key));
            Ok(())
        });
        is_unknown
    }

    /// An entry for the inbox of an execution as it is to be stored: what somebody sent is sealed. Results are sealed
    /// already, where they come from.
    pub(crate) fn sealed_entry(
        &self,
        tenant: &TenantName,
        execution: Uuid,
        entry: &InboxEntry,
    ) -> StoreResult<InboxEntry> {
        let mut entry = entry.clone();
        if let Some(text) = entry_payload(&mut entry) {
            self.seal(Some(tenant.as_str()), &mut (Place::entry(execution), text))?;
        }
        Ok(entry)
    }
}

/// Whether a value carries anything that is sealed.
pub(super) fn is_sealed(value: &mut impl Payloads) -> bool {
    let mut is_sealed = false;
    let _ = value.each(&mut |_, field| {
        is_sealed |= match &field {
            Field::Text(text) => cipher::is_sealed_text(text),
            Field::Bytes(bytes) => cipher::is_sealed_bytes(bytes),
        };
        Ok(())
    });
    is_sealed
}

fn key_of(field: &Field<'_>) -> Option<Uuid> {
    match field {
        Field::Text(text) => cipher::text_key(text),
        Field::Bytes(bytes) => cipher::bytes_key(bytes),
    }
}
