//! Triggers: which deliveries of an endpoint start which workflow, and with what input.
//!
//! `config` is what a user writes, `compile` finds every fault in it, `event` is what expressions see of a delivery, and
//! `matching` decides. The same delivery always comes to the same: no clock, no randomness, bounded work. Starting the
//! workflow is the engine's.

mod compile;
mod config;
mod event;
mod gather;
mod matching;
mod outcome;
mod pattern;

#[cfg(test)]
mod tests;

pub use compile::Trigger;
pub use config::{TRIGGER_ID_BYTES_MAX, TriggerConfig, fill_ids};
pub use event::{DeliveryEvent, EventSource};
pub use gather::{
    Admission, BATCH_SIZE_MAX, BatchConfig, DebounceConfig, Gathered, Gathering, ThrottleConfig,
};
pub use matching::{Keys, TriggerError};
pub use outcome::{StartEnd, put_off_line, with_end};
pub use pattern::{EventPattern, PatternFault};
