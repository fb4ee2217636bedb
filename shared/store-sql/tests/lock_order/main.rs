//! The order of locks on PostgreSQL (see the module `lock_order` of the crate): nobody who waits for a job holds the row
//! that serialises claims, upkeep and claims wait for no job at all, and what changes the same jobs from two nodes never
//! waits in a circle.

mod circles;
mod fixture;
mod waiting;
