//! Limits over all nodes: one script in Redis counts for everybody, by Redis's own clock.
//!
//! While Redis does not answer, each node counts for itself, and the log says so once. Nothing that was accepted
//! depends on Redis.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::time::DurationMs;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, RedisError, Script, TlsCertificates};
use tokio::sync::OnceCell;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};

use crate::limits::{Quota, RateLimits, Verdict};
use crate::local::LocalLimits;

/// How long a check may wait for Redis.
const CHECK_TIMEOUT: Duration = Duration::from_millis(50);
/// After a failure Redis is left alone for so long: nobody waits for it meanwhile.
const REST: Duration = Duration::from_secs(1);
/// An outage is logged at most so often: a Redis that is slow comes and goes every second.
const LOGGED_EVERY: Duration = Duration::from_mins(1);

/// The generic cell rate algorithm: the key holds the time in microseconds at which it is as if nothing had been done.
/// Answers 0, or for how many microseconds to wait.
const GCRA: &str = r"
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local interval = tonumber(ARGV[1])
local tolerance = tonumber(ARGV[2])
local at = tonumber(redis.call('GET', KEYS[1]) or now)
if at < now then at = now end
local wait = at + interval - tolerance - now
if wait > 0 then return math.ceil(wait) end
local after = at + interval
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
return 0
";

/// The client of Redis asks for the process's provider of cryptography, of which two are linked.
fn install_provider() {
    if CryptoProvider::get_default().is_none() {
        // Somebody else may have been first, with the same.
        let _ = ring::default_provider().install_default();
    }
}

/// Redis cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RedisFault {
    /// The address is none.
    #[error("the address of Redis cannot be read; expected redis://host:port, or rediss://host:port for TLS")]
    Address(#[source] RedisError),
    /// The authorities that may vouch for it are none, or the address is one without TLS.
    #[error("the authorities cannot be used; expected certificates in PEM, and rediss://host:port")]
    Authorities(#[source] RedisError),
}

/// Limits over all nodes that share one Redis.
pub struct RedisLimits {
    client: Client,
    connection: OnceCell<ConnectionManager>,
    script: Script,
    timeout: Duration,
    local: LocalLimits,
    epoch: Instant,
    /// Until when Redis is left alone, in milliseconds after `epoch`.
    rests_until_ms: AtomicU64,
    is_gone: AtomicBool,
    /// Whether the log knows of this outage.
    is_logged: AtomicBool,
    /// Until when the log is left alone, in milliseconds after `epoch`.
    silent_until_ms: AtomicU64,
}

impl RedisLimits {
    /// Limits in the Redis at this address. Nothing is connected until the first check.
    pub fn new(url: &str) -> Result<Self, RedisFault> {
        Self::with_timeout(url, CHECK_TIMEOUT)
    }

    /// The same over TLS, where one of these authorities, as PEM, vouches for the server.
    pub fn trusting(url: &str, authorities: Vec<u8>) -> Result<Self, RedisFault> {
        install_provider();
        let certificates = TlsCertificates { client_tls: None, root_cert: Some(authorities) };
        let client = Client::build_with_tls(url, certificates).map_err(RedisFault::Authorities)?;
        Ok(Self::over(client, CHECK_TIMEOUT))
    }

    /// The same limits with another bound on how long a check waits for Redis.
    #[must_use]
    pub fn waiting_for(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The same with another bound on how long a check waits for Redis.
    pub fn with_timeout(url: &str, timeout: Duration) -> Result<Self, RedisFault> {
        if url.starts_with("rediss:") {
            install_provider();
        }
        Ok(Self::over(Client::open(url).map_err(RedisFault::Address)?, timeout))
    }

    fn over(client: Client, timeout: Duration) -> Self {
        Self {
            timeout,
            client,
            connection: OnceCell::new(),
            script: Script::new(GCRA),
            local: LocalLimits::new(),
            epoch: Instant::now(),
            rests_until_ms: AtomicU64::new(0),
            is_gone: AtomicBool::new(false),
            is_logged: AtomicBool::new(false),
            silent_until_ms: AtomicU64::new(0),
        }
    }

    async fn ask(&self, class: &str, key: &str, quota: Quota) -> Result<Verdict, RedisError> {
        let mut connection = self
            .connection
            .get_or_try_init(|| {
                let config = ConnectionManagerConfig::new()
                    .set_number_of_retries(1)
                    .set_connection_timeout(Some(self.timeout))
                    .set_response_timeout(Some(self.timeout));
                ConnectionManager::new_with_config(self.client.clone(), config)
            })
            .await?
            .clone();
        let interval_us = quota.interval().as_micros().max(1);
        let tolerance_us = interval_us.saturating_mul(u128::from(quota.burst().get()));
        let wait_us: u64 = self
            .script
            .key(format!("trunkline:rate:{class}:{key}"))
            .arg(bounded(interval_us))
            .arg(bounded(tolerance_us))
            .invoke_async(&mut connection)
            .await?;
        Ok(match wait_us {
            0 => Verdict::Allowed,
            wait_us => {
                let wait_ms = i64::try_from(wait_us.div_ceil(1_000)).unwrap_or(i64::MAX);
                Verdict::Refused { retry_after: DurationMs(wait_ms) }
            }
        })
    }

    fn is_resting(&self) -> bool {
        self.now_ms() < self.rests_until_ms.load(Ordering::Relaxed)
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn record_gone(&self, error: &(dyn std::error::Error + 'static)) {
        let rest_ms = u64::try_from(REST.as_millis()).unwrap_or(u64::MAX);
        self.rests_until_ms.store(self.now_ms().saturating_add(rest_ms), Ordering::Relaxed);
        metrics::counter!("trunkline_rate_limit_fallbacks_total").increment(1);
        if self.begins_outage() {
            tracing::warn!(error, "Redis does not respond: each node counts rates on its own until it does");
        }
    }

    fn record_back(&self) {
        if self.is_gone.load(Ordering::Relaxed) && self.ends_outage() {
            tracing::info!("Redis responds again: rates are counted across all nodes");
        }
    }

    /// Whether it is to be logged that Redis does not answer.
    fn begins_outage(&self) -> bool {
        let now_ms = self.now_ms();
        if self.is_gone.swap(true, Ordering::Relaxed) || now_ms < self.silent_until_ms.load(Ordering::Relaxed)
        {
            return false;
        }
        let silent_ms = u64::try_from(LOGGED_EVERY.as_millis()).unwrap_or(u64::MAX);
        self.silent_until_ms.store(now_ms.saturating_add(silent_ms), Ordering::Relaxed);
        self.is_logged.store(true, Ordering::Relaxed);
        true
    }

    /// Whether it is to be logged that Redis answers again.
    fn ends_outage(&self) -> bool {
        self.is_gone.swap(false, Ordering::Relaxed) && self.is_logged.swap(false, Ordering::Relaxed)
    }
}

/// Microseconds that Lua's numbers hold exactly together with the time of day.
fn bounded(span_us: u128) -> u64 {
    const MAX: u64 = 1 << 52;
    u64::try_from(span_us).unwrap_or(MAX).min(MAX)
}

#[async_trait]
impl RateLimits for RedisLimits {
    async fn check(&self, class: &'static str, key: &str, quota: Quota) -> Verdict {
        if self.is_resting() {
            return self.local.count(class, key, quota);
        }
        match tokio::time::timeout(self.timeout, self.ask(class, key, quota)).await {
            Ok(Ok(verdict)) => {
                self.record_back();
                verdict
            }
            Ok(Err(error)) => {
                self.record_gone(&error);
                self.local.count(class, key, quota)
            }
            Err(elapsed) => {
                self.record_gone(&elapsed);
                self.local.count(class, key, quota)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outages_are_logged_and_not_every_hiccup() {
        let limits = RedisLimits::new("redis://127.0.0.1:1").expect("an address");
        assert!(limits.begins_outage());
        assert!(!limits.begins_outage(), "it is the same one");
        assert!(limits.ends_outage());
        assert!(!limits.ends_outage());
        assert!(!limits.begins_outage(), "another one right after it");
        assert!(!limits.ends_outage(), "that one was not logged");
    }
}
