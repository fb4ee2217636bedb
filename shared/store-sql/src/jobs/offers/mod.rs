//! Offers: leases of relays, which workers accept.
//!
//! Whatever asks for offers compares the holder's name with `trunkline-relay/`
//! ([`HOLDER_PREFIX`](domain::dispatch::HOLDER_PREFIX)).

mod accept;
mod standing;

pub(crate) use accept::accept;
pub(crate) use standing::{claimable_types, figures, jobs, keep, standing};
