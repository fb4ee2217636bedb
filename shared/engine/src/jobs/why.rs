//! Why a job does not run: facts of the store, limits, pauses and workers, brought to one reason.

use domain::access::{Permission, TenantScope};
use domain::build::BuildPins;
use domain::claim::{LimitTable, RateTable};
use domain::id::JobId;
use domain::limits::LimitScope;
use domain::names::CallerKey;
use domain::queue::QueueName;
use domain::rate::{KeyRates, RateSubject};
use domain::time::{DurationMs, Timestamp};
use domain::why::{LimitLevel, PinFacts, RateLevel, Why, WhyFacts, WhyReason, why};
use domain::workflow::execution::JOB_TYPE_RESERVED_PREFIX;
use store::jobs::{JobRecord, WaitFacts};
use store::operations::WorkerRecord;
use store::queues::QueueMode;
use store::workflows::WorkflowVersion;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// A worker that was seen within this span counts as there.
const WORKER_SEEN_WITHIN: DurationMs = DurationMs::from_secs(60);
/// A worker that holds jobs may be too busy to poll, and counts as there for longer.
const WORKER_BUSY_WITHIN: DurationMs = DurationMs::from_secs(3_600);
/// How many workers are looked through.
const WORKERS_MAX: u32 = 1_000;

impl Engine {
    /// Why a job is not running.
    pub async fn why(&self, caller: &Caller, id: JobId) -> Result<Why, EngineError> {
        caller.require(Permission::Read)?;
        let job = self.known_job(caller, id).await?;
        let now = self.now();
        let Some(facts) = self.store().wait_facts(id).await? else {
            // It has left the hot table: what its state says is all there is to say.
            return Ok(why(&plain_facts(&job), now));
        };
        let workflow = self.latest_version(&job).await?;
        let facts = WhyFacts {
            paused: self.paused_part(&job, workflow.as_ref()).await?,
            levels: visible(&caller.scope, self.levels(&job, &facts, workflow.as_ref()).await?),
            rates: rate_levels(&facts, now),
            has_worker: self.has_worker(&job, None).await?,
            pinned: self.pin_of(&job).await?,
            rank: facts.rank,
            offered_until: job.offered_until,
            offers_returned: facts.offers_returned,
            unoffered: self.unoffered(&job).await?,
            ..plain_facts(&job)
        };
        self.name_holders(caller, &job, why(&facts, now)).await
    }

    /// Says who holds the slots of a limit that is used up, and how to raise it.
    async fn name_holders(
        &self,
        caller: &Caller,
        job: &JobRecord,
        mut answer: Why,
    ) -> Result<Why, EngineError> {
        let Some(level) = &answer.level else {
            return Ok(answer);
        };
        let mut names = Vec::with_capacity(level.holders.len());
        for holder in &level.holders {
            names.push(self.holder_name(caller, job.queue, holder).await?);
        }
        let more = if level.running as usize > names.len() { " and others" } else { "" };
        let by = if names.is_empty() { String::new() } else { format!(", by {}{more}", names.join(", ")) };
        let mut detail = format!("{} of {} slots are in use{by}.", level.running, level.limit);
        if job.queue == QueueName::Execution && !names.is_empty() {
            detail = format!(
                "{detail} `trunkline execution why {}` shows what that execution waits for.",
                names[0]
            );
        }
        if let (Some(command), Some(frees_when)) = (raise(job, level), &mut answer.frees_when) {
            *frees_when = format!("{frees_when}: `{command}`");
        }
        answer.detail = detail;
        Ok(answer)
    }

    /// Executions are known by their own ids, not by those of their jobs.
    async fn holder_name(
        &self,
        caller: &Caller,
        queue: QueueName,
        holder: &str,
    ) -> Result<String, EngineError> {
        let id = JobId::parse(holder).filter(|_| queue == QueueName::Execution);
        let Some(id) = id else {
            return Ok(holder.to_owned());
        };
        match self.known_job(caller, id).await {
            Ok(job) => Ok(job.execution_id.map_or_else(|| holder.to_owned(), |id| id.to_string())),
            Err(EngineError::NotFound { .. }) => Ok(holder.to_owned()),
            Err(error) => Err(error),
        }
    }

    async fn latest_version(&self, job: &JobRecord) -> Result<Option<WorkflowVersion>, EngineError> {
        let Some(workflow) = &job.workflow else {
            return Ok(None);
        };
        Ok(self.store().workflow(workflow.owner.as_ref(), workflow.name.as_str(), None).await?)
    }

    /// What is paused: its queue, or the workflow of an execution.
    async fn paused_part(
        &self,
        job: &JobRecord,
        workflow: Option<&WorkflowVersion>,
    ) -> Result<Option<String>, EngineError> {
        if self.queue_mode(job.queue).await? == QueueMode::Paused {
            return Ok(Some(format!("queue {}", job.queue)));
        }
        let paused = workflow.filter(|version| job.queue == QueueName::Execution && version.pause.is_some());
        Ok(paused.map(|version| format!("workflow {}", version.workflow.name)))
    }

    async fn levels(
        &self,
        job: &JobRecord,
        facts: &WaitFacts,
        workflow: Option<&WorkflowVersion>,
    ) -> Result<Vec<LimitLevel>, EngineError> {
        let table = self.limit_table(job.queue, workflow).await?;
        let mut levels = Vec::new();
        let mut add = |code, limit: Option<u32>, (running, holders): &(u32, Vec<JobId>)| {
            if let Some(limit) = limit {
                let holders = holders.iter().map(ToString::to_string).collect();
                levels.push(LimitLevel { code, limit, running: *running, holders });
            }
        };
        add(
            WhyReason::LimitGlobal,
            table.effective(&LimitScope::Global).max_concurrent,
            &facts.running_global,
        );
        add(WhyReason::LimitTenant, table.tenant(&job.tenant), &facts.running_tenant);
        if let Some(workflow) = &job.workflow {
            add(WhyReason::LimitWorkflow, table.workflow(workflow), &facts.running_workflow);
        }
        add(WhyReason::LimitJobType, table.job_type(&job.job_type), &facts.running_job_type);
        let of_tenant = table.tenant_job_type(&job.tenant, &job.job_type);
        add(WhyReason::LimitTenantJobType, of_tenant, &facts.running_tenant_job_type);
        if let Some(key) = &job.rate_key {
            let limit = table.rates.key_limit(&job.tenant, &CallerKey::trusted(key.clone()));
            add(WhyReason::LimitRateKey, limit, &facts.running_rate_key);
        }
        if let Some((limit, running)) = &facts.concurrency_key {
            add(WhyReason::LimitKey, Some(*limit), running);
        }
        Ok(levels)
    }

    /// The limits of a queue. Definitions only limit `workflow-execution`.
    pub(crate) async fn limit_table(
        &self,
        queue: QueueName,
        workflow: Option<&WorkflowVersion>,
    ) -> Result<LimitTable, EngineError> {
        let mut overrides = self.store().limit_overrides().await?;
        overrides.retain(|limit| limit.queue == queue);
        let mut rates = self.store().rate_overrides().await?;
        rates.retain(|rate| rate.queue == queue);
        let is_execution = queue == QueueName::Execution;
        let version = workflow.filter(|_| is_execution);
        let limits_of: Vec<_> = version
            .and_then(|version| version.max_concurrent.map(|limit| (version.workflow.clone(), limit)))
            .into_iter()
            .collect();
        let rates_of: Vec<_> = version
            .and_then(|version| version.rate.map(|rate| (version.workflow.clone(), rate)))
            .into_iter()
            .collect();
        let keys = if queue == QueueName::Node { self.store().key_rates().await? } else { Vec::new() };
        let rates = RateTable::resolve(&rates, &rates_of, is_execution).with_keys(KeyRates::resolve(&keys));
        Ok(LimitTable::resolve(self.policy().queue(queue).limits, &overrides, &limits_of).with_rates(rates))
    }

    /// Our own pools take every job of their queues; on `workflow-node` they take our own job types.
    /// Who is drained gets no more jobs. With `builds` only workers count that run one of them.
    async fn has_worker(&self, job: &JobRecord, builds: Option<&[CallerKey]>) -> Result<bool, EngineError> {
        if !self.needs_worker(job) {
            return Ok(true);
        }
        let drains = &self.memory().drains;
        let takes_more = |worker: &WorkerRecord| {
            let is_drained = worker.draining_at.is_some() || drains.knows(worker.tenant.as_ref(), &worker.id);
            let runs_one =
                |builds: &[CallerKey]| worker.build.as_ref().is_some_and(|build| builds.contains(build));
            !is_drained && builds.is_none_or(runs_one)
        };
        let since = self.now().minus(WORKER_SEEN_WITHIN);
        if self.memory().workers.has_taker(&job.job_type, &job.tenant, since, takes_more) {
            return Ok(true);
        }
        let busy_since = self.now().minus(WORKER_BUSY_WITHIN);
        let workers = self.store().list_workers(&TenantScope::All, busy_since, WORKERS_MAX).await?;
        Ok(workers.iter().any(|worker| {
            (worker.last_seen_at >= since || worker.leased > 0)
                && worker.job_types.contains(&job.job_type)
                && worker.tenant.as_ref().is_none_or(|tenant| *tenant == job.tenant)
                && takes_more(worker)
        }))
    }

    /// Whether outside workers take the job, and show themselves here: where jobs are pushed, they do so to the broker alone.
    fn needs_worker(&self, job: &JobRecord) -> bool {
        self.policy().dispatch.is_none()
            && job.queue == QueueName::Node
            && !job.job_type.as_str().starts_with(JOB_TYPE_RESERVED_PREFIX)
    }

    /// The builds that the job's type is pinned to, if it is.
    async fn pin_of(&self, job: &JobRecord) -> Result<Option<PinFacts>, EngineError> {
        if !self.needs_worker(job) {
            return Ok(None);
        }
        let pins = BuildPins::new(self.store().build_pins().await?);
        let Some(builds) = pins.of(&job.tenant, &job.job_type) else {
            return Ok(None);
        };
        let has_worker = self.has_worker(job, Some(builds)).await?;
        Ok(Some(PinFacts { builds: builds.to_vec(), has_worker }))
    }
}

/// The command that lets one more job in.
fn raise(job: &JobRecord, level: &LimitLevel) -> Option<String> {
    let (queue, slots) = (job.queue, level.running + 1);
    match (level.code, &job.workflow) {
        (WhyReason::LimitGlobal, _) => Some(format!("trunkline limits set {queue} {slots}")),
        (WhyReason::LimitTenant, _) => {
            Some(format!("trunkline limits set --tenant {} {queue} {slots}", job.tenant))
        }
        (WhyReason::LimitJobType, _) => {
            Some(format!("trunkline limits set --job-type {} {queue} {slots}", job.job_type))
        }
        (WhyReason::LimitTenantJobType, _) => Some(format!(
            "trunkline limits set --job-type {} --tenant {} {queue} {slots}",
            job.job_type, job.tenant
        )),
        (WhyReason::LimitWorkflow, Some(workflow)) => {
            Some(format!("trunkline limits set --workflow {} {queue} {slots}", workflow.name))
        }
        _ => None,
    }
}

/// A caller that is bound to a tenant learns how many slots are in use, but not by which jobs of others.
fn visible(scope: &TenantScope, mut levels: Vec<LimitLevel>) -> Vec<LimitLevel> {
    if *scope != TenantScope::All {
        for level in levels.iter_mut().filter(|level| {
            matches!(level.code, WhyReason::LimitGlobal | WhyReason::LimitWorkflow | WhyReason::LimitJobType)
        }) {
            level.holders.clear();
        }
    }
    levels
}

/// When each rate can admit a job with so many ahead of it in its lane.
fn rate_levels(facts: &WaitFacts, now: Timestamp) -> Vec<RateLevel> {
    let levels = facts.starts.iter().map(|(subject, rate, count)| RateLevel {
        code: match subject {
            RateSubject::Global => WhyReason::RateGlobal,
            RateSubject::Tenant(_) => WhyReason::RateTenant,
            RateSubject::Workflow(_) => WhyReason::RateWorkflow,
            RateSubject::JobType(_) => WhyReason::RateJobType,
            RateSubject::TenantJobType(..) => WhyReason::RateTenantJobType,
            RateSubject::Key(..) => WhyReason::RateKey,
        },
        rate: *rate,
        can_start_at: count.clone().advanced(rate, now).free_at(rate, facts.rank),
    });
    levels.collect()
}

fn plain_facts(job: &JobRecord) -> WhyFacts {
    WhyFacts {
        status: job.status,
        run_at: job.run_at,
        paused: None,
        levels: Vec::new(),
        rates: Vec::new(),
        has_worker: true,
        pinned: None,
        rank: 0,
        offered_until: None,
        offers_returned: 0,
        unoffered: None,
    }
}
