//! The audit log: read, sealed, checked.

use std::time::{Duration, Instant};

use domain::access::Permission;
use domain::audit::{ChainCheck, ChainFault, FirstBad, Link, to_hex};
use domain::search::Term;
use domain::time::DurationMs;
use store::audit::{AuditLine, AuditRecord};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

// Seal: rows of the audit log become rows of its chain, a few seconds after they were written.

/// How many rows are sealed at once.
const SEALED_MAX: u32 = 2_000;
/// How many rows a part has.
const PART_OF_ALL: u32 = 10_000;
/// How often the end of the chain is logged, where others may keep it.
const LOGGED_EVERY: Duration = Duration::from_hours(1);

impl Engine {
    /// One bounded step. Answers whether there is more to seal.
    pub async fn seal_audit_tick(&self) -> Result<bool, EngineError> {
        let (now, begun, times) = (self.now(), Instant::now(), &self.memory().seal_times.0);
        let look_back = times.lock().look_back(begun);
        let done = self.store().seal_audit(now.minus(look_back), SEALED_MAX).await?;
        let lag = done.oldest_left.map_or(DurationMs(0), |at| now.since(at));
        metrics::audit_sealed(done.sealed, lag);
        self.log_head(&done.head);
        if done.oldest_left.is_some() {
            return Ok(true);
        }
        times.lock().looked_back(look_back, begun);
        let Some(part) = times.lock().next_part(begun) else {
            return Ok(false);
        };
        let (done, next) = self.store().seal_audit_part(part, PART_OF_ALL, SEALED_MAX).await?;
        let lag = done.oldest_left.map_or(DurationMs(0), |at| now.since(at));
        metrics::audit_sealed(done.sealed, lag);
        times.lock().gone_through(next, begun);
        // What a part has too much of is sealed at once; the next part comes with the next look.
        Ok(done.oldest_left.is_some())
    }

    fn log_head(&self, head: &Link) {
        let mut times = self.memory().seal_times.0.lock();
        if head.seq > 0 && times.logged_at.is_none_or(|at| at.elapsed() >= LOGGED_EVERY) {
            times.logged_at = Some(Instant::now());
            tracing::info!(
                audit.seq = head.seq,
                audit.hash = to_hex(&head.hash),
                "the end of the audit chain"
            );
        }
    }
}

// Verify: a part of the chain of the audit log is checked, row by row.

/// How many rows one call checks at most.
const ROWS_MAX: u64 = 10_000;
/// How many are read at once.
const PART: u32 = 500;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// How many rows were looked at.
    pub rows: u64,
    /// The number of the first row that was to be checked.
    pub from: u64,
    /// The last row of the part that is good.
    pub last: Link,
    /// The last row of the whole chain.
    pub head: Link,
    /// The last row that retention has removed.
    pub anchor: Link,
    /// What is wrong.
    pub first_bad: Option<FirstBad>,
}

impl Engine {
    /// Checks the rows from one number to another, both included; without them, from the first that is there, and as many as
    /// one call checks. Whoever asks for the parts one after the other checks all of it.
    pub async fn verify_audit(
        &self,
        caller: &Caller,
        from: Option<u64>,
        to: Option<u64>,
    ) -> Result<ChainReport, EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_unscoped()?;
        loop {
            let report = self.verify_once(from, to).await?;
            // Retention may have removed rows after the beginning of the chain was read: that is no fault of theirs.
            if report.first_bad.is_none() || self.store().audit_chain().await?.anchor == report.anchor {
                return Ok(report);
            }
        }
    }

    async fn verify_once(&self, from: Option<u64>, to: Option<u64>) -> Result<ChainReport, EngineError> {
        let chain = self.store().audit_chain().await?;
        let first = chain.anchor.seq + 1;
        let from = from.unwrap_or(first).max(first).min(chain.head.seq + 1);
        let to = to.unwrap_or(chain.head.seq).min(chain.head.seq).min(from.saturating_add(ROWS_MAX - 1));
        let start = self.link_before(from, &chain.anchor).await?;
        let Some(start) = start else {
            let gone = FirstBad { seq: from - 1, id: None, fault: ChainFault::Missing };
            let last = Link { seq: from - 1, ..chain.anchor };
            return Ok(ChainReport {
                rows: 0,
                from,
                last,
                head: chain.head,
                anchor: chain.anchor,
                first_bad: Some(gone),
            });
        };
        let mut check = ChainCheck::behind(start);
        let mut behind = from - 1;
        while behind < to && check.first_bad().is_none() {
            let part = u32::try_from(to - behind).unwrap_or(PART).min(PART);
            let rows = self.store().audit_chain_rows(behind, part).await?;
            for row in rows.iter().filter(|row| row.seal.seq <= to) {
                let shown = row.record.as_ref().map(AuditRecord::public_row);
                check.take(&row.seal, shown.as_ref());
            }
            match rows.last() {
                Some(row) if rows.len() == part as usize => behind = row.seal.seq,
                _ => break,
            }
        }
        if to == chain.head.seq {
            check.expect_head(&chain.head);
        }
        Ok(ChainReport {
            rows: check.rows(),
            from,
            last: check.last(),
            head: chain.head,
            anchor: chain.anchor,
            first_bad: check.first_bad().cloned(),
        })
    }

    /// The row before one, as its seal says; `None` where it is gone, which the check of its own part shows.
    async fn link_before(&self, seq: u64, anchor: &Link) -> Result<Option<Link>, EngineError> {
        if seq == anchor.seq + 1 {
            return Ok(Some(*anchor));
        }
        let rows = self.store().audit_chain_rows(seq.saturating_sub(2), 1).await?;
        Ok(rows.first().filter(|row| row.seal.seq + 1 == seq).map(|row| row.seal.link()))
    }
}

// Export.

/// How many rows of the chain one part of an export looks at.
const EXPORTED_MAX: u64 = 2_000;

impl Engine {
    /// A part of the sealed lines that match terms of the list, oldest first: those behind a number of the chain. Answers the number behind
    /// which the next part begins; `None` at the end.
    pub async fn export_audit(
        &self,
        caller: &Caller,
        terms: &[Term],
        behind: u64,
    ) -> Result<(Vec<AuditLine>, Option<u64>), EngineError> {
        caller.require(Permission::Operate)?;
        let chain = self.store().audit_chain().await?;
        let behind = behind.max(chain.anchor.seq);
        let up_to = behind.saturating_add(EXPORTED_MAX);
        let lines = self.store().audit_in_order(&caller.scope, terms, behind, up_to).await?;
        Ok((lines, (up_to < chain.head.seq).then_some(up_to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::seal_times::{ALL_EVERY, LATEST, RECENT, RECENT_EVERY, Times};
    use domain::time::Timestamp;

    #[test]
    fn what_is_late_is_looked_for_now_and_then_and_all_in_parts() {
        let (mut times, start) = (Times::default(), Instant::now());
        assert_eq!(times.look_back(start), RECENT, "the first time");
        assert_eq!(times.look_back(start), RECENT, "while something is left");
        times.looked_back(RECENT, start);
        assert_eq!(times.look_back(start), LATEST);
        times.looked_back(LATEST, start + RECENT_EVERY / 2);
        assert_eq!(times.look_back(start + RECENT_EVERY), RECENT);

        assert_eq!(times.next_part(start), Some(Timestamp(0)));
        times.gone_through(Some(Timestamp(7)), start);
        assert_eq!(times.next_part(start), Some(Timestamp(7)));
        times.gone_through(None, start);
        assert_eq!(times.next_part(start), None);
        assert_eq!(times.next_part(start + ALL_EVERY), Some(Timestamp(0)));
    }
}
