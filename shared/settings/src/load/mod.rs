//! From layers to settings: read each layer, check each value where it came from, merge, check the whole.

mod check;
mod environment;
mod error;
mod file;
mod flags;
mod layer;
mod merge;

pub use environment::{process_environment, secret_variable};
pub use error::{Origin, SettingsError};
pub use flags::Flags;
pub use merge::load;

pub(crate) use layer::leaves;
