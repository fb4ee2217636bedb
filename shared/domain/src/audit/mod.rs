//! The audit log as a chain that nobody changes unseen.

mod canonical;
mod chain;

pub use canonical::{canonical, canonical_object};
pub use chain::{
    BEFORE_THE_FIRST, ChainCheck, ChainFault, FirstBad, Hash, Link, Seal, from_hex, seal, seal_of, to_hex,
};
