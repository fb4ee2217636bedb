//! Accept a verified delivery: its guards, itself and its job in one commit, shared with those that arrive meanwhile.

use std::sync::Arc;

use async_trait::async_trait;
use domain::id::{DeliveryId, Id, JobId, WebhookId};
use domain::names::{JobType, TenantName};
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use rate_limits::{LocalLimits, Quota, Verdict};
use store::audit::has_line;
use store::jobs::NewJob;
use store::wakeup::{Hint, Wakeup};
use store::webhooks::{
    Acceptance, Accepted, DeliverySource, DeliveryStatus, GuardKey, NO_WEBHOOK, NewDelivery,
};
use store::{Clock, Store, StoreResult};
use tokio::sync::mpsc;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::group_commit::{Room, Sink};
use crate::stats::StatNotes;
use crate::traces::Sends;
use crate::{fail_points, metrics};

/// The job type of a delivery on `workflow-webhook`.
pub const JOB_TYPE_DELIVERY: &str = "trunkline:delivery";

impl Engine {
    /// Stores a replay; with `starts_again` triggers that had succeeded start their workflows again.
    pub(super) async fn accept_replay(
        &self,
        delivery: NewDelivery,
        starts_again: bool,
        now: Timestamp,
    ) -> Result<Accepted, EngineError> {
        self.accept_in(None, delivery, (Vec::new(), starts_again), now).await
    }

    /// Stores a delivery with its job, or finds the one that it repeats, within the room of its body, which is given back when it is stored: it waits for its commit also where its
    /// sender has hung up.
    pub(super) async fn accept_within(
        &self,
        room: Room,
        delivery: NewDelivery,
        guards: Vec<GuardKey>,
        now: Timestamp,
    ) -> Result<Accepted, EngineError> {
        self.accept_in(Some(room), delivery, (guards, false), now).await
    }

    async fn accept_in(
        &self,
        room: Option<Room>,
        delivery: NewDelivery,
        (guards, starts_again): (Vec<GuardKey>, bool),
        now: Timestamp,
    ) -> Result<Accepted, EngineError> {
        let (tenant, traceparent) = (delivery.tenant.clone(), delivery.traceparent.clone());
        let mut job = self.delivery_job(delivery.id, tenant, traceparent, now);
        if starts_again {
            job.data = format!(r#"{{"deliveryId":"{}","allTriggers":true}}"#, delivery.id);
        }
        let id = delivery.id;
        let acceptance = Acceptance { delivery, guards, job };
        if room.is_none() && has_line() {
            // The line of the audit log is in the commit of what it records, which nobody shares then.
            let accepted = self.accept_sink().commit(&[acceptance]).await?;
            return accepted.into_iter().next().ok_or_else(|| EngineError::not_found("delivery", &id));
        }
        self.memory().webhooks.acceptances.commit_within(room, acceptance, || self.accept_sink()).await
    }

    /// What stores deliveries.
    pub(crate) fn accept_sink(&self) -> AcceptSink {
        AcceptSink {
            store: Arc::clone(self.store()),
            wakeup: Arc::clone(self.wakeup()),
            clock: Arc::clone(self.clock()),
            stats: Arc::clone(&self.memory().stats),
        }
    }

    /// The job of a delivery, the same whenever it is made.
    pub(crate) fn delivery_job(
        &self,
        id: DeliveryId,
        tenant: TenantName,
        traceparent: Option<String>,
        now: Timestamp,
    ) -> NewJob {
        let policy = self.policy().queue(QueueName::Webhook);
        NewJob {
            id: job_id(id),
            queue: QueueName::Webhook,
            tier: Tier::High,
            tenant,
            workflow: None,
            job_type: JobType::trusted(JOB_TYPE_DELIVERY),
            data: format!(r#"{{"deliveryId":"{id}"}}"#),
            run_at: now,
            expires_at: None,
            retries_max: policy.retries_max,
            backoff: policy.backoff,
            timeout: None,
            unique_key: None,
            concurrency_key: None,
            rate_key: None,
            tags: Vec::new(),
            traceparent,
            execution_id: None,
            node_id: None,
            attributes: Vec::new(),
        }
    }
}

/// The job of a delivery is derived from it, so that accepting it twice makes one job.
fn job_id(delivery: DeliveryId) -> JobId {
    Id::derive(delivery.uuid(), &["job"])
}

/// Stores deliveries with their jobs and says that they are there.
pub(crate) struct AcceptSink {
    store: Arc<dyn Store>,
    wakeup: Arc<dyn Wakeup>,
    clock: Arc<dyn Clock>,
    stats: Arc<StatNotes>,
}

#[async_trait]
impl Sink for AcceptSink {
    type Item = Acceptance;
    type Answer = Accepted;

    async fn commit(&self, acceptances: &[Acceptance]) -> StoreResult<Vec<Accepted>> {
        fail_points::reach("accept-before");
        let handed = self.clock.now();
        let accepted = self.store.accept_deliveries(acceptances, handed).await?;
        fail_points::reach("accept-after");
        let new = accepted.iter().filter(|accepted| matches!(accepted, Accepted::New(_))).count();
        let of_events = |is_new: bool| {
            let answers = acceptances.iter().zip(&accepted);
            answers
                .filter(|(acceptance, answer)| {
                    acceptance.delivery.webhook_id == NO_WEBHOOK
                        && matches!(answer, Accepted::New(_)) == is_new
                })
                .count()
        };
        let (new_events, known_events) = (of_events(true), of_events(false));
        for (status, events, all) in [
            (DeliveryStatus::Accepted, new_events, new),
            (DeliveryStatus::Duplicate, known_events, accepted.len() - new),
        ] {
            metrics::deliveries_from(DeliverySource::Event, status.as_str(), events);
            metrics::deliveries_from(DeliverySource::Webhook, status.as_str(), all - events);
        }
        let stored =
            acceptances.iter().zip(&accepted).filter(|(_, answer)| matches!(answer, Accepted::New(_)));
        let jobs = stored.map(|(acceptance, _)| &acceptance.job);
        metrics::stored(jobs.clone());
        self.stats.enqueued(jobs.clone(), self.clock.now());
        Sends::of(jobs, handed).durable(&[], self.clock.now());
        if new > 0 {
            self.wakeup.send(&[Hint::Enqueued(QueueName::Webhook)]);
        }
        Ok(accepted)
    }

    fn commits_at_once(&self) -> usize {
        self.store.writes_at_once()
    }
}

// Keep what was refused, and handshakes: in the background, for the delivery log. A flood of forgeries must cost
// neither memory nor the database: what is too much is counted and not kept.

/// How many rows may wait.
const QUEUE_MAX: usize = 500;
/// The most rows of one commit.
const BATCH: usize = 100;
/// How much is kept of the body of a refused request, in bytes, from its beginning on.
const BODY_BYTES_MAX: usize = 4 * 1024;
/// How many rows of one endpoint are kept in a second, and at once.
const ROWS_PER_SECOND: u32 = 20;
const ROWS_AT_ONCE: u32 = 200;

/// Writes rows that nobody waits for. Its task starts with the first row and ends when the recorder is dropped.
#[derive(Default)]
pub(super) struct Recorder {
    sender: Mutex<Option<mpsc::Sender<NewDelivery>>>,
    rows: LocalLimits,
}

impl Recorder {
    /// Whether another row of this endpoint is kept. Counts it.
    pub(super) fn has_turn(&self, endpoint: WebhookId) -> bool {
        let quota = Quota::new(ROWS_PER_SECOND, DurationMs::from_secs(1), ROWS_AT_ONCE);
        self.rows.count("recorded", &endpoint.to_string(), quota) == Verdict::Allowed
    }

    /// Has a row written, if there is room for it.
    pub(super) fn record(&self, store: &Arc<dyn Store>, mut delivery: NewDelivery) {
        if delivery.body.len() > BODY_BYTES_MAX {
            // Anew: the large one must not stay in memory behind the small one.
            delivery.body = delivery.body[..BODY_BYTES_MAX].to_vec();
        }
        if self.sender(store).try_send(delivery).is_err() {
            metrics::deliveries_unrecorded(1);
        }
    }

    /// The task is started again where its runtime was shut down.
    fn sender(&self, store: &Arc<dyn Store>) -> mpsc::Sender<NewDelivery> {
        let mut kept = self.sender.lock();
        match &*kept {
            Some(sender) if !sender.is_closed() => sender.clone(),
            _ => {
                let (sender, receiver) = mpsc::channel(QUEUE_MAX);
                tokio::spawn(run(Arc::clone(store), receiver));
                kept.insert(sender).clone()
            }
        }
    }
}

async fn run(store: Arc<dyn Store>, mut receiver: mpsc::Receiver<NewDelivery>) {
    let mut rows = Vec::new();
    while receiver.recv_many(&mut rows, BATCH).await > 0 {
        if let Err(error) = store.record_deliveries(&rows).await {
            metrics::deliveries_unrecorded(rows.len());
            tracing::warn!(
                rows = rows.len(),
                error = &error as &dyn std::error::Error,
                "refused deliveries could not be kept for the log"
            );
        }
        rows.clear();
    }
}
