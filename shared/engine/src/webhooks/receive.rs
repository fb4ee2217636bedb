//! Receive a request: verify, keep, answer. Nothing else is done before the answer.

use std::sync::Arc;

use domain::time::{DurationMs, Timestamp};
use domain::webhook::DeliveryStatus;
use store::webhooks::{Accepted, GuardKey};

use super::admit::AdmittedDelivery;
use super::cache::WebhookMemory;
use super::classify::{Classified, NewParts, classify, dummy_verify};
use super::endpoint::Endpoint;
use super::incoming::{Incoming, Received, RefusedDelivery};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::group_commit::Room;
use crate::metrics;

/// Bodies from here on, and those that are packed, are verified on a thread of their own: that takes longer than others
/// may wait.
const LARGE_BODY_BYTES: usize = 256 * 1024;
/// What is counted of a delivery beside its body, as the store counts it.
pub(crate) const ROW_BYTES: u64 = 4 * 1024;
/// When to come again where there is no room for a body.
const ROOM_RETRY_AFTER: DurationMs = DurationMs::from_secs(1);
impl Engine {
    /// Decides about a request and, if it is a delivery, stores it. A failure of ours is an error, never a refusal: the
    /// sender comes again.
    pub async fn receive_delivery(
        &self,
        admitted: AdmittedDelivery,
        incoming: Incoming,
    ) -> Result<Received, EngineError> {
        let AdmittedDelivery { endpoint, kept, .. } = admitted;
        let room = self.memory().webhooks.room_for(incoming.body.len(), kept)?;
        // The body may have taken long: what was changed meanwhile counts, above all a secret that was taken away.
        let endpoint = match endpoint {
            Some(endpoint) => self.endpoint(endpoint.record.id).await?,
            None => None,
        };
        let now = self.now();
        let Some(endpoint) = endpoint else {
            metrics::deliveries("unknown", 1);
            let verify = move |incoming: &Incoming| dummy_verify(incoming, now);
            self.memory().webhooks.on_thread(room, incoming, verify).await?;
            return Ok(Received::Refused(RefusedDelivery::new(404, "unknown")));
        };
        if endpoint.closed.is_some() {
            return Ok(Received::Refused(RefusedDelivery::later("unavailable")));
        }
        let shared = Arc::clone(&endpoint);
        let judge = move |incoming: &Incoming| classify(&shared, incoming, now);
        let (room, incoming, judged) = self.memory().webhooks.on_thread(room, incoming, judge).await?;
        if let (Classified::Delivery(_), Some(refused)) =
            (&judged, self.over_bytes(&endpoint, &incoming).await?)
        {
            let reason = Some(refused.error);
            self.record_ended(&endpoint, incoming, DeliveryStatus::Rejected, reason, now);
            return Ok(Received::Refused(refused));
        }
        match judged {
            Classified::Refused { refused, reason } => {
                self.record_ended(&endpoint, incoming, DeliveryStatus::Rejected, Some(reason), now);
                Ok(Received::Refused(refused))
            }
            Classified::Handshake(answer) => {
                self.record_ended(&endpoint, incoming, DeliveryStatus::Handshake, None, now);
                Ok(Received::Handshake(answer))
            }
            Classified::Delivery(verdict) => {
                let refused = self.refused_now(&endpoint).await;
                let guards = [verdict.guards.replay, verdict.guards.delivery];
                let guards = guards.into_iter().flatten().map(|guard| GuardKey {
                    digest: guard.key,
                    expires_at: now.plus(DurationMs(guard.kept_for_ms)),
                });
                let guards: Vec<GuardKey> = guards.collect();
                let status = if refused.is_some() { DeliveryStatus::Held } else { DeliveryStatus::Accepted };
                let parts = NewParts { status, reason: None, verdict: Some(*verdict) };
                let delivery = self.new_delivery(&endpoint, incoming, parts, now);
                if let Some(refused) = refused {
                    return self.hold_within(room, &endpoint, (delivery, guards), refused).await;
                }
                let status = endpoint.config.respond_with;
                Ok(match self.accept_within(room, delivery, guards, now).await? {
                    Accepted::New(delivery_id) => Received::Accepted { delivery_id, status },
                    Accepted::Duplicate(delivery_id) => Received::Duplicate { delivery_id },
                })
            }
        }
    }

    /// Whether a delivery would take more than its endpoint, its tenant or all of them may keep.
    async fn over_bytes(
        &self,
        endpoint: &Endpoint,
        incoming: &Incoming,
    ) -> Result<Option<RefusedDelivery>, EngineError> {
        let record = &endpoint.record;
        let bytes = incoming.body.len() as u64 + ROW_BYTES;
        match self.refuse_delivery_over_quota(&record.tenant, record.id, bytes).await {
            Ok(()) => Ok(None),
            Err(EngineError::QuotaExceeded { quota, .. }) => Ok(Some(RefusedDelivery::over_quota(quota))),
            Err(error) => Err(error),
        }
    }

    /// Refuses a request whose body is larger than [`AdmittedDelivery::body_bytes_max`]. What was read of the body is
    /// not kept.
    pub fn refuse_too_large(&self, admitted: AdmittedDelivery, mut incoming: Incoming) -> RefusedDelivery {
        incoming.body = Vec::new();
        if let Some(endpoint) = admitted.endpoint {
            self.record_ended(&endpoint, incoming, DeliveryStatus::Rejected, Some("too_large"), self.now());
        }
        RefusedDelivery::new(413, "too_large")
    }

    /// How much room there is for more bodies, in KiB.
    pub fn webhook_room_kib(&self) -> usize {
        self.memory().webhooks.room.available_permits()
    }

    fn record_ended(
        &self,
        endpoint: &Endpoint,
        incoming: Incoming,
        status: DeliveryStatus,
        reason: Option<&'static str>,
        now: Timestamp,
    ) {
        metrics::deliveries(status.as_str(), 1);
        if self.memory().webhooks.recorder.has_turn(endpoint.record.id) {
            let parts = NewParts { status, reason, verdict: None };
            let delivery = self.new_delivery(endpoint, incoming, parts, now);
            self.memory().webhooks.recorder.record(self.store(), delivery);
        } else {
            metrics::deliveries_unrecorded(1);
        }
    }
}

impl WebhookMemory {
    /// Room for a body for as long as it is worked on, together with what its caller set apart for it. Bodies that wait for
    /// a slow database must not fill the memory.
    fn room_for(&self, bytes: usize, kept: Option<Room>) -> Result<Room, EngineError> {
        let kib = u32::try_from(bytes.div_ceil(1024).max(1)).unwrap_or(u32::MAX);
        match Arc::clone(&self.room).try_acquire_many_owned(kib) {
            Ok(room) => Ok(Box::new((room, kept))),
            Err(_full) => Err(EngineError::Overloaded { retry_after: ROOM_RETRY_AFTER }),
        }
    }

    /// Runs a decision about a request within the room of its body, away from other requests if it takes long. Few of
    /// those at once: they take memory that the size of the body does not tell. A thread that has begun cannot be stopped:
    /// where nobody waits for it any more, turn and room are free when it has ended.
    async fn on_thread<T: Send + 'static>(
        &self,
        room: Room,
        incoming: Incoming,
        decide: impl FnOnce(&Incoming) -> T + Send + 'static,
    ) -> Result<(Room, Incoming, T), EngineError> {
        if incoming.body.len() < LARGE_BODY_BYTES && !incoming.is_packed() {
            let decided = decide(&incoming);
            return Ok((room, incoming, decided));
        }
        let turn = Arc::clone(&self.large).acquire_owned().await;
        let all = tokio::task::spawn_blocking(move || {
            let decided = decide(&incoming);
            drop(turn);
            (room, incoming, decided)
        });
        all.await.map_err(|error| EngineError::Fold { source: Box::new(error) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::sync::oneshot;

    use super::super::cache::{BODIES_KIB_MAX, LARGE_BODIES_MAX};
    use super::*;

    fn incoming(bytes: usize) -> Incoming {
        Incoming {
            method: "POST".to_owned(),
            path: "/hooks/x".to_owned(),
            query: None,
            headers: Vec::new(),
            body: vec![b'1'; bytes],
            remote_address: None,
            traceparent: None,
        }
    }

    #[tokio::test]
    async fn a_large_body_keeps_its_turn_and_room_until_its_thread_has_ended() {
        let (memory, kept) = (super::super::cache::WebhookMemory::default(), Arc::new(()));
        let (begin, begun) = oneshot::channel();
        let (go_on, goes_on) = mpsc::channel::<()>();
        let room =
            memory.room_for(LARGE_BODY_BYTES, Some(Box::new(Arc::clone(&kept)))).expect("there is room");
        let decide = move |_: &Incoming| {
            begin.send(()).expect("the test waits for it");
            goes_on.recv().expect("the test lets it go on");
        };
        let mut judging = Box::pin(memory.on_thread(room, incoming(LARGE_BODY_BYTES), decide));
        assert!(futures::poll!(&mut judging).is_pending(), "it is on its thread");
        begun.await.expect("it begins");
        drop(judging);
        let taken = || (memory.large.available_permits(), memory.room.available_permits());
        assert_eq!(taken(), (LARGE_BODIES_MAX - 1, BODIES_KIB_MAX - LARGE_BODY_BYTES / 1024));
        assert_eq!(Arc::strong_count(&kept), 2, "what its caller set apart is taken as well");
        go_on.send(()).expect("it waits");
        // All of it is free again when its thread has ended.
        let all = u32::try_from(BODIES_KIB_MAX).expect("it is small");
        drop(memory.room.acquire_many(all).await.expect("nobody closes it"));
        assert_eq!(memory.large.available_permits(), LARGE_BODIES_MAX);
    }
}
