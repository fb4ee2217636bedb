//! Where work runs that takes the processor for long: reading definitions, checking inputs against schemas, and the
//! expressions of executions. It would hold up all that the runtime's threads serve.
//!
//! There are few places, and a tenant has a share of them, so that what one tenant brings holds up its own first. Work that
//! has begun is not ended from outside, with the exception of expressions, which end at their next step; all of it is
//! bounded by itself.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use domain::names::TenantName;
use domain::time::DurationMs;
use domain::workflow::expression::Allowance;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::error::EngineError;
use crate::policy::WorkbenchPolicy;

/// When a caller may come again for whom there was no place.
const RETRY_AFTER: DurationMs = DurationMs(1_000);

/// From how many tenants on shares that nobody holds are dropped.
const SHARES_KEPT: usize = 1_024;

/// The places: those for calls, those for simulations, those for executions and those for checks of schedules are apart.
pub(crate) struct Workbench {
    policy: WorkbenchPolicy,
    calls: Places,
    simulations: Places,
    executions: Places,
    checks: Places,
}

impl Default for Workbench {
    fn default() -> Self {
        Self::new(WorkbenchPolicy::default())
    }
}

impl Workbench {
    pub(crate) fn new(policy: WorkbenchPolicy) -> Self {
        let places = || Places::new(policy);
        Self { policy, calls: places(), simulations: places(), executions: places(), checks: places() }
    }

    /// Runs work for a caller, who waits at most as long as the policy says.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        tenant: Option<&TenantName>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.within_deadline(&self.calls, tenant, work).await
    }

    /// Runs a simulation, or reads what is simulated, for a caller, who waits as long. Whoever may look may simulate: that takes
    /// no place from those who start executions of the same tenant.
    pub(crate) async fn simulate<T: Send + 'static>(
        &self,
        tenant: &TenantName,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.within_deadline(&self.simulations, Some(tenant), work).await
    }

    async fn within_deadline<T: Send + 'static>(
        &self,
        places: &Places,
        tenant: Option<&TenantName>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let overloaded = |_elapsed| EngineError::Overloaded { retry_after: RETRY_AFTER };
        tokio::time::timeout(self.policy.deadline.to_std(), async {
            let places = places.take(tenant).await;
            ended(begin(places, work)).await
        })
        .await
        .map_err(overloaded)?
    }

    /// Runs work of an execution, which waits for a place as long as it takes.
    pub(crate) async fn wait<T: Send + 'static>(
        &self,
        tenant: &TenantName,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let places = self.executions.take(Some(tenant)).await;
        ended(begin(places, work)).await
    }

    /// Runs work of a check of schedules, which waits for a place as long as it takes. A check serves all tenants: it waits for
    /// nothing that one of them has brought.
    pub(crate) async fn check<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let places = self.checks.take(None).await;
        ended(begin(places, work)).await
    }

    /// Evaluates expressions of a step of an execution. What is not done within the deadline fails by itself; with `stop`, the
    /// step is not made.
    pub(crate) async fn evaluate<T: Send + 'static>(
        &self,
        tenant: &TenantName,
        allowance: &Allowance,
        stop: &CancellationToken,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let interrupted = || EngineError::Overloaded { retry_after: RETRY_AFTER };
        let places = tokio::select! {
            () = stop.cancelled() => return Err(interrupted()),
            places = self.executions.take(Some(tenant)) => places,
        };
        let mut running = begin(places, work);
        tokio::select! {
            done = &mut running => return done.map_err(|source| failed(source.into())),
            () = tokio::time::sleep(self.policy.deadline.to_std()) => {}
            () = stop.cancelled() => {}
        }
        allowance.stop();
        let done = ended(running).await?;
        if stop.is_cancelled() { Err(interrupted()) } else { Ok(done) }
    }
}

/// Places for work that runs at once.
struct Places {
    all: Arc<Semaphore>,
    per_tenant: usize,
    shares: Mutex<HashMap<Option<TenantName>, Weak<Semaphore>>>,
}

impl Places {
    fn new(policy: WorkbenchPolicy) -> Self {
        let (all, per_tenant) = (policy.threads, policy.threads_per_tenant.min(policy.threads));
        Self { all: Arc::new(Semaphore::new(all)), per_tenant, shares: Mutex::default() }
    }

    /// Waits for a place in the tenant's share first, so that whoever waits there keeps no place from others.
    async fn take(&self, tenant: Option<&TenantName>) -> (OwnedSemaphorePermit, OwnedSemaphorePermit) {
        let share = self.share_of(tenant);
        let mine = share.acquire_owned().await;
        let one_of_all = Arc::clone(&self.all).acquire_owned().await;
        match (mine, one_of_all) {
            (Ok(mine), Ok(one_of_all)) => (mine, one_of_all),
            _ => unreachable!("nobody closes the places"),
        }
    }

    fn share_of(&self, tenant: Option<&TenantName>) -> Arc<Semaphore> {
        let mut shares = self.shares.lock();
        if let Some(share) = shares.get(&tenant.cloned()).and_then(Weak::upgrade) {
            return share;
        }
        if shares.len() >= SHARES_KEPT {
            shares.retain(|_, share| share.strong_count() > 0);
        }
        let share = Arc::new(Semaphore::new(self.per_tenant));
        shares.insert(tenant.cloned(), Arc::downgrade(&share));
        share
    }
}

/// The place is free when the work has ended, whether or not somebody still waits for it.
fn begin<T: Send + 'static>(
    places: (OwnedSemaphorePermit, OwnedSemaphorePermit),
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    tokio::task::spawn_blocking(move || {
        let done = work();
        drop(places);
        done
    })
}

async fn ended<T>(running: JoinHandle<T>) -> Result<T, EngineError> {
    running.await.map_err(|source| failed(source.into()))
}

fn failed(source: Box<dyn std::error::Error + Send + Sync>) -> EngineError {
    EngineError::Fold { source }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use domain::workflow::expression::EvaluationLimits;

    use super::*;

    /// What the work of a test misses, and what it keeps to on a machine that is busy with others.
    const SHORT: DurationMs = DurationMs(50);
    const LONG: DurationMs = DurationMs::from_secs(60);

    fn harness(threads: usize, threads_per_tenant: usize, deadline: DurationMs) -> Workbench {
        Workbench::new(WorkbenchPolicy { threads, threads_per_tenant, deadline })
    }

    fn tenant(name: &str) -> TenantName {
        TenantName::trusted(name)
    }

    #[tokio::test]
    async fn one_tenant_leaves_places_to_the_others() {
        let harness = Arc::new(harness(2, 1, LONG));
        let (go_on, waits) = mpsc::channel::<()>();
        let first = Arc::clone(&harness);
        let held = tokio::spawn(async move {
            let work = move || waits.recv().is_err();
            first.wait(&tenant("greedy"), work).await
        });
        while harness.executions.all.available_permits() > 1 {
            tokio::task::yield_now().await;
        }
        let refused =
            harness.call(Some(&tenant("greedy")), || 1).await.expect("calls have places of their own");
        assert_eq!(refused, 1);
        assert_eq!(harness.wait(&tenant("other"), || 2).await.expect("the other place"), 2);
        let own =
            tokio::time::timeout(Duration::from_millis(50), harness.wait(&tenant("greedy"), || 3)).await;
        assert!(own.is_err(), "its share is taken");
        drop(go_on);
        assert!(held.await.expect("ends").expect("ends"));
    }

    #[tokio::test]
    async fn a_caller_waits_no_longer_than_the_deadline() {
        let mut harness = harness(1, 1, SHORT);
        let (go_on, waits) = mpsc::channel::<()>();
        let answer = harness.call(None, move || waits.recv().is_err()).await;
        assert!(matches!(answer, Err(EngineError::Overloaded { .. })));
        let answer = harness.call(None, || ()).await;
        assert!(matches!(answer, Err(EngineError::Overloaded { .. })), "the place is not free yet");
        drop(go_on);
        while harness.calls.all.available_permits() == 0 {
            tokio::task::yield_now().await;
        }
        harness.policy.deadline = LONG;
        harness.call(None, || ()).await.expect("it is free again");
    }

    #[tokio::test]
    async fn simulations_take_no_place_from_calls() {
        let harness = harness(1, 1, SHORT);
        let (go_on, waits) = mpsc::channel::<()>();
        let answer = harness.simulate(&tenant("a"), move || waits.recv().is_err()).await;
        assert!(matches!(answer, Err(EngineError::Overloaded { .. })), "it is late, and keeps its place");
        let next = harness.simulate(&tenant("a"), || ()).await;
        assert!(matches!(next, Err(EngineError::Overloaded { .. })), "there is no other");
        assert_eq!(harness.check(|| 1).await.expect("checks have places of their own"), 1);
        drop(go_on);
        assert_eq!(harness.calls.all.available_permits(), 1, "those of calls are not touched");
    }

    #[tokio::test]
    async fn a_check_of_schedules_waits_for_no_tenant() {
        let harness = harness(1, 1, SHORT);
        let (go_on, waits) = mpsc::channel::<()>();
        let answer = harness.call(Some(&tenant("greedy")), move || waits.recv().is_err()).await;
        assert!(answer.is_err(), "it is late, and keeps the only place for calls");
        assert_eq!(harness.check(|| 1).await.expect("checks have places of their own"), 1);
        drop(go_on);
    }

    #[tokio::test]
    async fn expressions_are_stopped_at_the_deadline_and_by_whoever_owns_them() {
        let harness = harness(1, 1, SHORT);
        let allowance = Allowance::metered(EvaluationLimits::default());
        let until_stopped = |allowance: &Allowance| {
            let allowance = allowance.clone();
            move || {
                while !allowance.is_stopped() {
                    std::thread::yield_now();
                }
            }
        };
        let stop = CancellationToken::new();
        let done = harness.evaluate(&tenant("a"), &allowance, &stop, until_stopped(&allowance)).await;
        done.expect("what is late fails by itself");
        allowance.renew();
        stop.cancel();
        let done = harness.evaluate(&tenant("a"), &allowance, &stop, until_stopped(&allowance)).await;
        assert!(done.is_err(), "no step is made");
    }
}
