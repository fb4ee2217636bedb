//! How large a definition, and what stands in it, may be.

use crate::time::DurationMs;
use crate::workflow::expression::EXPRESSION_BYTES_MAX;

/// How large a definition may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefinitionLimits {
    /// The text, and its canonical form, in bytes.
    pub size_bytes_max: usize,
    /// How many nodes it lists.
    pub nodes_max: usize,
    /// One expression, in bytes.
    pub expression_bytes_max: usize,
}

impl Default for DefinitionLimits {
    fn default() -> Self {
        Self { size_bytes_max: 1024 * 1024, nodes_max: 1_000, expression_bytes_max: EXPRESSION_BYTES_MAX }
    }
}

/// The most expressions of a definition. Compiled, the shortest takes a hundred times as much memory as its text.
pub(in crate::workflow) const EXPRESSIONS_MAX: usize = 10_000;

/// The largest version: what a 32-bit signed column holds.
pub(in crate::workflow) const VERSION_MAX: u32 = i32::MAX as u32;

/// The most retries of a job.
pub(in crate::workflow) const RETRIES_MAX: u32 = 100;

/// The largest factor of a backoff.
pub(in crate::workflow) const FACTOR_MAX: f64 = 1_000.0;

/// The longest wait: a leap year.
pub(in crate::workflow) const DELAY_MAX: DurationMs = DurationMs(366 * 24 * 3600 * 1000);

/// The most rounds of `repeat`.
pub(in crate::workflow) const ROUNDS_MAX: u32 = 10_000;

/// The most items of one `MAP`, and the most that it may work on at once.
pub(in crate::workflow) const MAP_ITEMS_MAX: u32 = 10_000;

/// How many types of events one node may wait for.
pub(in crate::workflow) const EVENTS_MAX: usize = 16;
