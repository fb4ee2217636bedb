//! An engine that pushes jobs, a relay on it, and workers that consume.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::dispatch::{AcceptOutcome, TopicLayout, TopicNames};
use domain::id::{JobId, LeaseToken};
use domain::names::{JobType, WorkerId};
use domain::time::DurationMs;
use engine::{AcceptRequest, AcceptedJob, DispatchPolicy, JobRequest, Policy};
use relay::{RelayOptions, RunningRelay};
use store::jobs::LeaseRef;
use testkit::EngineHarness;
use testkit::database::{TestStore, postgres, sqlite_memory};

use crate::broker::MemoryBroker;

/// Runs each test on SQLite in memory and on PostgreSQL.
macro_rules! on_both_databases {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test($crate::harness::Pushed::on_sqlite().await).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test($crate::harness::Pushed::on_postgres().await).await;
                }
            )*
        }
    };
}
pub(crate) use on_both_databases;

pub(crate) const OFFER: DurationMs = DurationMs::from_secs(60);

/// An engine that pushes jobs.
pub(crate) struct Pushed {
    pub(crate) harness: EngineHarness,
    pub(crate) broker: Arc<MemoryBroker>,
    _store: TestStore,
}

fn names() -> TopicNames {
    TopicNames { prefix: "t".to_owned(), layout: TopicLayout::PerType }
}

impl Pushed {
    pub(crate) async fn on_sqlite() -> Self {
        Self::on(sqlite_memory().await)
    }

    pub(crate) async fn on_postgres() -> Self {
        Self::on(postgres().await)
    }

    fn on(store: TestStore) -> Self {
        let dispatch = DispatchPolicy { topics: names(), window: 5_000, offer_timeout: OFFER };
        let policy = Policy { dispatch: Some(dispatch), ..Policy::default() };
        let over = Arc::clone(&store.store) as Arc<dyn store::Store>;
        Self { harness: EngineHarness::with_policy(over, policy), broker: MemoryBroker::new(), _store: store }
    }

    /// A relay that could not renew its term in time publishes again what stands, so the term is far longer than a busy machine
    /// stands still. It ends within the time by which tests move the clock after a relay has died.
    pub(crate) fn options() -> RelayOptions {
        RelayOptions {
            topics_after: Duration::from_millis(10),
            look_least: Duration::from_millis(5),
            look_most: Duration::from_millis(30),
            retry_after: Duration::from_millis(5),
            term: Duration::from_secs(20),
            end_within: Duration::from_millis(200),
            ..RelayOptions::new("test", names(), 5_000, OFFER)
        }
    }

    /// For what relays say of themselves, and share with others, when they renew their terms.
    pub(crate) fn with_a_short_term() -> RelayOptions {
        RelayOptions { term: Duration::from_secs(6), ..Self::options() }
    }

    /// The clock is moved further than terms are long otherwise, and the relay would take its own offers for those of another.
    pub(crate) fn with_a_long_term() -> RelayOptions {
        RelayOptions { term: Duration::from_hours(1), ..Self::options() }
    }

    pub(crate) fn relay(&self) -> RunningRelay {
        self.relay_with(Self::options())
    }

    pub(crate) fn relay_with(&self, options: RelayOptions) -> RunningRelay {
        relay::start(self.harness.engine.clone(), Arc::<MemoryBroker>::clone(&self.broker), options)
    }

    pub(crate) async fn enqueue(&self, job_type: &str, count: usize) -> Vec<JobId> {
        self.enqueue_with(count, |_| JobRequest::new(JobType::trusted(job_type), "{}")).await
    }

    pub(crate) async fn enqueue_with(
        &self,
        count: usize,
        request: impl Fn(usize) -> JobRequest,
    ) -> Vec<JobId> {
        let requests = (0..count).map(request).collect();
        let enqueued = self.harness.engine.enqueue(&self.harness.admin(), requests).await.unwrap();
        enqueued.into_iter().map(|job| job.id).collect()
    }

    /// Accepts what these messages offer.
    pub(crate) async fn accept(&self, worker: &str, offers: &[serde_json::Value]) -> Vec<AcceptedJob> {
        let request = AcceptRequest {
            worker_id: WorkerId::trusted(worker),
            offers: offers.iter().map(lease_of).collect(),
        };
        self.harness.engine.accept(&self.harness.admin(), request).await.unwrap()
    }

    /// Completes what was accepted.
    pub(crate) async fn complete(&self, accepted: &[AcceptedJob]) {
        self.complete_leases(accepted.iter().filter_map(|job| job.lease).map(|(lease, _)| lease)).await;
    }

    /// Completes what these messages offer, without accepting it.
    pub(crate) async fn complete_offers(&self, offers: &[serde_json::Value]) {
        self.complete_leases(offers.iter().map(lease_of)).await;
    }

    async fn complete_leases(&self, leases: impl Iterator<Item = LeaseRef>) {
        let items =
            leases.map(|lease| engine::CompleteItem { lease, result: None, attributes: BTreeMap::new() });
        let outcomes = self.harness.engine.complete(&self.harness.admin(), items.collect()).await.unwrap();
        assert!(
            outcomes.iter().all(|outcome| *outcome == Ok(store::jobs::LeaseAnswer::Ok(()))),
            "{outcomes:?}"
        );
    }

    /// The reason why a job does not run.
    pub(crate) async fn why(&self, id: JobId) -> &'static str {
        self.harness.engine.why(&self.harness.admin(), id).await.unwrap().reason.as_str()
    }

    /// How many offers stand.
    pub(crate) async fn standing(&self) -> u64 {
        self.harness.store.dispatch_view(self.harness.engine.now()).await.unwrap().standing()
    }

    /// Waits until the broker has had so many messages in all.
    pub(crate) async fn published(&self, count: usize) {
        testkit::eventually(&format!("{count} messages"), || async { self.broker.len() >= count }).await;
    }
}

fn lease_of(offer: &serde_json::Value) -> LeaseRef {
    LeaseRef {
        id: JobId::parse(offer["job"]["id"].as_str().unwrap()).unwrap(),
        token: LeaseToken::parse(offer["job"]["leaseToken"].as_str().unwrap()).unwrap(),
    }
}

pub(crate) fn outcomes(accepted: &[AcceptedJob]) -> Vec<AcceptOutcome> {
    accepted.iter().map(|job| job.outcome).collect()
}
