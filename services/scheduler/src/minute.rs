//! The minute clock: a check of the schedules at each minute, on every node that has the role, without a leader.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::time::Timestamp;
use engine::{Engine, EngineError};

use crate::ticker::Next;

/// The length of a minute.
const MINUTE_MS: i64 = 60_000;

/// The longest sleep, so that a clock that was set forward does not oversleep a minute.
const SLEEP_MAX: Duration = Duration::from_secs(5);

/// The minute that this process announced last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Announced(Arc<AtomicI64>);

/// Announces the present minute once, then sleeps to the start of the next one. Whoever is first makes the job; the
/// others find its id taken. Minutes that were missed need no job of their own: a check looks at everything that is
/// due.
pub(crate) async fn minute(engine: Engine, announced: Announced) -> Result<Next, EngineError> {
    let now = engine.now();
    let minute_ms = start_of_minute(now);
    if announced.0.load(Ordering::Acquire) != minute_ms {
        engine.announce_minute(Timestamp(minute_ms)).await?;
        announced.0.store(minute_ms, Ordering::Release);
    }
    Ok(Next::After(sleep_from(engine.now())))
}

const fn start_of_minute(now: Timestamp) -> i64 {
    now.0 - now.0.rem_euclid(MINUTE_MS)
}

fn sleep_from(now: Timestamp) -> Duration {
    let rest_ms = MINUTE_MS - now.0.rem_euclid(MINUTE_MS);
    Duration::from_millis(rest_ms.unsigned_abs()).min(SLEEP_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeps_end_at_the_minute() {
        assert_eq!(sleep_from(Timestamp(59_999)), Duration::from_millis(1));
        assert_eq!(sleep_from(Timestamp(60_000)), SLEEP_MAX);
        assert_eq!(sleep_from(Timestamp(57_500)), Duration::from_millis(2_500));
        assert_eq!(start_of_minute(Timestamp(119_999)), 60_000);
        assert_eq!(start_of_minute(Timestamp(120_000)), 120_000);
    }
}
