//! What a node, an item of a `MAP` or a compensation does: one file for each family of types.
//!
//! `read` looks at the type and says which types and fields may stand where; `work` reads the types that do something
//! by themselves or by a handler, `request` what an HTTP node sends, `waits` those that wait for the clock, a signal or
//! a callback, `event` those that wait for events, `people` user tasks, `list` what is done for each item, `child` other workflows, and `switch` the
//! choice of a way.

mod child;
mod event;
mod list;
mod people;
mod read;
mod request;
mod switch;
mod waits;
mod work;

pub(super) use read::{Place, read_kind};
pub(crate) use request::{METHODS, is_http};
