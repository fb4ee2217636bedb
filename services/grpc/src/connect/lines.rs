//! Log lines that come with the reports of a stream: kept before the report is looked at, as those of REST are.

use domain::error::Fault;
use domain::job_log::{LogLevel, LogLine};
use domain::time::Timestamp;

use super::reports::Reader;
use crate::proto;

impl Reader<'_> {
    /// The lines of one job. Faults point below `/logs/{index}`.
    pub(super) fn lines(&self, sent: Vec<proto::LogLine>) -> Result<Vec<LogLine>, Fault> {
        let numbered = sent.into_iter().enumerate();
        let lines = numbered
            .map(|(index, line)| self.line(line).map_err(|fault| fault.under(&format!("/logs/{index}"))));
        lines.collect()
    }

    fn line(&self, sent: proto::LogLine) -> Result<LogLine, Fault> {
        let level = LogLevel::parse(&sent.level);
        let level = level.ok_or_else(|| Fault::new("/level", "expected one of debug, info, warn, error"))?;
        let at = match sent.at.as_deref() {
            Some(text) => Timestamp::parse(text)
                .ok_or_else(|| Fault::new("/at", "expected a time such as 2026-01-31T12:00:00.000Z"))?,
            // Cut to the present by the engine.
            None => Timestamp(i64::MAX),
        };
        let fields = self.json("/fields", &sent.fields)?;
        if fields.as_ref().is_some_and(|fields| !fields.starts_with('{')) {
            return Err(Fault::new("/fields", "expected a JSON object"));
        }
        Ok(LogLine { at, level, message: sent.message, fields, sequence: sent.sequence })
    }
}
