//! Parsed definitions, kept by content hash. Content never changes under a hash, so nothing here goes stale.

use std::collections::HashMap;
use std::sync::Arc;

use domain::workflow::definition::Definition;
use domain::workflow::parse::parse_stored;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use store::StoreError;

use crate::error::EngineError;

/// How many definitions are kept.
const DEFINITIONS_MAX: usize = 256;

/// Parsed definitions; the one that was not used for longest makes room.
#[derive(Default)]
pub(crate) struct Definitions(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    by_hash: HashMap<[u8; 32], (Arc<Definition>, u64)>,
    uses: u64,
}

impl Definitions {
    /// The definition of a canonical text that was stored. `row` names it in the error, should it be damaged.
    pub(crate) fn get(&self, canonical_json: &str, row: &str) -> Result<Arc<Definition>, EngineError> {
        let hash: [u8; 32] = Sha256::digest(canonical_json.as_bytes()).into();
        if let Some(found) = self.find(&hash) {
            return Ok(found);
        }
        let parsed = parse_stored(canonical_json).map_err(|_faults| unreadable(canonical_json, row))?;
        let definition = Arc::new(parsed);
        self.keep(hash, &definition);
        Ok(definition)
    }

    fn find(&self, hash: &[u8; 32]) -> Option<Arc<Definition>> {
        let mut kept = self.0.lock();
        kept.uses += 1;
        let uses = kept.uses;
        kept.by_hash.get_mut(hash).map(|(definition, used)| {
            *used = uses;
            Arc::clone(definition)
        })
    }

    fn keep(&self, hash: [u8; 32], definition: &Arc<Definition>) {
        let mut kept = self.0.lock();
        if kept.by_hash.len() >= DEFINITIONS_MAX {
            let oldest = kept.by_hash.iter().min_by_key(|(_, (_, used))| *used).map(|(hash, _)| *hash);
            if let Some(oldest) = oldest {
                kept.by_hash.remove(&oldest);
            }
        }
        let uses = kept.uses;
        kept.by_hash.insert(hash, (Arc::clone(definition), uses));
    }
}

/// What is wrong with a stored definition. It was checked when it was registered: one that is JSON and has no meaning here is
/// of a later version.
fn unreadable(canonical_json: &str, row: &str) -> StoreError {
    let (table, column, row) = ("workflow", "content", row.to_owned());
    match serde_json::from_str::<serde::de::IgnoredAny>(canonical_json) {
        Ok(_) => StoreError::Later { table, column, row },
        Err(_) => StoreError::Corrupt { table, column, row },
    }
}
