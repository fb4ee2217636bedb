//! The settler against a sink that fails on request.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use domain::id::JobId;
use parking_lot::Mutex;
use store::{Closed, StoreError};
use testkit::eventually;
use tokio::sync::Semaphore;
use tokio::sync::oneshot::{Receiver, channel};

use super::*;
use crate::leases::Leases;
use crate::slots::{Demand, WorkerSlots};
use crate::test_job::test_job;

/// What a call met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weather {
    Away,
    Fine,
}

#[derive(Clone)]
struct FakeSink {
    weather: Arc<Mutex<Weather>>,
    at_once: usize,
    /// A batch with this job is refused.
    poison: Option<JobId>,
    /// Nobody here has the key for the result of this one.
    closed: Option<JobId>,
    begun: Arc<Mutex<u32>>,
    /// Each call takes one.
    calls: Arc<Semaphore>,
    settled: Arc<Mutex<Vec<Vec<JobId>>>>,
    released: Arc<Mutex<Vec<JobId>>>,
    put_off: Arc<Mutex<Vec<JobId>>>,
    /// Whose results somebody here takes, and what comes of it.
    owners: Arc<Mutex<HashMap<JobId, Receiver<bool>>>>,
}

impl FakeSink {
    fn new() -> Self {
        Self {
            weather: Arc::new(Mutex::new(Weather::Fine)),
            at_once: 1,
            poison: None,
            closed: None,
            begun: Arc::default(),
            calls: Arc::new(Semaphore::new(1_000)),
            settled: Arc::default(),
            released: Arc::default(),
            put_off: Arc::default(),
            owners: Arc::default(),
        }
    }

    async fn admit(&self, ids: &[JobId]) -> Result<(), EngineError> {
        *self.begun.lock() += 1;
        self.calls.acquire().await.expect("open").forget();
        if *self.weather.lock() == Weather::Away {
            return Err(StoreError::Unavailable { source: "away".into() }.into());
        }
        if self.poison.is_some_and(|poison| ids.contains(&poison)) {
            return Err(StoreError::Refused { statement: "settle", source: "poison".into() }.into());
        }
        Ok(())
    }
}

#[async_trait]
impl Sink for FakeSink {
    async fn settle(&self, reports: Vec<AttemptReport>) -> Result<Vec<LeaseAnswer>, EngineError> {
        let ids: Vec<JobId> = reports.iter().map(|(lease, ..)| lease.id).collect();
        self.admit(&ids).await?;
        if self.closed.is_some_and(|closed| ids.contains(&closed)) {
            let why = Closed::WithoutKey("k".to_owned());
            return Err(StoreError::Sealed { table: "job_done", why }.into());
        }
        let answers = vec![LeaseAnswer::Ok(()); ids.len()];
        self.settled.lock().push(ids);
        Ok(answers)
    }

    fn deliver_to_owner(&self, lease: LeaseRef, _result: Option<&str>) -> Option<BoxFuture<'static, bool>> {
        let answer = self.owners.lock().remove(&lease.id)?;
        Some(answer.map(|answer| answer.unwrap_or(false)).boxed())
    }

    async fn release(&self, leases: Vec<LeaseRef>) -> Result<(), EngineError> {
        let ids: Vec<JobId> = leases.iter().map(|lease| lease.id).collect();
        self.admit(&ids).await?;
        self.released.lock().extend(ids);
        Ok(())
    }

    async fn put_off(&self, leases: Vec<(LeaseRef, DurationMs)>) -> Result<(), EngineError> {
        let ids: Vec<JobId> = leases.iter().map(|(lease, _)| lease.id).collect();
        self.admit(&ids).await?;
        self.put_off.lock().extend(ids);
        Ok(())
    }

    fn writes_at_once(&self) -> usize {
        self.at_once
    }

    fn jitter(&self) -> Jitter {
        Jitter(0.0)
    }
}

/// Jobs that a pool holds.
async fn held(slots: &WorkerSlots, leases: &Arc<Leases>, numbers: std::ops::Range<u128>) -> Vec<HeldJob> {
    let mut free = slots.take_free(Demand::Quiet).await;
    let mut jobs = Vec::new();
    for number in numbers {
        if free.count() == 0 {
            free = slots.take_free(Demand::Quiet).await;
        }
        let slot = free.take().expect("enough slots");
        let job = test_job("x", number);
        let lease = LeaseRef { id: job.id, token: job.token };
        let asked_at = Instant::now();
        let lease = leases.hold(lease, Duration::from_secs(30), asked_at);
        jobs.push(HeldJob { job, lease, slot, asked_at });
    }
    jobs
}

const SLOTS: usize = 1_000;

struct Scene {
    sink: FakeSink,
    slots: WorkerSlots,
    leases: Arc<Leases>,
    settler: Settler,
    reports: Reports,
}

impl Scene {
    fn new(sink: FakeSink) -> Self {
        let (settler, reports) = Settler::start(sink.clone(), SLOTS);
        Self { sink, slots: WorkerSlots::new(SLOTS), leases: Arc::new(Leases::default()), settler, reports }
    }

    async fn report(&self, numbers: std::ops::Range<u128>) -> Vec<JobId> {
        let jobs = held(&self.slots, &self.leases, numbers).await;
        let ids = jobs.iter().map(|held| held.job.id).collect();
        for job in jobs {
            self.reports.settle(job, Outcome::Completed(None)).await;
        }
        ids
    }

    async fn all_free(&self) {
        tokio::time::timeout(Duration::from_secs(20), self.slots.wait_all_free())
            .await
            .expect("slots become free");
    }
}

#[tokio::test]
async fn what_arrives_during_a_write_goes_together() {
    let sink = FakeSink::new();
    sink.calls.forget_permits(1_000);
    let scene = Scene::new(sink);
    let first = scene.report(0..1).await;
    eventually("the first write is under way, and held up", || async { *scene.sink.begun.lock() == 1 }).await;
    let rest = scene.report(1..700).await;
    assert_eq!(scene.leases.len(), 0, "a lease is no longer renewed once its job is reported");
    scene.sink.calls.add_permits(3);
    scene.all_free().await;
    let settled = scene.sink.settled.lock().clone();
    assert_eq!(settled, [first, rest[..BATCH_MAX].to_vec(), rest[BATCH_MAX..].to_vec()]);
    scene.settler.stop().await;
}

#[tokio::test]
async fn a_large_batch_is_not_kept_waiting_for_the_one_before_but_a_small_one_is() {
    let mut sink = FakeSink::new();
    sink.at_once = 2;
    sink.calls.forget_permits(1_000);
    let scene = Scene::new(sink);
    let begun = || *scene.sink.begun.lock();
    let mut reported = scene.report(0..1).await;
    eventually("a write is under way, and held up", || async { begun() == 1 }).await;
    reported.extend(scene.report(1..3).await);
    for _ in 0..20 {
        tokio::task::yield_now().await;
        assert_eq!(begun(), 1, "two reports are not worth a second write");
    }
    reported.extend(scene.report(3..1 + second_min(SLOTS) as u128).await);
    eventually("a second write is under way", || async { begun() == 2 }).await;
    reported.extend(scene.report(300..500).await);
    for _ in 0..20 {
        tokio::task::yield_now().await;
        assert_eq!(begun(), 2, "there is no third at once");
    }
    scene.sink.calls.add_permits(3);
    scene.all_free().await;
    let mut settled = scene.sink.settled.lock().concat();
    settled.sort_unstable();
    reported.sort_unstable();
    assert_eq!(settled, reported);
    scene.settler.stop().await;
}

#[tokio::test]
async fn reports_wait_for_the_store_and_keep_their_slots() {
    let sink = FakeSink::new();
    *sink.weather.lock() = Weather::Away;
    let scene = Scene::new(sink);
    let settled = scene.report(0..3).await;
    let released = held(&scene.slots, &scene.leases, 3..5).await;
    let released_ids: Vec<JobId> = released.iter().map(|held| held.job.id).collect();
    for job in released {
        scene.reports.release(job);
    }
    eventually("several tries", || async { scene.sink.calls.available_permits() < 998 }).await;
    assert_eq!(scene.slots.free_count(), 995);
    *scene.sink.weather.lock() = Weather::Fine;
    scene.all_free().await;
    assert_eq!(scene.sink.settled.lock().concat(), settled);
    assert_eq!(*scene.sink.released.lock(), released_ids);
    scene.settler.stop().await;
}

#[tokio::test]
async fn one_bad_report_takes_no_other_with_it() {
    let mut sink = FakeSink::new();
    sink.poison = Some(test_job("x", 4).id);
    let scene = Scene::new(sink);
    let ids = scene.report(0..9).await;
    scene.all_free().await;
    let mut settled = scene.sink.settled.lock().concat();
    settled.sort_unstable();
    let expected: Vec<JobId> = ids.into_iter().filter(|id| Some(*id) != scene.sink.poison).collect();
    assert_eq!(settled, expected);
    scene.settler.stop().await;
}

#[tokio::test]
async fn a_report_without_its_key_puts_its_job_off_and_keeps_no_other_back() {
    let mut sink = FakeSink::new();
    sink.closed = Some(test_job("x", 4).id);
    let scene = Scene::new(sink);
    let ids = scene.report(0..9).await;
    scene.all_free().await;
    let mut settled = scene.sink.settled.lock().concat();
    settled.sort_unstable();
    let expected: Vec<JobId> = ids.into_iter().filter(|id| Some(*id) != scene.sink.closed).collect();
    assert_eq!(settled, expected);
    assert_eq!(scene.sink.put_off.lock().as_slice(), scene.sink.closed.as_slice());
    scene.settler.stop().await;
}

#[tokio::test]
async fn it_can_be_stopped_while_the_store_is_away() {
    let sink = FakeSink::new();
    *sink.weather.lock() = Weather::Away;
    let scene = Scene::new(sink);
    scene.report(0..3).await;
    eventually("a try", || async { scene.sink.calls.available_permits() < 1_000 }).await;
    scene.settler.stop().await;
    tokio::time::timeout(Duration::from_secs(20), scene.slots.wait_all_free())
        .await
        .expect("slots become free");
}

#[tokio::test]
async fn results_that_owners_take_wait_outside_the_batches() {
    let scene = Scene::new(FakeSink::new());
    let ids: Vec<JobId> = (0..2).map(|number| test_job("x", number).id).collect();
    let mut owners = Vec::new();
    for &id in &ids {
        let (owner, answer) = channel();
        scene.sink.owners.lock().insert(id, answer);
        owners.push(owner);
    }
    let jobs = held(&scene.slots, &scene.leases, 0..2).await;
    let reports: Vec<_> = jobs
        .into_iter()
        .map(|job| {
            let reports = scene.reports.clone();
            tokio::spawn(async move { reports.settle(job, Outcome::Completed(None)).await })
        })
        .collect();
    eventually("both are delivered", || async { scene.sink.owners.lock().is_empty() }).await;
    let other = scene.report(2..3).await;
    eventually("another report is written", || async { *scene.sink.begun.lock() == 1 }).await;
    assert_eq!(scene.leases.len(), 2, "their leases are renewed until the owner has committed");
    // One is written by its owner. The other owner leaves.
    let rest = owners.pop().expect("two owners");
    owners.pop().expect("two owners").send(true).expect("it is waited for");
    drop(rest);
    for report in reports {
        report.await.expect("no panic");
    }
    scene.all_free().await;
    assert_eq!(*scene.sink.settled.lock(), [other, vec![ids[1]]]);
    scene.settler.stop().await;
}
