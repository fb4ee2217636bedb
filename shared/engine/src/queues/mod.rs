//! Queues: figures, modes, limits.

mod figures;
mod key_rates;
mod limits;
mod mode;
mod scaling;

pub use key_rates::KeyRateRequest;
pub use limits::{LimitEdit, LimitEdits, LimitLine, LimitPart, LimitTarget, RateEdit};
pub(crate) use mode::ModeCache;
pub(crate) use scaling::LoadCache;
pub use scaling::ScalingView;
