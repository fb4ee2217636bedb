//! Limits of this process, by governor. It has one quota a limiter, so there is a limiter for each quota.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use domain::time::DurationMs;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, RateLimiter};

use crate::limits::{Quota, RateLimits, Verdict};

/// After so many checks, keys that were not used lately are forgotten.
const CHECKS_BETWEEN_SWEEPS: u64 = 10_000;

/// The most quotas that are kept apart. Beyond it all are forgotten, which lets everybody have a burst again.
const QUOTAS_MAX: usize = 10_000;

type Limiter = DefaultKeyedRateLimiter<(&'static str, String)>;

/// Limits of this process.
#[derive(Default)]
pub struct LocalLimits {
    limiters: RwLock<HashMap<Quota, Arc<Limiter>>>,
    clock: DefaultClock,
    checks: AtomicU64,
}

impl LocalLimits {
    /// Limits where nobody has done anything yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one; see [`RateLimits::check`].
    pub fn count(&self, class: &'static str, key: &str, quota: Quota) -> Verdict {
        if self.checks.fetch_add(1, Ordering::Relaxed) % CHECKS_BETWEEN_SWEEPS == CHECKS_BETWEEN_SWEEPS - 1 {
            self.sweep();
        }
        match self.limiter(quota).check_key(&(class, key.to_owned())) {
            Ok(()) => Verdict::Allowed,
            Err(refusal) => {
                let wait = refusal.wait_time_from(self.clock.now());
                let wait_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
                Verdict::Refused { retry_after: DurationMs(wait_ms.max(1)) }
            }
        }
    }

    fn limiter(&self, quota: Quota) -> Arc<Limiter> {
        // A panic while the map was locked leaves a whole map behind: entries are only added or all removed.
        if let Some(limiter) = self.limiters.read().unwrap_or_else(PoisonError::into_inner).get(&quota) {
            return Arc::clone(limiter);
        }
        let mut limiters = self.limiters.write().unwrap_or_else(PoisonError::into_inner);
        if limiters.len() >= QUOTAS_MAX {
            limiters.clear();
        }
        Arc::clone(limiters.entry(quota).or_insert_with(|| Arc::new(RateLimiter::keyed(governed(quota)))))
    }

    fn sweep(&self) {
        let mut limiters = self.limiters.write().unwrap_or_else(PoisonError::into_inner);
        limiters.retain(|_, limiter| {
            limiter.retain_recent();
            !limiter.is_empty()
        });
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
        let quota = super::super::limits::Quota::new(u32::MAX, DurationMs(1), u32::MAX);
        for number in 0..CHECKS_BETWEEN_SWEEPS {
            limits.count("key", &number.to_string(), quota);
        }
        let limiters = limits.limiters.read().expect("not poisoned");
        let kept: usize = limiters.values().map(|limiter| limiter.len()).sum();
        assert!(kept < CHECKS_BETWEEN_SWEEPS as usize / 2, "{kept} keys are kept");
    }
}
