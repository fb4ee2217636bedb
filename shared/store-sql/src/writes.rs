//! Which writes this process has begun and ended, so that a read that found nothing is believed until one comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts what writes through a pool: once before it has a connection and once after.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writes(Arc<AtomicU64>);

/// How many there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(u64);

/// A write under way, or the beginning of a transaction.
#[derive(Debug)]
pub(crate) struct Write<'a>(&'a AtomicU64);

impl Writes {
    /// Counts one that begins, and once more when the answer is dropped.
    pub(crate) fn enter(&self) -> Write<'_> {
        self.0.fetch_add(1, Ordering::AcqRel);
        Write(&self.0)
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark(self.0.load(Ordering::Acquire))
    }
}

impl Drop for Write<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}
