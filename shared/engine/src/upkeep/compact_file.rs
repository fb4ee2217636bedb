//! Care for the database's file, where it is ours to look after: space is given back and the log kept short, a bounded
//! step at a time.

use domain::sqlite_maintenance::FileBounds;
use store::operations::LogState;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

impl Engine {
    /// One bounded step. Answers whether there is more to do at once.
    pub async fn tend_file_tick(&self) -> Result<bool, EngineError> {
        let Some(report) = self.store().compact_file(&FileBounds::default()).await? else {
            return Ok(false);
        };
        metrics::file(&report.figures);
        match report.log {
            LogState::Within => {}
            LogState::Emptied => {
                tracing::debug!(bytes = report.figures.log_bytes, "the log of the database was emptied");
            }
            LogState::Held => tracing::warn!(
                bytes = report.figures.log_bytes,
                "the log of the database grows and cannot be emptied: a reader holds it"
            ),
        }
        Ok(report.has_more)
    }
}
