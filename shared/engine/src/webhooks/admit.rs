//! Admit a request before its body is read: whose it is, and whether rates allow it.

use std::any::Any;
use std::net::IpAddr;
use std::sync::Arc;

use domain::id::WebhookId;
use domain::time::DurationMs;
use rate_limits::{Quota, Verdict};

use super::endpoint::Endpoint;
use super::incoming::RefusedDelivery;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::group_commit::Room;

/// Whether the body of a request may be read.
#[derive(Debug)]
pub enum Admission {
    /// It may, and the request goes on.
    Admitted(AdmittedDelivery),
    /// It is answered at once.
    Refused(RefusedDelivery),
}

/// A request whose body may be read. The endpoint may turn out not to exist: that is answered like a bad signature,
/// after the same work.
#[derive(Debug)]
pub struct AdmittedDelivery {
    pub(super) endpoint: Option<Arc<Endpoint>>,
    body_bytes_max: usize,
    /// What its caller set apart for its body.
    pub(super) kept: Option<Room>,
}

impl AdmittedDelivery {
    /// How much of the body may be read.
    pub const fn body_bytes_max(&self) -> usize {
        self.body_bytes_max
    }

    /// The same, with what was set apart for its body. That is dropped when the body is worked on no more, and not before: also
    /// where its sender hangs up meanwhile.
    #[must_use]
    pub fn keeping(self, kept: impl Any + Send + Sync) -> Self {
        Self { kept: Some(Box::new(kept)), ..self }
    }

    pub(super) fn to(endpoint: Arc<Endpoint>) -> Self {
        Self { body_bytes_max: endpoint.body_bytes_max, endpoint: Some(endpoint), kept: None }
    }
}

impl Engine {
    /// Admits a request to an endpoint; `None` where the path names none. Counts it for its address. Of its endpoint and
    /// tenant only deliveries count, once they are verified: forgeries must not use their rates up. While it is known
    /// that those are used up and that no more deliveries can be held, no body is read for them.
    pub async fn admit_delivery(
        &self,
        id: Option<WebhookId>,
        remote_address: Option<IpAddr>,
    ) -> Result<Admission, EngineError> {
        let policy = self.policy().webhooks;
        if let (Some(address), Some(quota)) = (remote_address, policy.rate_limit_per_address)
            && let Verdict::Refused { retry_after } =
                self.check_address("webhook-address", address, quota).await
        {
            return Ok(Admission::Refused(over_rate(retry_after).counted()));
        }
        let endpoint = match id {
            Some(id) => self.endpoint(id).await?,
            None => None,
        };
        let Some(endpoint) = endpoint else {
            let body_bytes_max = usize::try_from(policy.max_body_default).unwrap_or(usize::MAX);
            let nobody = AdmittedDelivery { endpoint: None, body_bytes_max, kept: None };
            return Ok(Admission::Admitted(nobody));
        };
        let holds_more = policy.held_bytes_max > 0 && !endpoint.is_full();
        if let Some(wait) = endpoint.rests().filter(|_| !holds_more) {
            return Ok(Admission::Refused(over_rate(wait).counted()));
        }
        Ok(Admission::Admitted(AdmittedDelivery::to(endpoint)))
    }

    /// Whether the deliveries of an endpoint are counted, for itself or for its tenant.
    pub(super) fn has_rates(&self, endpoint: &Endpoint) -> bool {
        endpoint.config.rate_limit.is_some() || self.policy().webhooks.rate_limit_per_tenant.is_some()
    }

    /// Counts a verified delivery for its endpoint and its tenant. Answers how long their rates do not allow it.
    pub(super) async fn over_own_rates(&self, endpoint: &Endpoint) -> Option<DurationMs> {
        if let Some(wait) = endpoint.rests() {
            return Some(wait);
        }
        let record = &endpoint.record;
        let own = endpoint.config.rate_limit.map(|limit| ("webhook", record.id.to_string(), limit.quota()));
        let quota = self.policy().webhooks.rate_limit_per_tenant;
        let tenants = quota.map(|quota| ("webhook-tenant", record.tenant.as_str().to_owned(), quota));
        for (class, key, quota) in own.into_iter().chain(tenants) {
            if let Verdict::Refused { retry_after } = self.check_rate(class, &key, quota).await {
                endpoint.throttle(retry_after);
                return Some(retry_after);
            }
        }
        None
    }

    /// Counts one of `key`, over all nodes where there is a Redis.
    pub async fn check_rate(&self, class: &'static str, key: &str, quota: Quota) -> Verdict {
        self.rate_limits().check(class, key, quota).await
    }

    /// The same for whoever is behind an address.
    pub async fn check_address(&self, class: &'static str, address: IpAddr, quota: Quota) -> Verdict {
        self.check_rate(class, &subscriber(address), quota).await
    }
}

pub(super) const fn over_rate(retry_after: DurationMs) -> RefusedDelivery {
    RefusedDelivery { retry_after: Some(retry_after), ..RefusedDelivery::new(429, "rate_limited") }
}

/// Who is behind an address, for whatever is counted by addresses: an IPv6 subscriber has a whole /64 of them.
pub fn subscriber(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_subscriber_count_together() {
        let of = |text: &str| subscriber(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:1:2:3::4"), of("2001:db8:1:2::1"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
