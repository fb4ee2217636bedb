//! Logs, metrics and the names of both.
//!
//! This crate installs the process-wide log subscriber and metrics recorder, and says what each metric means. It serves
//! nothing: the server answers `/metrics` with [`MetricsHandle::render`].

mod catalog;
mod logs;
mod metrics;
pub mod names;
mod process;

pub use catalog::describe;
pub use logs::{LogFormat, LogsError, init_logs};
pub use metrics::{MetricsHandle, install_metrics};
