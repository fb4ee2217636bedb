//! Hold what a paused endpoint, or one over its rate, does not take now: many senders never come again. A held delivery is
//! verified and stored with its guards, and has no job yet. Upkeep releases it when the endpoint takes deliveries again.

use std::sync::Arc;

use domain::id::WebhookId;
use domain::queue::{QueueName, Tier};
use store::wakeup::Hint;
use store::webhooks::{GuardKey, HeldDelivery, Hold, NewDelivery, Releasable, Release};

use super::admit::over_rate;
use super::endpoint::Endpoint;
use super::incoming::{Received, RefusedDelivery};
use super::sinks::HoldSink;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::fail_points;
use crate::group_commit::Room;
use crate::metrics;
use crate::traces::Sends;

/// How many endpoints are looked for at once.
const ENDPOINTS_AT_ONCE: u32 = 100;

/// How many deliveries of an endpoint one step releases. Each takes its rate by itself.
const AT_ONCE: u32 = 200;

impl Engine {
    /// Why an endpoint takes no delivery now, if it does not. Counts the delivery for its rates.
    pub(super) async fn refused_now(&self, endpoint: &Endpoint) -> Option<RefusedDelivery> {
        if endpoint.record.is_paused {
            return Some(RefusedDelivery::paused());
        }
        self.over_own_rates(endpoint).await.map(over_rate)
    }

    /// Stores a delivery that is `refused` now, within the room of its body, or refuses it where its endpoint holds as much
    /// as it may.
    pub(super) async fn hold_within(
        &self,
        room: Room,
        endpoint: &Endpoint,
        (delivery, guards): (NewDelivery, Vec<GuardKey>),
        refused: RefusedDelivery,
    ) -> Result<Received, EngineError> {
        let bytes_max = self.policy().webhooks.held_bytes_max;
        if bytes_max == 0 || endpoint.is_full() {
            return Ok(Received::Refused(refused.counted()));
        }
        let sink = || HoldSink { store: Arc::clone(self.store()), clock: Arc::clone(self.clock()) };
        let held = HeldDelivery { delivery, guards, bytes_max };
        Ok(match self.memory().webhooks.holds.commit_within(Some(room), held, sink).await? {
            Hold::Held(delivery_id) => Received::Held { delivery_id, status: endpoint.config.respond_with },
            Hold::Duplicate(delivery_id) => Received::Duplicate { delivery_id },
            Hold::Full => {
                endpoint.fill();
                Received::Refused(refused.counted())
            }
        })
    }

    /// Has deliveries matched that were held: of endpoints that are not paused any more, as many as their rates allow,
    /// oldest first. One step, bounded for each endpoint. Answers whether there may be more that is allowed.
    pub async fn release_held_tick(&self) -> Result<bool, EngineError> {
        let (mut more, mut after) = (false, None);
        loop {
            let endpoints = self.store().webhooks_to_release(after, ENDPOINTS_AT_ONCE).await?;
            for &id in &endpoints {
                more |= self.release_held_of(id).await?;
            }
            after = endpoints.last().copied();
            if after.is_none() || self.shutdown_started() {
                return Ok(more);
            }
        }
    }

    /// Every node does this, and each counts what it wants to release for the rates: also what another one releases
    /// meanwhile, which is lost to them. So where there are rates, a node begins with one delivery, takes more the longer
    /// it is alone, and leaves the rest to the other node where it is not.
    async fn release_held_of(&self, id: WebhookId) -> Result<bool, EngineError> {
        // What a deleted endpoint held is matched as what it accepted is: somebody has to see it.
        let endpoint = self.endpoint(id).await?;
        let is_rated = endpoint.as_ref().is_some_and(|endpoint| self.has_rates(endpoint));
        let (mut done, mut step) = (0, if is_rated { 1 } else { AT_ONCE });
        while done < AT_ONCE {
            let asked = step.min(AT_ONCE - done);
            let mut held = self.store().held_deliveries(id, asked).await?;
            if let Some(endpoint) = &endpoint {
                held.truncate(self.allowed_of(endpoint, held.len()).await);
            }
            let allowed = held.len() as u64;
            let released = self.release_all(held).await?;
            if allowed < u64::from(asked) || released == 0 {
                return Ok(false);
            }
            done += asked;
            step = if released < allowed { 1 } else { asked * 2 };
        }
        Ok(true)
    }

    /// How many of so many deliveries the rates of their endpoint allow. Counts those.
    async fn allowed_of(&self, endpoint: &Endpoint, wanted: usize) -> usize {
        for number in 0..wanted {
            if self.over_own_rates(endpoint).await.is_some() {
                return number;
            }
        }
        wanted
    }

    async fn release_all(&self, held: Vec<Releasable>) -> Result<u64, EngineError> {
        let now = self.now();
        let releases: Vec<Release> = held
            .into_iter()
            .map(|held| Release {
                id: held.id,
                job: self.delivery_job(held.id, held.tenant, held.traceparent, now),
            })
            .collect();
        fail_points::reach("release-before");
        let released = self.store().release_deliveries(&releases, now).await?;
        fail_points::reach("release-after");
        if released == releases.len() as u64 {
            // Of some another node has released the others, which has their spans.
            Sends::of(releases.iter().map(|release| &release.job), now).durable(&[], self.now());
        }
        if released > 0 {
            metrics::enqueued(QueueName::Webhook, usize::try_from(released).unwrap_or(usize::MAX));
            let of = (QueueName::Webhook, Tier::Normal);
            self.memory().stats.enqueued_of(of, None, None, released, now);
            self.wake(&[Hint::Queue(QueueName::Webhook)]);
        }
        Ok(released)
    }
}
