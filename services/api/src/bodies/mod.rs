//! Bodies of requests: read up to a bound, as fast as they must come, within the room that all of them share.
//!
//! Whoever sends one is refused or cut, never left to wait: a slow body holds memory, and a thousand of them all of it.

mod read;
mod room;

pub(crate) use read::{BodyBounds, BodyFault, read};
pub(crate) use room::{BodyRoom, BodyShare};
