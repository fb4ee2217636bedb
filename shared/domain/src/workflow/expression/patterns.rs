//! Regular expressions: what one compiles to is bounded, and what was compiled is kept, up to a weight.
//!
//! A pattern of a few bytes may compile to megabytes (`\pL{1000}`). The size is found by compiling with rising bounds:
//! the first that suffices is the size.

use std::sync::LazyLock;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use regex::{Error, Regex, RegexBuilder};

/// The longest pattern, in bytes of text.
const TEXT_BYTES_MAX: usize = 16 * 1024;

/// The most that one pattern compiles to, in bytes.
pub(super) const PATTERN_BYTES_MAX: usize = 256 * 1024;

/// The most that the patterns of a definition compile to together, in bytes.
const PATTERNS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The bounds that are tried.
const SIZES: [usize; 4] = [4 * 1024, 16 * 1024, 64 * 1024, PATTERN_BYTES_MAX];

/// What a pattern may use beside that while it runs, in bytes; beyond it, it is slower.
pub(super) const RUNNING_BYTES_MAX: usize = 128 * 1024;

/// How much of compiled patterns is kept, in bytes.
const KEPT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// How many patterns are kept, about.
const KEPT_MAX: usize = 1_024;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// The pattern.
    pub(super) regex: Regex,
    /// About what it takes, in bytes.
    pub(super) bytes: usize,
}

/// Why a pattern was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PatternFault {
    /// It is no pattern.
    #[error("the pattern must be a regular expression without look-around and back-references")]
    Syntax,
    /// It is too large.
    #[error(
        "the pattern is too large: it may have {TEXT_BYTES_MAX} bytes of text and compile to {PATTERN_BYTES_MAX} bytes; \
         repeat less, or classes of fewer characters"
    )]
    TooLarge,
    /// All of a definition are.
    #[error(
        "the patterns of a definition may compile to {PATTERNS_BYTES_MAX} bytes together; use fewer or simpler ones"
    )]
    TooMany,
}

/// Counts what the patterns of a definition compile to.
#[derive(Debug, Default)]
pub(crate) struct PatternCount {
    bytes: usize,
}

impl PatternCount {
    /// Compiles a pattern of the crate `regex` to see what it takes, in bytes. That there are too many is reported once;
    /// what comes after that is not checked.
    pub(crate) fn take(&mut self, text: &str) -> Result<usize, PatternFault> {
        if self.bytes > PATTERNS_BYTES_MAX {
            return Ok(0);
        }
        let compiled = compile(text);
        let bytes = match &compiled {
            Ok(pattern) => pattern.bytes,
            Err(PatternFault::Syntax) => SIZES[0],
            // Finding that out took as much as the largest.
            Err(_) => PATTERN_BYTES_MAX,
        };
        self.bytes += bytes;
        compiled?;
        if self.bytes > PATTERNS_BYTES_MAX { Err(PatternFault::TooMany) } else { Ok(bytes) }
    }
}

/// Compiles a pattern of the crate `regex`.
pub(super) fn compile(text: &str) -> Result<Pattern, PatternFault> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(PatternFault::TooLarge);
    }
    for bytes in SIZES {
        match RegexBuilder::new(text).size_limit(bytes).dfa_size_limit(RUNNING_BYTES_MAX).build() {
            Ok(regex) => return Ok(Pattern { regex, bytes }),
            Err(Error::CompiledTooBig(_)) => {}
            Err(_) => return Err(PatternFault::Syntax),
        }
    }
    Err(PatternFault::TooLarge)
}

type Kept = Result<Pattern, PatternFault>;

#[derive(Clone)]
struct Weight;

impl Weighter<String, Kept> for Weight {
    fn weight(&self, text: &String, kept: &Kept) -> u64 {
        let bytes = kept.as_ref().map_or(0, |pattern| pattern.bytes + RUNNING_BYTES_MAX / 4);
        (text.len() + bytes + 128) as u64
    }
}

static KEPT: LazyLock<Cache<String, Kept, Weight>> = LazyLock::new(|| {
    // Of two parts, so that each can take the largest pattern however many cores there are.
    let options = OptionsBuilder::new()
        .estimated_items_capacity(KEPT_MAX)
        .weight_capacity(KEPT_BYTES_MAX)
        .shards(2)
        .build()
        .unwrap_or_else(|_| unreachable!("both capacities are given"));
    Cache::with_options(options, Weight, DefaultHashBuilder::default(), DefaultLifecycle::default())
});

/// The pattern, and whether it had to be compiled for this.
pub(super) fn compiled(text: &str) -> (Kept, bool) {
    if let Some(kept) = KEPT.get(text) {
        return (kept, false);
    }
    let kept = compile(text);
    if text.len() <= TEXT_BYTES_MAX {
        KEPT.insert(text.to_owned(), kept.clone());
    }
    (kept, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many patterns tenants use, what is kept of them has a bound, and those in use are not compiled again.
    #[test]
    fn compiled_patterns_are_kept_up_to_a_weight() {
        for number in 0..2 * KEPT_MAX {
            assert!(compiled(&format!("^kept [0-9]{{{}}}x{number}$", number % 50)).0.is_ok());
            assert!(KEPT.weight() <= KEPT_BYTES_MAX, "{} bytes after {number} patterns", KEPT.weight());
        }
        let (long, again) = ("a".repeat(TEXT_BYTES_MAX + 1), "^in use$");
        assert_eq!(compiled(&long).0.err(), Some(PatternFault::TooLarge));
        assert!(KEPT.get(&long).is_none(), "what is too long is not even kept as refused");
        compiled(again).0.expect("it is a pattern");
        assert!(!compiled(again).1, "it was compiled a moment ago");
    }
}
