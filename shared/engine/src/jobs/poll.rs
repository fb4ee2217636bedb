//! Poll: an outside worker claims jobs, and waits for them if it wants to.

use std::time::Duration;

use domain::access::{Action, Permission, Subject};
use domain::build::WorkerBuild;
use domain::dispatch::is_holder;
use domain::id::JobId;
use domain::names::{JobType, TenantName};
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use domain::time::DurationMs;
use store::operations::WorkerRecord;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::Instant;

use super::polled::{PolledJobs, ReturnPath};
use super::request::PollRequest;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::request::{Claim, PoolClaim};
use crate::operations::check_builds;
use crate::waiters::PollKey;

/// The most job types of one poll.
const JOB_TYPES_MAX: usize = 200;
/// How long a waiting poll goes without looking by itself, hints or not.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Whether a poll that is ready to wait looks for jobs first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstLook {
    Always,
    /// Not where another one looked a moment ago and found nothing for it, and no hint has come since.
    UnlessKnownEmpty,
}

/// Why a poll stops waiting.
enum Next {
    /// Jobs came to it.
    Found(PolledJobs),
    /// It looks if that is due, and waits on.
    Wait {
        is_due: bool,
    },
    /// Its worker may be drained by now.
    Drains,
    End,
}

impl Engine {
    /// How leases go back that no worker knows of: as soon as they can, or when they run out.
    pub(super) fn return_path(&self) -> ReturnPath {
        let engine = self.clone();
        ReturnPath::new(move |leases| {
            // Without a runtime the process is ending.
            if let Ok(runtime) = Handle::try_current() {
                let engine = engine.clone();
                runtime.spawn(async move {
                    if let Err(error) = engine.release(leases).await {
                        tracing::warn!(
                            error = &error as &dyn std::error::Error,
                            "jobs of a disconnected caller could not be released; their leases will expire"
                        );
                    }
                });
            }
        })
    }

    /// Claims jobs of `workflow-node`. Answers as soon as there is one, and empty when the wait is over or the
    /// engine shuts down.
    pub async fn poll(&self, caller: &Caller, request: PollRequest) -> Result<PolledJobs, EngineError> {
        self.poll_looking(caller, request, FirstLook::Always).await
    }

    /// The same for a stream, which asks again with each job that it gets: it waits at once where somebody looked a moment
    /// ago and found nothing.
    pub async fn poll_on_stream(
        &self,
        caller: &Caller,
        request: PollRequest,
    ) -> Result<PolledJobs, EngineError> {
        self.poll_looking(caller, request, FirstLook::UnlessKnownEmpty).await
    }

    async fn poll_looking(
        &self,
        caller: &Caller,
        request: PollRequest,
        first: FirstLook,
    ) -> Result<PolledJobs, EngineError> {
        let (request, tenant) = self.admit_poll(caller, request)?;
        self.pin_as_asked(caller, &request, tenant.as_ref()).await?;
        // Before the look at the list, so that no drain falls between the two.
        let drains = self.memory().drains.changes();
        if self.is_drained(&request, tenant.as_ref()).await {
            return Ok(PolledJobs::drained(self.return_path()));
        }
        let wait = request.wait.unwrap_or(DurationMs::ZERO);
        let polled = if wait == DurationMs::ZERO {
            self.claim_together(self.claim_of(&request, tenant)).await?
        } else {
            let until = Instant::now() + wait.to_std();
            self.wait_for_jobs(request, tenant, (until, drains), first).await?
        };
        self.with_history(polled).await
    }

    /// Checks a poll and what its caller may do, and records the worker. Answers the tenant that it is for, too.
    pub(super) fn admit_poll(
        &self,
        caller: &Caller,
        mut request: PollRequest,
    ) -> Result<(PollRequest, Option<TenantName>), EngineError> {
        caller.require(Permission::Work)?;
        self.refuse_where_pushed(&request.job_types)?;
        let tenant = caller.tenant(request.tenant.take())?;
        self.check_poll(&request)?;
        for job_type in &request.job_types {
            // A key with scopes polls all tenants at once only where its scopes say so.
            let (job_type, tenant) = (Some(job_type.as_str()), tenant.as_ref().map(TenantName::as_str));
            caller.require_on(Action::JobsWork, &Subject { job_type, tenant, ..Subject::default() })?;
        }
        request.job_types.sort();
        request.job_types.dedup();
        self.show_worker(caller, &request.worker_id)?;
        self.record_poll(&request, tenant.as_ref());
        Ok((request, tenant))
    }

    /// Adds what earlier attempts left. Jobs whose share is too large go back to their queue; if it cannot be read, all do.
    pub(super) async fn with_history(&self, mut polled: PolledJobs) -> Result<PolledJobs, EngineError> {
        let ids: Vec<JobId> =
            polled.jobs.iter().filter(|job| job.may_have_history()).map(|job| job.id).collect();
        if ids.is_empty() {
            return Ok(polled);
        }
        let earlier = self.store().earlier_attempts(&ids).await?;
        if let Some(first) = ids.get(earlier.len()) {
            polled.give_back_from(*first);
        }
        polled.earlier = ids.into_iter().zip(earlier).collect();
        Ok(polled)
    }

    async fn wait_for_jobs(
        &self,
        request: PollRequest,
        tenant: Option<TenantName>,
        (until, mut drains): (Instant, watch::Receiver<u64>),
        first: FirstLook,
    ) -> Result<PolledJobs, EngineError> {
        self.listen();
        let key = PollKey {
            tenant: tenant.clone(),
            job_types: request.job_types.clone(),
            build: request.build.clone(),
        };
        let waiter = self.memory().waiters.join_poll(key);
        let group = waiter.group();
        let is_known = || self.store().is_known_without(QueueName::Node, tenant.as_ref(), &request.job_types);
        let mut is_due = first == FirstLook::Always || !is_known();
        while !self.shutdown_started() {
            if is_due {
                let polled = self.claim_together(self.claim_of(&request, tenant.clone())).await?;
                if !polled.jobs.is_empty() {
                    // There may be more: the next in line looks.
                    group.wake_one();
                    return Ok(polled);
                }
                group.record_look();
            }
            let mut place =
                self.memory().eager.polls.join(self.return_path(), self.claim_of(&request, tenant.clone()));
            let look_at = Instant::now() + LOOK_INTERVAL.mul_f64(0.5 + 0.5 * self.entropy().jitter().0);
            let next = tokio::select! {
                () = self.shutdown().cancelled() => Next::End,
                jobs = &mut place.jobs => jobs.map_or(Next::Wait { is_due: true }, Next::Found),
                () = group.woken() => Next::Wait { is_due: true },
                Ok(()) = drains.changed() => Next::Drains,
                () = tokio::time::sleep_until(until) => Next::End,
                () = self.next_start(QueueName::Node) => Next::Wait { is_due: true },
                // Of the many polls that ask for the same, one look a while is enough, and of those that ask for
                // different things, one that finds nothing for any of them.
                () = tokio::time::sleep_until(look_at) => {
                    Next::Wait { is_due: !group.was_looked_at_within(LOOK_INTERVAL / 2) && !is_known() }
                }
            };
            // A claim of its own must not find it in the line of those who wait for one.
            let found = place.leave();
            match next {
                Next::Found(polled) => return Ok(polled),
                _ if let Some(polled) = found => {
                    // The hint that woke it may be of other jobs.
                    group.wake_one();
                    return Ok(polled);
                }
                Next::End => break,
                Next::Drains => {
                    if self.is_drained(&request, tenant.as_ref()).await {
                        return Ok(PolledJobs::drained(self.return_path()));
                    }
                    is_due = false;
                }
                Next::Wait { is_due: looks } => is_due = looks,
            }
        }
        Ok(PolledJobs::new(self.return_path(), Vec::new()))
    }

    pub(super) fn claim_of(&self, request: &PollRequest, tenant: Option<TenantName>) -> Claim {
        Claim {
            pool: PoolClaim {
                queue: QueueName::Node,
                jobs_max: request.jobs_max,
                worker_id: request.worker_id.clone(),
                job_types: Some(request.job_types.clone()),
            },
            tenant,
            build: WorkerBuild::of_worker(request.build.clone()),
            lease: request.lease.unwrap_or(self.policy().queue(QueueName::Node).lease),
        }
    }

    /// Where a relay pushes jobs, nobody polls for them.
    fn refuse_where_pushed(&self, job_types: &[JobType]) -> Result<(), EngineError> {
        let Some(dispatch) = &self.policy().dispatch else {
            return Ok(());
        };
        let topics: Vec<String> = match job_types.first() {
            Some(job_type) => dispatch.topics.of_type(job_type).into(),
            None => Vec::new(),
        };
        Err(EngineError::Conflict {
            code: ProblemCode::DispatchedByKafka,
            message: format!(
                "Jobs are dispatched through Kafka (dispatch.mode = \"kafka_outbox\"): consume the topics {}, and accept \
                 their jobs with POST /v1/jobs/accept.",
                topics.join(", ")
            ),
        })
    }

    fn record_poll(&self, request: &PollRequest, tenant: Option<&TenantName>) {
        let now = self.now();
        self.record_worker(WorkerRecord {
            id: request.worker_id.clone(),
            kind: "external".to_owned(),
            tenant: tenant.cloned(),
            job_types: request.job_types.clone(),
            first_seen_at: now,
            last_seen_at: now,
            leased: 0,
            build: request.build.clone(),
            draining_at: None,
            slots: Some(request.jobs_max),
        });
    }

    fn check_poll(&self, request: &PollRequest) -> Result<(), EngineError> {
        let policy = self.policy();
        let mut faults = Faults::default();
        if request.job_types.is_empty() || request.job_types.len() > JOB_TYPES_MAX {
            faults.add("/jobTypes", format!("expected 1 to {JOB_TYPES_MAX} job types"));
        }
        for (index, job_type) in request.job_types.iter().enumerate() {
            faults.job_type(&format!("/jobTypes/{index}"), job_type);
        }
        check_builds(request, &mut faults);
        if is_holder(request.worker_id.as_str()) {
            faults.add("/workerId", "is reserved; choose another name");
        }
        if !(1..=policy.poll_jobs_max).contains(&request.jobs_max) {
            faults.add("/maxJobs", format!("expected 1 to {} jobs", policy.poll_jobs_max));
        }
        if let Some(lease) = request.lease {
            faults.within("/lease", lease, policy.lease_min, policy.lease_max);
        }
        if let Some(wait) = request.wait {
            faults.within("/wait", wait, DurationMs::ZERO, policy.poll_wait_max);
        }
        faults.check()
    }
}
