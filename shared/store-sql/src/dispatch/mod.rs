//! Nodes and their mode, and the shards of relays. Offers are leases: their statements are with those of jobs.

mod nodes;
mod shards;
mod verbs;
