//! A clock that skips: what of this process holds it, and how it is moved on. For development servers only; `domain::time_skip`
//! decides.

mod clock;
mod drive;

pub(crate) use clock::WaitingOwner;
pub use clock::{RequestInWork, TimeSkip};
pub use drive::{TimeMove, TimeMoved};
