//! Events: triggers, and nodes that wait.
//!
//! Who waits writes a row in the step that begins the wait, and looks for events that came before once the step is
//! committed; who receives an event stores it first and looks for rows afterwards. Whichever of the two is committed
//! later sees the other.

mod look_back;
mod triggers;
mod wake;

pub(crate) mod waits;

mod verbs;
