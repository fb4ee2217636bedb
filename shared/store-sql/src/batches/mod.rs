//! Bulk operations: their rows, the entries of their objects, and changes that commit with an entry.

pub(crate) mod entry;
mod items;
mod prune;
mod rows;
mod table;
mod verbs;

pub(crate) use rows::batch_of;

pub(crate) use table::create;
