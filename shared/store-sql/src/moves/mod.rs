//! Moving a whole store to another database.
//!
//! The source is the authority until one commit on it says that it was moved. Before that commit a move that breaks off is
//! undone by copying again from the beginning: the target is marked as being filled, so that no server starts on it. After
//! that commit the source refuses every write by its triggers, and what is left is to mark the target as being in use.

mod capture;
mod end;
mod fault;
mod fence;
mod live;
mod offline;
mod only;
mod plan;
mod read;
mod state;
mod value;
mod write;

use fault::{ANSWERED_WITHIN, answered, answered_within, failed, refused};

pub use live::LiveMove;
pub use offline::{MoveEnd, MoveReport, MoveStep, MovedTable, Observer, move_offline};
pub use only::copy_execution;
pub(crate) use state::check as check_state;
