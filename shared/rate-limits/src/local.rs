//! Limits of this process, by governor: a limiter for each key, as long as it has something to remember.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Instant;

use async_trait::async_trait;
use domain::time::DurationMs;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, RateLimiter};

use crate::limits::{Quota, RateLimits, Verdict};

/// After so many checks, keys that were not used lately are forgotten.
const CHECKS_BETWEEN_SWEEPS: u64 = 10_000;

/// Limits of this process. What is remembered of a key goes when it has rested, or has another quota, and never for the sake of
/// other keys: tenants choose quotas, and nobody gets a burst because somebody else chose many.
pub struct LocalLimits {
    keys: RwLock<HashMap<(&'static str, String), KeyLimit>>,
    clock: DefaultClock,
    started: Instant,
    checks: AtomicU64,
}

/// What is remembered of a key.
struct KeyLimit {
    quota: Quota,
    limiter: DefaultDirectRateLimiter,
    /// When all of its quota is there again, in nanoseconds since the start.
    rested_at: AtomicU64,
}

impl KeyLimit {
    fn new(quota: Quota) -> Self {
        Self { quota, limiter: RateLimiter::direct(governed(quota)), rested_at: AtomicU64::new(0) }
    }

    /// One was allowed: it is there again an interval later, or after those that were used before.
    fn use_one(&self, now: u64) {
        let interval = u64::try_from(self.quota.interval().as_nanos()).unwrap_or(u64::MAX);
        let later = |rested_at: u64| Some(rested_at.max(now).saturating_add(interval));
        let _ = self.rested_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
    }

    fn has_rested(&self, now: u64) -> bool {
        self.rested_at.load(Ordering::Relaxed) <= now
    }
}

impl Default for LocalLimits {
    fn default() -> Self {
        Self {
            keys: RwLock::default(),
            clock: DefaultClock::default(),
            started: Instant::now(),
            checks: AtomicU64::new(0),
        }
    }
}

impl LocalLimits {
    /// Limits where nobody has done anything yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one; see [`RateLimits::check`].
    pub fn count(&self, class: &'static str, key: &str, quota: Quota) -> Verdict {
        let now = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if self.checks.fetch_add(1, Ordering::Relaxed) % CHECKS_BETWEEN_SWEEPS == CHECKS_BETWEEN_SWEEPS - 1 {
            self.sweep(now);
        }
        let key = (class, key.to_owned());
        // A panic while the map was locked leaves a whole map behind: entries are only added, replaced or removed.
        if let Some(limit) = self.keys.read().unwrap_or_else(PoisonError::into_inner).get(&key)
            && limit.quota == quota
        {
            return self.check_limit(limit, now);
        }
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        let limit = keys.entry(key).or_insert_with(|| KeyLimit::new(quota));
        if limit.quota != quota {
            *limit = KeyLimit::new(quota);
        }
        self.check_limit(limit, now)
    }

    fn check_limit(&self, limit: &KeyLimit, now: u64) -> Verdict {
        match limit.limiter.check() {
            Ok(()) => {
                limit.use_one(now);
                Verdict::Allowed
            }
            Err(refusal) => {
                let wait = refusal.wait_time_from(self.clock.now());
                let wait_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
                Verdict::Refused { retry_after: DurationMs(wait_ms.max(1)) }
            }
        }
    }

    fn sweep(&self, now: u64) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|_, limit| !limit.has_rested(now));
    }
}

fn governed(quota: Quota) -> governor::Quota {
    governor::Quota::with_period(quota.interval()).map_or_else(
        || governor::Quota::per_second(quota.burst()),
        |governed| governed.allow_burst(quota.burst()),
    )
}

#[async_trait]
impl RateLimits for LocalLimits {
    async fn check(&self, class: &'static str, key: &str, quota: Quota) -> Verdict {
        self.count(class, key, quota)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_of_each_class_has_its_own_rate() {
        let limits = LocalLimits::new();
        let quota = super::super::limits::Quota::new(1, DurationMs::from_secs(3600), 2);
        assert_eq!(limits.count("key", "ada", quota), Verdict::Allowed);
        assert_eq!(limits.count("key", "ada", quota), Verdict::Allowed);
        let Verdict::Refused { retry_after } = limits.count("key", "ada", quota) else {
            panic!("over the rate");
        };
        assert!(retry_after > DurationMs::from_secs(3_500), "{retry_after}");
        assert_eq!(limits.count("key", "grace", quota), Verdict::Allowed);
        assert_eq!(limits.count("address", "ada", quota), Verdict::Allowed);
    }

    #[test]
    fn absurd_quotas_do_not_panic() {
        let limits = LocalLimits::new();
        for (requests, per) in
            [(0, DurationMs::ZERO), (u32::MAX, DurationMs(1)), (1, domain::time::DURATION_MAX)]
        {
            assert_eq!(
                limits.count("key", "k", super::super::limits::Quota::new(requests, per, 0)),
                Verdict::Allowed
            );
        }
    }

    #[test]
    fn keys_are_forgotten_once_they_have_rested() {
        let limits = LocalLimits::new();
        let quota = super::super::limits::Quota::new(u32::MAX, DurationMs(1), 1);
        for number in 0..CHECKS_BETWEEN_SWEEPS {
            limits.count("key", &number.to_string(), quota);
        }
        let kept = limits.keys.read().expect("not poisoned").len();
        assert!(kept < CHECKS_BETWEEN_SWEEPS as usize / 2, "{kept} keys are kept");
    }

    /// Else one call from each of very many addresses would be remembered as long as a whole burst of each.
    #[test]
    fn a_key_is_remembered_as_long_as_what_it_used_is_missing() {
        let limits = LocalLimits::new();
        let quota = Quota::new(60, DurationMs::from_secs(60), 60);
        limits.count("address", "one call", quota);
        for _ in 0..50 {
            limits.count("address", "many calls", quota);
        }
        let kept_after = |secs: u64| {
            limits.sweep(secs * 1_000_000_000);
            limits.keys.read().expect("not poisoned").len()
        };
        assert_eq!([kept_after(25), kept_after(300)], [1, 0]);
    }

    #[test]
    fn many_rates_of_one_give_nobody_else_a_burst() {
        let limits = LocalLimits::new();
        let hour = DurationMs::from_secs(3_600);
        let own = Quota::new(1, hour, 1);
        assert_eq!(limits.count("webhook", "victim", own), Verdict::Allowed);
        for number in 1..=2 * CHECKS_BETWEEN_SWEEPS as u32 {
            limits.count("webhook", &number.to_string(), Quota::new(number, hour, number));
        }
        assert!(matches!(limits.count("webhook", "victim", own), Verdict::Refused { .. }));
    }

    #[test]
    fn a_key_whose_rate_changes_is_remembered_once() {
        let limits = LocalLimits::new();
        for number in 1..=100 {
            limits.count("webhook", "w", Quota::new(number, DurationMs::from_secs(3_600), number));
        }
        assert_eq!(limits.keys.read().expect("not poisoned").len(), 1);
    }
}
