//! How many requests each key may make.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use domain::time::DurationMs;
use engine::Caller;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::options::RateLimit;
use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// After so many checks, keys that were not used lately are forgotten.
const CHECKS_BETWEEN_SWEEPS: u64 = 10_000;

/// The rate of each key.
pub(crate) struct KeyLimiter {
    limiter: DefaultKeyedRateLimiter<String>,
    clock: DefaultClock,
    checks: AtomicU64,
}

impl KeyLimiter {
    /// A limiter where nobody has made a request yet. Zeros in the limit count as ones.
    pub(crate) fn new(limit: &RateLimit) -> Self {
        let requests = limit.requests.max(1);
        let span = Duration::from_millis(limit.per.0.max(1) as u64);
        let interval = (span / requests).max(Duration::from_nanos(1));
        let burst = NonZeroU32::new(limit.burst).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(interval)
            .map_or_else(|| Quota::per_second(burst), |quota| quota.allow_burst(burst));
        Self { limiter: RateLimiter::keyed(quota), clock: DefaultClock::default(), checks: AtomicU64::new(0) }
    }

    /// Counts one request, or answers how long to wait.
    fn check(&self, key: &String) -> Result<(), DurationMs> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % CHECKS_BETWEEN_SWEEPS == CHECKS_BETWEEN_SWEEPS - 1 {
            self.limiter.retain_recent();
        }
        self.limiter.check_key(key).map_err(|refusal| {
            let wait = refusal.wait_time_from(self.clock.now());
            DurationMs(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX))
        })
    }
}

/// Refuses the requests of a caller that is over its rate.
pub(crate) async fn limit_rate(
    State(state): State<ApiState>,
    request: Request,
    next: Next,
) -> ApiResult<Response> {
    if let (Some(limiter), Some(caller)) = (&state.limiter, request.extensions().get::<Caller>()) {
        limiter.check(&caller.actor).map_err(|wait| {
            let detail = "This key makes more requests than its rate allows.";
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail).retry_after(wait)
        })?;
    }
    Ok(next.run(request).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_rate() {
        let limiter = KeyLimiter::new(&RateLimit { requests: 1, per: DurationMs::from_secs(3600), burst: 2 });
        let (ada, grace) = ("key_a".to_owned(), "key_g".to_owned());
        assert!(limiter.check(&ada).is_ok());
        assert!(limiter.check(&ada).is_ok());
        let wait = limiter.check(&ada).expect_err("over the rate");
        assert!(wait > DurationMs::from_secs(3_500), "{wait}");
        assert!(limiter.check(&grace).is_ok());
    }

    #[test]
    fn absurd_limits_do_not_panic() {
        for (requests, per) in
            [(0, DurationMs::ZERO), (u32::MAX, DurationMs(1)), (1, domain::time::DURATION_MAX)]
        {
            let limiter = KeyLimiter::new(&RateLimit { requests, per, burst: 0 });
            assert!(limiter.check(&"key".to_owned()).is_ok());
        }
    }
}
