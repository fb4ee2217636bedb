//! Reading JSON that comes from outside: what serde does not check, and faults that point at their place.
//!
//! `scan` looks at the raw text before anything is built from it, `parse` makes values of it, `raw` carries parts of
//! it along unread.

mod parse;
mod pointer;
mod raw;
mod scan;

pub(crate) use parse::{check_syntax, parse, present};
pub(crate) use pointer::{fault_at, pointer_of};
pub(crate) use raw::{RawJson, Veil, payloads_are_shown, veiled};
pub(crate) use scan::scan;
