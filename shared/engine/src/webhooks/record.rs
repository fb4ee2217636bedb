//! Keep what was refused, and handshakes: in the background, for the delivery log. A flood of forgeries must cost
//! neither memory nor the database: what is too much is counted and not kept.

use std::sync::Arc;

use domain::id::WebhookId;
use domain::time::DurationMs;
use parking_lot::Mutex;
use rate_limits::{LocalLimits, Quota, Verdict};
use store::Store;
use store::webhooks::NewDelivery;
use tokio::sync::mpsc;

use crate::metrics;

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
