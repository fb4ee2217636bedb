//! Runs a definition on paper: the same `advance` as in use, with results that the caller gives in the place of handlers,
//! people and the world. Nothing is stored, no job is made, and no time passes: the clock jumps to what comes next.
//!
//! `script` is what the caller gives, `arrivals` which waits its events end, `context` what expressions see of the execution, `open` what the run still waits for, `run`
//! goes from event to event.

mod arrivals;
mod context;
mod open;
mod run;
mod script;

#[cfg(test)]
mod tests;

pub use open::{Awaited, WaitingFor};
pub use run::{EVENTS_MAX, Simulated, SimulatedRound, TooMuch, simulate};
pub use script::{MockEvent, MockOutcome, MockResult, MockSignal, Script};
