//! Gauges of the queues, of limits and of workers, for `/metrics`. They are read from the store when they are scraped, so that
//! every node shows the same.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use domain::alerting::{Alert, AlertStatus, Severity};
use domain::queue::QueueName;
use domain::time::Timestamp;
use engine::{Caller, DispatchReport, Engine, EngineError};
use metrics::{Label, gauge};
use store::Store;
use store::dispatch::OfferFigures;
use store_sql::SqlStore;
use telemetry::{MetricsHandle, TextFormat, names, of_job_type};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

/// How old they may be when they are scraped, and how often they are read at most.
const INTERVAL: Duration = Duration::from_secs(3);
/// Reading them may take this part of the time at most: where it is slow, it is done less often.
const SHARE: u32 = 20;
/// How long a scrape waits for them; after that it shows what there is.
const WAIT_MAX: Duration = Duration::from_secs(1);

/// Lets scrapes ask for the gauges, so that a process that nobody scrapes does not read them.
#[derive(Debug, Clone)]
pub(super) struct Scrapes {
    asked: Arc<Notify>,
    read_at: watch::Sender<Option<Instant>>,
}

impl Scrapes {
    pub(super) fn new() -> Self {
        Self { asked: Arc::new(Notify::new()), read_at: watch::Sender::new(None) }
    }

    /// Waits until the gauges are fresh, for a second at most.
    pub(super) async fn refresh(&self) {
        let mut read_at = self.read_at.subscribe();
        let is_fresh = |at: &Option<Instant>| at.is_some_and(|at| at.elapsed() < INTERVAL);
        if is_fresh(&read_at.borrow()) {
            return;
        }
        self.asked.notify_one();
        // Late or closing: what there is will do.
        let _ = tokio::time::timeout(WAIT_MAX, read_at.wait_for(is_fresh)).await;
    }

    /// Sets the gauges when a scrape asks for them, until `closing`. Figures that cannot be read stay as they were.
    pub(super) async fn answer(self, engine: Engine, store: Arc<SqlStore>, closing: CancellationToken) {
        let mut offers = ShownOffers::default();
        loop {
            tokio::select! {
                () = self.asked.notified() => {}
                () = closing.cancelled() => return,
            }
            let started = Instant::now();
            let (idle, busy) = store.connections();
            for (state, count) in [("idle", idle), ("busy", busy)] {
                gauge!(names::DATABASE_CONNECTIONS, names::STATE => state).set(count as f64);
            }
            if let Err(error) = read(&engine, &mut offers).await {
                tracing::debug!(error = &error as &dyn std::error::Error, "cannot read the queue statistics");
            }
            self.read_at.send_replace(Some(Instant::now()));
            let pause = INTERVAL.max(started.elapsed() * SHARE);
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = closing.cancelled() => return,
            }
        }
    }
}

async fn read(engine: &Engine, offers: &mut ShownOffers) -> Result<(), EngineError> {
    for queue in QueueName::ALL {
        set_load(engine, queue).await?;
    }
    set_offers(engine, offers).await?;
    let open = engine.store().open_alerts().await?;
    for severity in Severity::ALL {
        let is_firing = |alert: &&Alert| alert.status == AlertStatus::Firing && alert.severity == severity;
        let count = open.iter().filter(is_firing).count();
        gauge!(names::ALERTS_FIRING, names::SEVERITY => severity.as_str()).set(count as f64);
    }
    // Kinds of which no worker is there any more are shown as none.
    let mut workers: BTreeMap<String, u32> =
        ["external", "pool"].map(|kind| (kind.to_owned(), 0)).into_iter().collect();
    for worker in engine.present_workers().await? {
        *workers.entry(worker.kind).or_default() += 1;
    }
    for (kind, count) in workers {
        gauge!(names::WORKERS, names::KIND => kind).set(f64::from(count));
    }
    Ok(())
}

/// What waits to be offered, and the offers that stand, of all nodes. Where job types are no label, these are one figure.
async fn set_offers(engine: &Engine, shown: &mut ShownOffers) -> Result<(), EngineError> {
    if engine.policy().dispatch.is_none() {
        return Ok(());
    }
    let now = engine.now();
    let seconds_since = |at: Option<Timestamp>| at.map_or(0, |at| now.since(at).0.max(0)) as f64 / 1_000.0;
    let DispatchReport { view, outbox } = engine.dispatch(&Caller::system()).await?;
    gauge!(names::DISPATCH_OUTBOX_DEPTH).set(outbox.jobs as f64);
    gauge!(names::DISPATCH_OUTBOX_OLDEST_SECONDS).set(seconds_since(outbox.oldest_at));
    gauge!(names::DISPATCH_OLDEST_OFFER_SECONDS).set(seconds_since(view.oldest_offer()));
    gauge!(names::DISPATCH_LAG).set(view.lag() as f64);
    for (labels, standing) in shown.update(&view.offers, of_job_type) {
        gauge!(names::DISPATCH_OFFERS, labels).set(standing as f64);
    }
    Ok(())
}

/// The labels under which offers were shown: those of which none stand any more are shown as none.
#[derive(Debug, Default)]
struct ShownOffers(BTreeMap<Option<String>, Vec<Label>>);

impl ShownOffers {
    /// How many offers stand under each label that was ever shown.
    fn update(
        &mut self,
        offers: &[OfferFigures],
        labels_of: impl Fn(&str) -> Vec<Label>,
    ) -> Vec<(Vec<Label>, u64)> {
        let mut standing: BTreeMap<Option<String>, u64> = BTreeMap::new();
        self.0.entry(None).or_default();
        for of in offers {
            let labels = labels_of(of.job_type.as_str());
            let value = labels.first().map(|label| label.value().to_owned());
            *standing.entry(value.clone()).or_default() += of.standing;
            self.0.entry(value).or_insert(labels);
        }
        let shown = self.0.iter();
        shown
            .map(|(value, labels)| (labels.clone(), standing.get(value).copied().unwrap_or_default()))
            .collect()
    }
}

/// What waits and runs in a queue. Where more waits in a lane than is counted of it, the depth is the one that is counted now
/// and then for all nodes.
async fn set_load(engine: &Engine, queue: QueueName) -> Result<(), EngineError> {
    let load = engine.queue_load(queue).await?;
    let figures = engine.queue_figures(&Caller::system(), queue).await?;
    let name = queue.as_str();
    for (tier, of) in load.by_tier() {
        let word = tier.as_str();
        let counted = figures.tiers.iter().find(|figures| figures.tier == tier);
        let depth = match counted {
            Some(counted) if !load.is_exact => counted.queued.max(of.queued),
            _ => of.queued,
        };
        gauge!(names::QUEUE_DEPTH, names::QUEUE => name, names::TIER => word).set(depth as f64);
        let age = of.oldest_at.map_or(0, |oldest| load.as_of.since(oldest).0.max(0)) as f64 / 1_000.0;
        gauge!(names::QUEUE_OLDEST_AGE_SECONDS, names::QUEUE => name, names::TIER => word).set(age);
        gauge!(names::QUEUE_IN_FLIGHT, names::QUEUE => name, names::TIER => word).set(of.processing as f64);
        let held = of.held_by_limit as f64;
        gauge!(names::QUEUE_HELD_BY_LIMIT, names::QUEUE => name, names::TIER => word).set(held);
    }
    let slots = load.limits.global.map_or(f64::INFINITY, f64::from);
    gauge!(names::LIMIT_SLOTS, names::QUEUE => name).set(slots);
    gauge!(names::LIMIT_SLOTS_USED, names::QUEUE => name).set(load.processing() as f64);
    for (scope, count) in load.full_limits().scopes() {
        gauge!(names::LIMITS_FULL, names::QUEUE => name, names::SCOPE => scope).set(count as f64);
    }
    gauge!(names::DEAD_LETTERS_OPEN, names::QUEUE => name).set(figures.dead_letters as f64);
    Ok(())
}

// Metrics and health on their own port, also on nodes without the `api` role.

#[derive(Clone)]
struct MetricsState {
    handle: MetricsHandle,
    scrapes: Scrapes,
    store: Arc<dyn Store>,
}

/// `/metrics`, `/healthz` and `/readyz`.
pub(super) fn router(handle: MetricsHandle, scrapes: Scrapes, store: Arc<dyn Store>) -> Router {
    Router::new()
        .route("/metrics", get(render))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(MetricsState { handle, scrapes, store })
}

async fn render(State(state): State<MetricsState>, headers: HeaderMap) -> impl IntoResponse {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (format, content_type) = if accepted.contains("application/openmetrics-text") {
        (TextFormat::OpenMetrics, "application/openmetrics-text; version=1.0.0; charset=utf-8")
    } else {
        (TextFormat::Prometheus, "text/plain; version=0.0.4")
    };
    state.scrapes.refresh().await;
    ([(header::CONTENT_TYPE, content_type)], state.handle.render(format))
}

async fn ready(State(state): State<MetricsState>) -> impl IntoResponse {
    match state.store.ping().await {
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the database does not respond\n"),
    }
}

#[cfg(test)]
mod tests {
    use domain::names::JobType;

    use super::*;

    #[test]
    fn a_type_of_which_no_offer_stands_any_more_shows_none() {
        let labels_of = |job_type: &str| vec![Label::new("job_type", job_type.to_owned())];
        let of = |job_type: &str, standing| OfferFigures {
            job_type: JobType::trusted(job_type),
            standing,
            oldest: Timestamp(0),
        };
        let mut shown = ShownOffers::default();
        let both = shown.update(&[of("a", 2), of("b", 3)], labels_of);
        assert_eq!(both, [(Vec::new(), 0), (labels_of("a"), 2), (labels_of("b"), 3)]);
        let one = shown.update(&[of("b", 1)], labels_of);
        assert_eq!(one, [(Vec::new(), 0), (labels_of("a"), 0), (labels_of("b"), 1)]);
        let unlabelled = ShownOffers::default().update(&[of("a", 2), of("b", 3)], |_| Vec::new());
        assert_eq!(unlabelled, [(Vec::new(), 5)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_scrape_waits_for_gauges_and_does_not_ask_twice() {
        let scrapes = Scrapes::new();
        // Nobody answers: it shows what there is.
        scrapes.refresh().await;
        scrapes.asked.notified().await;
        let waiting = tokio::spawn({
            let scrapes = scrapes.clone();
            async move { scrapes.refresh().await }
        });
        scrapes.asked.notified().await;
        scrapes.read_at.send_replace(Some(Instant::now()));
        waiting.await.expect("it is over");
        scrapes.refresh().await;
        let asked_again = tokio::time::timeout(Duration::from_millis(1), scrapes.asked.notified()).await;
        assert!(asked_again.is_err(), "they are fresh");
    }
}
