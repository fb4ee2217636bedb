//! Moves of a store to another database, with the real binary and real kills.

mod helpers;
mod live;
mod offline;
mod page;
