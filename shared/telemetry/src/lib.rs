//! Logs, metrics and the names of both.
//!
//! This crate installs the process-wide log subscriber and metrics recorder, and says what each metric means. It serves
//! nothing: the server answers `/metrics` with [`MetricsHandle::render`].

mod catalog;
mod labels;
mod latency;
mod logs;
mod metrics;
pub mod names;
mod process;
mod text;

pub use catalog::{describe, record_each};
pub use labels::{
    JobLabels, LabelOptions, OTHER, has_optional_labels, of_job, of_job_type, set_label_options,
};
pub use latency::{JobTime, TextFormat, record_job_time};
pub use logs::{LogFilter, LogFormat, LogsError, init_logs};
pub use metrics::{MetricsHandle, install_metrics};
