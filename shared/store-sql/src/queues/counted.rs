//! What was counted in a queue, and the counts that a node shows for a while.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::names::TenantName;
use domain::queue::{QueueName, Tier};
use domain::scaling::QueueLoad;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// What was counted in a queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Counted {
    pub(super) tiers: Vec<CountedTier>,
    pub(super) ended: u64,
    pub(super) failed: u64,
    /// p50, p95 and p99, in milliseconds.
    pub(super) wait_ms: Option<[i64; 3]>,
    pub(super) run_ms: Option<[i64; 3]>,
    pub(super) dead_letters: u64,
}

/// What was counted in a tier of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CountedTier {
    pub(super) queued: u64,
    pub(super) processing: u64,
    pub(super) retry_wait: u64,
    pub(super) scheduled: u64,
    pub(super) waiting: u64,
    /// Since when the oldest queued job has been claimable, in milliseconds.
    pub(super) oldest_ms: Option<i64>,
}

impl Counted {
    /// What waits and runs by lane, where that is all that can be read in time.
    pub(super) fn of_load(load: &QueueLoad, dead_letters: u64) -> Self {
        let mut tiers = Tier::ALL.map(|_| CountedTier::default());
        for (tier, of) in load.by_tier() {
            let counted = &mut tiers[tier.code() as usize];
            (counted.queued, counted.processing) = (of.queued, of.processing);
            counted.oldest_ms = of.oldest_at.map(|oldest| oldest.0);
        }
        Self { tiers: tiers.into(), ended: 0, failed: 0, wait_ms: None, run_ms: None, dead_letters }
    }

    /// How many rows were looked at, about.
    pub(super) fn rows(&self) -> u64 {
        let of_tier = |tier: &CountedTier| {
            tier.queued + tier.processing + tier.retry_wait + tier.scheduled + tier.waiting
        };
        self.tiers.iter().map(of_tier).sum::<u64>() + self.ended
    }
}

/// How long it is shown at most.
pub(super) const SHOWN_MAX: Duration = Duration::from_mins(1);

/// How long it is shown beyond that while it is counted anew, at most. Upkeep looks at it three times meanwhile.
const SHOWN_LONGER: DurationMs = DurationMs::from_secs(15);

/// The figures of so many tenants' queues are remembered at most.
const TENANTS_MAX: usize = 1_000;

/// What was counted for tenants in large queues, on this node.
#[derive(Debug, Clone, Default)]
pub(crate) struct TenantFigures(pub(super) Arc<Mutex<HashMap<(QueueName, TenantName), Shown>>>);

/// A count, and until when it is shown.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) until: Timestamp,
    pub(super) counted: Counted,
}

impl Shown {
    /// Whether it needs no other one yet. One that is shown for longer than ever was written by another clock.
    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        now < self.until && self.until.since(now).to_std() <= SHOWN_MAX
    }

    /// Whether it is shown while upkeep counts anew, if any runs.
    pub(super) fn is_shown(&self, now: Timestamp) -> bool {
        self.is_fresh(now) || self.until <= now && now < self.until.plus(SHOWN_LONGER)
    }
}

impl TenantFigures {
    pub(super) fn get(&self, key: &(QueueName, TenantName), now: Timestamp) -> Option<Counted> {
        self.0.lock().get(key).filter(|shown| shown.is_fresh(now)).map(|shown| shown.counted.clone())
    }

    pub(super) fn keep(&self, key: (QueueName, TenantName), shown: Shown) {
        let mut all = self.0.lock();
        if all.len() >= TENANTS_MAX {
            all.clear();
        }
        all.insert(key, shown);
    }
}
