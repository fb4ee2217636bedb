//! What is stored of deliveries one by one is stored together.

use std::sync::Arc;

use async_trait::async_trait;
use domain::id::WebhookId;
use domain::queue::QueueName;
use domain::time::DurationMs;
use domain::webhook::{DeliverySource, DeliveryStatus};
use parking_lot::Mutex;
use rate_limits::{LocalLimits, Quota, Verdict};
use store::wakeup::{Hint, Wakeup};
use store::webhooks::{Acceptance, Accepted, HeldDelivery, Hold, NO_WEBHOOK, NewDelivery};
use store::{Clock, Store, StoreResult};
use tokio::sync::mpsc;

use crate::group_commit::{Second, Sink};
use crate::stats::StatNotes;
use crate::traces::Sends;
use crate::{fail_points, metrics};

/// Stores deliveries that are held.
pub(crate) struct HoldSink {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
}

#[async_trait]
impl Sink for HoldSink {
    type Item = HeldDelivery;
    type Answer = Hold;

    async fn commit(&self, held: &[HeldDelivery]) -> StoreResult<Vec<Hold>> {
        let holds = self.store.hold_deliveries(held, self.clock.now()).await?;
        let count = |is: fn(&Hold) -> bool| holds.iter().filter(|hold| is(hold)).count();
        metrics::deliveries(DeliveryStatus::Held.as_str(), count(|hold| matches!(hold, Hold::Held(_))));
        metrics::deliveries(
            DeliveryStatus::Duplicate.as_str(),
            count(|hold| matches!(hold, Hold::Duplicate(_))),
        );
        Ok(holds)
    }
}

/// Stores deliveries with their jobs and says that they are there.
pub(crate) struct AcceptSink {
    pub(super) store: Arc<dyn Store>,
    pub(super) wakeup: Arc<dyn Wakeup>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) stats: Arc<StatNotes>,
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

    fn second(&self) -> Second {
        Second::FOR_MANY_SOON
    }
}

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
                "rejected deliveries could not be recorded"
            );
        }
        rows.clear();
    }
}
