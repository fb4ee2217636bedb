//! Seal: rows of the audit log become rows of its chain, a few seconds after they were written.

use std::time::{Duration, Instant};

use domain::audit::{Link, to_hex};
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

/// How many rows are sealed at once.
const SEALED_MAX: u32 = 2_000;
/// How far back rows without a seal are looked for. Gathered lines are at most a minute old when they are written.
const RECENT: DurationMs = DurationMs::from_secs(10 * 60);
/// How often they are looked for in all of the log: what a process wrote that stood still, or an older version.
const ALL_EVERY: Duration = Duration::from_mins(10);
/// How often the end of the chain is logged, where others may keep it.
const LOGGED_EVERY: Duration = Duration::from_hours(1);

/// When the sealing of this process last did what it does seldom.
#[derive(Debug, Default)]
pub(crate) struct SealTimes(Mutex<Times>);

#[derive(Debug, Default)]
struct Times {
    all_at: Option<Instant>,
    logged_at: Option<Instant>,
}

impl Engine {
    /// One bounded step. Answers whether there is more to seal.
    pub async fn seal_audit_tick(&self) -> Result<bool, EngineError> {
        let now = self.now();
        let times = &self.memory().seal_times;
        let is_due = times.0.lock().all_at.is_none_or(|at| at.elapsed() >= ALL_EVERY);
        let since = if is_due { Timestamp(0) } else { now.minus(RECENT) };
        let done = self.store().seal_audit(since, SEALED_MAX).await?;
        let lag = done.oldest_left.map_or(DurationMs(0), |at| now.since(at));
        metrics::audit_sealed(done.sealed, lag);
        let has_more = done.oldest_left.is_some();
        if is_due && !has_more {
            times.0.lock().all_at = Some(Instant::now());
        }
        self.log_head(&done.head);
        Ok(has_more)
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
