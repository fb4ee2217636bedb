//! Reports: tables in Markdown, the same as data, charts, and a summary over all scenarios.

mod chart;
mod data;
mod format;
mod judge;
mod summary;
mod table;
mod write;

pub(crate) use data::{Comparison, Line, Report};
pub(crate) use format::number;
pub(crate) use judge::Target;
pub(crate) use summary::summarize;
pub(crate) use write::write;
