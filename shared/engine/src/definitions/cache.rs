//! Definitions that were compiled, by the hash of their text.

use std::sync::Arc;

use domain::workflow::definition::Definition;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

/// How much text of definitions is kept parsed, in bytes. Parsed, it takes about ten times as much.
const TEXT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What a definition counts beside its text, in bytes: about 4,000 small ones are kept.
const EACH_BYTES: u64 = 4 * 1024;

/// How many definitions are kept, about.
const DEFINITIONS_MAX: usize = 1_024;

pub(super) type Hash = [u8; 32];

/// Parsed definitions, with their compiled expressions and schemas; those that are seldom used make room.
pub(crate) struct Definitions(pub(super) Cache<Hash, Arc<Definition>, Weight>);

#[derive(Clone)]
pub(super) struct Weight;

impl Weighter<Hash, Arc<Definition>> for Weight {
    fn weight(&self, _: &Hash, definition: &Arc<Definition>) -> u64 {
        definition.canonical_json.len() as u64 + EACH_BYTES
    }
}

impl Default for Definitions {
    fn default() -> Self {
        // Of two parts, so that each can take the largest definition however many cores there are.
        let options = OptionsBuilder::new()
            .estimated_items_capacity(DEFINITIONS_MAX)
            .weight_capacity(TEXT_BYTES_MAX)
            .shards(2)
            .build()
            .unwrap_or_else(|_| unreachable!("both capacities are given"));
        let lifecycle = DefaultLifecycle::default();
        Self(Cache::with_options(options, Weight, DefaultHashBuilder::default(), lifecycle))
    }
}
