//! What a node remembers between claims, where it may be wrong: other nodes claim, leases end, jobs go back to older
//! places, limits and modes change. The claim that follows has to be as exact as one that counts.
#![expect(clippy::disallowed_methods, reason = "tests make ids of their own")]

mod eager;
mod fixture;
mod hints;
mod memory;
mod nodes;
mod order;
