//! Pools on the harness: executions are owned and jobs are done as they come up, with the harness's clock and store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::names::WorkerId;
use domain::queue::QueueName;
use engine::{Engine, OwnerEnd, PoolClaim, own_execution};
use serde_json::Value;
use store::jobs::ClaimedJob;
use store::wakeup::Hint;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::engine::{EngineHarness, lease_of};

/// How long a pool goes without a look of its own, and upkeep without a step.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A pool that owns executions as they come up, and moves due ones into the queue. Ends when it is dropped.
#[derive(Debug)]
pub struct ExecutionPool {
    seen: Arc<Seen>,
    _stop: DropGuard,
    _task: JoinHandle<()>,
}

/// What a pool has seen.
#[derive(Debug, Default)]
struct Seen {
    owned: AtomicUsize,
    owned_max: AtomicUsize,
    parked: AtomicUsize,
}

impl ExecutionPool {
    /// How many executions are owned at the moment.
    pub fn owned(&self) -> usize {
        self.seen.owned.load(Ordering::SeqCst)
    }

    /// The most executions that were owned at once.
    pub fn owned_max(&self) -> usize {
        self.seen.owned_max.load(Ordering::SeqCst)
    }

    /// How often an execution was parked.
    pub fn parked(&self) -> usize {
        self.seen.parked.load(Ordering::SeqCst)
    }
}

/// A worker that does jobs as they come up. Ends when it is dropped.
#[derive(Debug)]
pub struct HarnessWorker {
    done: Arc<AtomicUsize>,
    _stop: DropGuard,
    _task: JoinHandle<()>,
}

impl HarnessWorker {
    /// How many jobs were reported.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }
}

impl EngineHarness {
    /// Owns executions as they are claimed, `slots` at once.
    pub fn run_executions(&self, slots: u32) -> ExecutionPool {
        let (stop, seen) = (CancellationToken::new(), Arc::new(Seen::default()));
        let pool = Pool { engine: self.engine.clone(), seen: Arc::clone(&seen), stop: stop.clone() };
        let task = tokio::spawn(pool.run(slots, self.wakeup.subscribe()));
        ExecutionPool { seen, _stop: stop.drop_guard(), _task: task }
    }

    /// Does the jobs of these types as they come up. `handle` answers the result, or `None` to fail the job for good.
    pub fn run_jobs<F>(&self, job_types: &'static [&'static str], handle: F) -> HarnessWorker
    where
        F: Fn(&ClaimedJob) -> Option<Value> + Send + Sync + 'static,
    {
        let (stop, done) = (CancellationToken::new(), Arc::new(AtomicUsize::new(0)));
        let (stopped, count, harness) = (stop.clone(), Arc::clone(&done), self.share());
        let mut hints = self.wakeup.subscribe();
        let task = tokio::spawn(async move {
            while !stopped.is_cancelled() {
                let jobs = harness.poll(job_types, 500).await.expect("the poll works");
                if jobs.is_empty() {
                    hinted(&mut hints, QueueName::Node).await;
                }
                for job in jobs {
                    let report = match handle(&job) {
                        Some(result) => harness.complete(&job, &result).await,
                        None => harness.fail(&job, false).await,
                    };
                    report.expect("the report is taken");
                    count.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        HarnessWorker { done, _stop: stop.drop_guard(), _task: task }
    }
}

struct Pool {
    engine: Engine,
    seen: Arc<Seen>,
    stop: CancellationToken,
}

impl Pool {
    async fn run(self, slots: u32, mut hints: Receiver<Hint>) {
        let mut owners = JoinSet::new();
        while !self.stop.is_cancelled() {
            while owners.try_join_next().is_some() {}
            self.engine.promote_tick().await.expect("due jobs can be promoted");
            let free = slots.saturating_sub(owners.len() as u32);
            let jobs = if free > 0 { self.claim(free).await } else { Vec::new() };
            if jobs.is_empty() {
                hinted(&mut hints, QueueName::Execution).await;
            }
            for job in jobs {
                self.seen.owned.fetch_add(1, Ordering::SeqCst);
                self.seen.owned_max.fetch_max(owners.len() + 1, Ordering::SeqCst);
                owners.spawn(own(self.engine.clone(), job, Arc::clone(&self.seen), self.stop.clone()));
            }
        }
        owners.join_all().await;
    }

    async fn claim(&self, jobs_max: u32) -> Vec<ClaimedJob> {
        let claim = PoolClaim {
            queue: QueueName::Execution,
            jobs_max,
            worker_id: WorkerId::trusted("execution-pool"),
            job_types: None,
        };
        self.engine.claim(claim).await.expect("the claim works")
    }
}

async fn own(engine: Engine, job: ClaimedJob, seen: Arc<Seen>, stop: CancellationToken) {
    let lease = lease_of(&job);
    let end = own_execution(engine.clone(), job, stop).await;
    seen.owned.fetch_sub(1, Ordering::SeqCst);
    match end {
        OwnerEnd::Parked => {
            seen.parked.fetch_add(1, Ordering::SeqCst);
        }
        OwnerEnd::Released => engine.release(vec![lease]).await.expect("a lease can be given back"),
        OwnerEnd::Finished | OwnerEnd::LeaseLost => {}
        OwnerEnd::Failed(error) => panic!("an execution cannot be owned: {error:?}"),
    }
}

/// Resolves with a hint about the queue, or after a while.
async fn hinted(hints: &mut Receiver<Hint>, queue: QueueName) {
    let about_queue = async {
        loop {
            match hints.recv().await {
                Ok(Hint::Queue(hinted)) if hinted == queue => return,
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => return,
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    };
    let _ = tokio::time::timeout(LOOK_EVERY, about_queue).await;
}
