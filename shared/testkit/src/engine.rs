//! A harness with an engine: over a given store, with a clock and randomness that the test owns, and the few moves of a
//! worker made by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::access::{Role, TenantScope};
use domain::failure::JobError;
use domain::id::ExecutionId;
use domain::job::Outcome;
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::search::SearchList;
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use domain::workflow::parse::Format;
use engine::{
    Caller, CompleteItem, Engine, EngineError, EngineParts, ExecutionRequest, FailItem, JobRequest,
    ListRequest, LocalLimits, Outside, OwnerEnd, Policy, PollRequest, PolledJobs, PoolClaim, RateLimits,
    Rejection, SealingKeys, own_execution,
};
use serde_json::Value;
use store::Store;
use store::audit::AuditRecord;
use store::executions::ExecutionRecord;
use store::jobs::{ClaimedJob, Enqueued, LeaseAnswer, LeaseRef};
use store::wakeup::{Hint, Wakeup};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::clock::{FixedClock, SeededEntropy};

/// How long a test waits for something that has to happen, on a machine that is busy with others.
const DEADLINE: DurationMs = DurationMs::from_secs(60);

/// How long a poll waits for a job that has to come: polls may not wait for longer.
const POLL_DEADLINE: DurationMs = DurationMs::from_secs(30);

/// Hints within one process, for stores without any of their own.
#[derive(Debug)]
pub struct HarnessWakeup(broadcast::Sender<Hint>);

impl HarnessWakeup {
    /// Nobody listens yet.
    pub fn new() -> Self {
        Self(broadcast::Sender::new(1_024))
    }
}

impl Default for HarnessWakeup {
    fn default() -> Self {
        Self::new()
    }
}

impl Wakeup for HarnessWakeup {
    fn send(&self, hints: &[Hint]) {
        for &hint in hints {
            // Without a receiver there is nobody to wake.
            drop(self.0.send(hint.as_heard()));
        }
    }

    fn subscribe(&self) -> broadcast::Receiver<Hint> {
        self.0.subscribe()
    }
}

fn local_limits() -> Arc<dyn RateLimits> {
    Arc::new(LocalLimits::new())
}

/// An engine with everything that a test wants to reach.
pub struct EngineHarness {
    /// The engine.
    pub engine: Engine,
    /// Its clock.
    pub clock: Arc<FixedClock>,
    /// The store under it.
    pub store: Arc<dyn Store>,
    /// The hints that it sends and receives.
    pub wakeup: Arc<dyn Wakeup>,
    policy: Policy,
}

/// What nodes of a test may have of their own.
#[derive(Default)]
struct Own {
    secret_keys: Option<SealingKeys>,
    rate_limits: Option<Arc<dyn RateLimits>>,
    outside: Outside,
}

/// An execution that is owned in a task of its own.
pub struct Owned {
    /// Ends with the ownership.
    pub end: JoinHandle<OwnerEnd>,
    /// Asks the owner to stop.
    pub stop: CancellationToken,
    /// The lease of the execution's job.
    pub lease: LeaseRef,
}

impl EngineHarness {
    /// An engine over a store, with the default policy and backoffs without jitter.
    pub fn new(store: Arc<dyn Store>) -> Self {
        let mut policy = Policy::default();
        for queue in &mut policy.queues {
            queue.backoff.jitter = false;
        }
        Self::with_policy(store, policy)
    }

    /// An engine over a store with another policy.
    pub fn with_policy(store: Arc<dyn Store>, policy: Policy) -> Self {
        let (wakeup, clock) = (Arc::new(HarnessWakeup::new()), Arc::new(FixedClock::default()));
        Self::build(store, wakeup, clock, policy, Own::default(), 1)
    }

    /// An engine over a store, with the hints of its database.
    pub fn with_wakeup(store: Arc<dyn Store>, wakeup: Arc<dyn Wakeup>) -> Self {
        let clock = Arc::new(FixedClock::default());
        Self::build(store, wakeup, clock, Policy::default(), Own::default(), 1)
    }

    /// Another engine over the same store, clock and hints: another node of the same deployment. Each needs a seed of
    /// its own, from 2.
    #[must_use]
    pub fn node(&self, seed: u64) -> Self {
        let (store, wakeup, clock) =
            (Arc::clone(&self.store), Arc::clone(&self.wakeup), Arc::clone(&self.clock));
        Self::build(store, wakeup, clock, self.policy.clone(), Own::default(), seed)
    }

    /// Another node that seals secrets with keys of its settings instead of the one that the database keeps.
    #[must_use]
    pub fn node_with_keys(&self, seed: u64, keys: SealingKeys) -> Self {
        let (store, wakeup, clock) =
            (Arc::clone(&self.store), Arc::clone(&self.wakeup), Arc::clone(&self.clock));
        let own = Own { secret_keys: Some(keys), ..Own::default() };
        Self::build(store, wakeup, clock, self.policy.clone(), own, seed)
    }

    /// Another node that counts rates elsewhere than in its process.
    #[must_use]
    pub fn node_with_rates(&self, seed: u64, rate_limits: Arc<dyn RateLimits>) -> Self {
        let (store, wakeup, clock) =
            (Arc::clone(&self.store), Arc::clone(&self.wakeup), Arc::clone(&self.clock));
        let own = Own { rate_limits: Some(rate_limits), ..Own::default() };
        Self::build(store, wakeup, clock, self.policy.clone(), own, seed)
    }

    /// Another node for which the word of others counts.
    #[must_use]
    pub fn node_with_outside(&self, seed: u64, outside: Outside) -> Self {
        let (store, wakeup, clock) =
            (Arc::clone(&self.store), Arc::clone(&self.wakeup), Arc::clone(&self.clock));
        let own = Own { outside, ..Own::default() };
        Self::build(store, wakeup, clock, self.policy.clone(), own, seed)
    }

    /// The same engine once more, for a task.
    pub(crate) fn share(&self) -> Self {
        Self {
            engine: self.engine.clone(),
            clock: Arc::clone(&self.clock),
            store: Arc::clone(&self.store),
            wakeup: Arc::clone(&self.wakeup),
            policy: self.policy.clone(),
        }
    }

    fn build(
        store: Arc<dyn Store>,
        wakeup: Arc<dyn Wakeup>,
        clock: Arc<FixedClock>,
        policy: Policy,
        own: Own,
        seed: u64,
    ) -> Self {
        let engine = Engine::new(EngineParts {
            store: Arc::clone(&store),
            wakeup: Arc::clone(&wakeup),
            clock: Arc::clone(&clock) as Arc<dyn store::Clock>,
            entropy: Arc::new(SeededEntropy::new(seed)),
            rate_limits: own.rate_limits.unwrap_or_else(local_limits),
            secret_keys: own.secret_keys,
            // One for the tests, which set nothing in the environment that they share.
            secret_variable: |name| (name == "TRUNKLINE_SECRET_FROM_ENV").then(|| "from-env-1".to_owned()),
            outside: own.outside,
            policy: policy.clone(),
        });
        Self { engine, clock, store, wakeup, policy }
    }

    /// A caller that may do everything to everybody.
    pub fn admin(&self) -> Caller {
        Caller { actor: "test".to_owned(), ..Caller::system() }
    }

    /// A caller that is bound to a tenant.
    pub fn bound(&self, tenant: &str, role: Role) -> Caller {
        Caller { scope: TenantScope::One(TenantName::trusted(tenant)), role, ..self.admin() }
    }

    /// Enqueues one job.
    pub async fn enqueue(&self, request: JobRequest) -> Result<Enqueued, EngineError> {
        let mut enqueued = self.engine.enqueue(&self.admin(), vec![request]).await?;
        Ok(enqueued.remove(0))
    }

    /// Polls as an outside worker, without waiting.
    pub async fn poll(&self, job_types: &[&str], jobs_max: u32) -> Result<Vec<ClaimedJob>, EngineError> {
        let request = PollRequest {
            worker_id: WorkerId::trusted("harness"),
            job_types: job_types.iter().map(|&job_type| JobType::trusted(job_type)).collect(),
            jobs_max,
            lease: None,
            wait: None,
            tenant: None,
            build: None,
            builds: Vec::new(),
        };
        self.engine.poll(&self.admin(), request).await.map(PolledJobs::taken)
    }

    /// Polls for one job that has to be there within the harness's deadline.
    ///
    /// # Panics
    /// If no job comes.
    pub async fn take(&self, job_type: &str) -> ClaimedJob {
        let request = PollRequest {
            worker_id: WorkerId::trusted("harness"),
            job_types: vec![JobType::trusted(job_type)],
            jobs_max: 1,
            lease: None,
            wait: Some(POLL_DEADLINE),
            tenant: None,
            build: None,
            builds: Vec::new(),
        };
        let polled = self.engine.poll(&self.admin(), request).await.expect("the poll works");
        polled.taken().into_iter().next().unwrap_or_else(|| panic!("no {job_type} job came"))
    }

    /// Reports a success as an outside worker.
    pub async fn complete(&self, job: &ClaimedJob, result: &Value) -> Result<LeaseAnswer, EngineError> {
        let item = CompleteItem {
            lease: lease_of(job),
            result: Some(result.to_string()),
            attributes: BTreeMap::new(),
        };
        Ok(only(self.engine.complete(&self.admin(), vec![item]).await?))
    }

    /// Reports a failure as an outside worker.
    pub async fn fail(&self, job: &ClaimedJob, retryable: bool) -> Result<LeaseAnswer, EngineError> {
        let error = JobError::coded("boom", "it went wrong");
        let item = FailItem { lease: lease_of(job), error, retryable, retry_after: None };
        Ok(only(self.engine.fail(&self.admin(), vec![item]).await?))
    }

    /// Settles as one of our own pools.
    pub async fn settle(&self, job: &ClaimedJob, outcome: Outcome) -> Result<LeaseAnswer, EngineError> {
        Ok(self.engine.settle(vec![(lease_of(job), job.facts, outcome)]).await?[0])
    }

    /// The audit log as a caller sees it, newest first.
    ///
    /// # Panics
    /// If it cannot be read.
    pub async fn audit(&self, caller: &Caller) -> Vec<AuditRecord> {
        let lines = self.engine.search_audit(caller, &ListRequest::all(SearchList::Audit, 500)).await;
        lines.expect("the log is read").items.into_iter().map(|line| line.record).collect()
    }

    /// Registers a workflow that is given as JSON.
    pub async fn register(&self, definition: &Value) -> Result<(), EngineError> {
        let body = definition.to_string();
        self.engine.register_workflow(&self.admin(), body.as_bytes(), Format::Json).await?;
        Ok(())
    }

    /// Starts an execution.
    pub async fn start(&self, workflow: &str, input: &Value) -> Result<ExecutionId, EngineError> {
        let workflow = domain::names::WorkflowName::trusted(workflow);
        let request = ExecutionRequest::new(workflow, input.to_string());
        Ok(self.engine.start_executions(&self.admin(), vec![request]).await?[0].id)
    }

    /// Claims the next execution and owns it in a task, as the execution pool does.
    ///
    /// # Panics
    /// If there is none to claim.
    pub async fn own_next(&self) -> Owned {
        let claim = PoolClaim {
            queue: QueueName::Execution,
            jobs_max: 1,
            worker_id: WorkerId::trusted("execution-pool"),
            job_types: None,
        };
        let jobs = self.engine.claim(claim).await.expect("the claim works");
        let job = jobs.into_iter().next().expect("an execution is queued");
        let (lease, stop) = (lease_of(&job), CancellationToken::new());
        let end = tokio::spawn(own_execution(self.engine.clone(), job, stop.clone()));
        Owned { end, stop, lease }
    }

    /// Waits until an execution has ended.
    ///
    /// # Panics
    /// If it does not end.
    pub async fn ended(&self, id: ExecutionId) -> ExecutionRecord {
        let record =
            self.engine.wait_execution(&self.admin(), id, DEADLINE).await.expect("the execution is there");
        assert!(record.status.is_terminal(), "the execution is still {}", record.status.as_str());
        record
    }

    /// Waits until an execution is in a status.
    ///
    /// # Panics
    /// If it does not get there.
    pub async fn reaches(&self, id: ExecutionId, status: ExecutionStatus) {
        eventually("the execution's status", || async {
            let record = self.engine.execution(&self.admin(), id).await.expect("the execution is there");
            record.status == status
        })
        .await;
    }
}

/// The claim that a claimed job stands for.
pub fn lease_of(job: &ClaimedJob) -> LeaseRef {
    job.lease()
}

fn only(mut outcomes: Vec<Result<LeaseAnswer, Rejection>>) -> LeaseAnswer {
    outcomes.remove(0).expect("the report is within its bounds")
}

/// Polls a condition until it holds.
///
/// # Panics
/// If it does not hold within the harness's deadline.
pub async fn eventually<Check, Checked>(what: &str, mut check: Check)
where
    Check: FnMut() -> Checked,
    Checked: Future<Output = bool>,
{
    let until = tokio::time::Instant::now() + DEADLINE.to_std();
    while !check().await {
        assert!(tokio::time::Instant::now() < until, "{what}: it did not come true");
        // A poll with a deadline: the condition is asked again until it holds.
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}
