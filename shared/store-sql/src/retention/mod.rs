//! Retention that somebody set: the table, and which times there are for each kind of thing.

pub(crate) mod classes;
mod table;
mod verbs;
