//! Carrying out steps: on the store, then on the oracle, and comparing the answers.

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::id::JobId;
use domain::job::{AttemptFacts, Disposition, JobStatus, Outcome, after_attempt};
use domain::limits::LimitScope;
use domain::names::{CallerKey, WorkerId};
use domain::queue::Tier;
use domain::retry::{Backoff, Jitter};
use domain::time::{DurationMs, Timestamp};
use store::dead_letters::{DeadLetterChange, DeadLetterStore as _, RequeueEdit};
use store::jobs::{
    ClaimRequest, Enqueued, ExpiredLease, JobChange, JobStore as _, LeaseExtension, LeaseRef, NewJob,
    Settlement,
};
use store::limits::{LimitChange, LimitStore as _};
use store::queues::QueueStore as _;

use crate::checks;
use crate::pick::{JobPick, LeasePick, LetterPick};
use crate::system::{QUEUE, System, job_type, tenant, workflow};
use crate::transition::{Claim, Edit, Job, Report, Scope, Step};

/// How long leases hold.
const LEASE: DurationMs = DurationMs::from_secs(30);
/// More than there ever are.
pub(crate) const ALL: u32 = 1_000;
/// Chance is none of this test's business.
const JITTER: Jitter = Jitter(0.5);

/// Carries out a step; fails where the store's answer is not the oracle's.
pub(crate) fn carry_out(system: &mut System, step: &Step) {
    match step {
        Step::Enqueue(jobs) => enqueue(system, jobs),
        Step::Claim(asked) => claim(system, asked),
        Step::Extend(picks) => extend(system, picks),
        Step::Settle(picks) => settle(system, picks),
        Step::Release(picks) => release(system, picks),
        Step::Advance(ms) => system.now = system.now.plus(DurationMs(*ms)),
        Step::Promote(age_ms) => promote(system, age_ms.map(DurationMs)),
        Step::Reap => reap(system),
        Step::ReapLate(picks) => reap_late(system, picks),
        Step::Cancel(pick) => cancel(system, *pick),
        Step::Reprioritize(pick, tier) => reprioritize(system, *pick, *tier),
        Step::RunNow(pick) => run_now(system, *pick),
        Step::Requeue(pick, edit) => requeue(system, *pick, *edit),
        Step::Archive(pick) => archive(system, *pick),
        Step::Mode(mode) => {
            system.wait(system.store.set_queue_mode(QUEUE, *mode, system.now));
            system.oracle.set_mode(*mode);
        }
        Step::Limit(scope, limit) => change_limit(system, *scope, *limit),
        Step::Look(pick) => {
            if let Some(id) = pick.of(&system.oracle) {
                checks::look(system, id);
            }
        }
    }
}

fn enqueue(system: &mut System, jobs: &[Job]) {
    let mut batch: Vec<NewJob> = Vec::with_capacity(jobs.len());
    for job in jobs {
        let again = job.again.and_then(|pick| pick.of(&system.oracle));
        let id = again.unwrap_or_else(|| JobId::from_uuid(system.uuid()));
        batch.push(new_job(job, id, system.now));
    }
    let answers = system.wait(system.store.enqueue(&batch, system.now));
    let seen: Vec<_> = answers
        .iter()
        .map(
            |Enqueued {
                 id, status, existing, ..
             }| (*id, *status, *existing),
        )
        .collect();
    assert_eq!(
        seen,
        system.oracle.enqueue(&batch, system.now),
        "the answers to an enqueue"
    );
    system.touched.extend(answers.iter().map(|answer| answer.id));
}

fn new_job(job: &Job, id: JobId, now: Timestamp) -> NewJob {
    let key = |number: u8| CallerKey::trusted(format!("k{number}"));
    NewJob {
        id,
        queue: QUEUE,
        tier: job.tier,
        tenant: tenant(job.tenant),
        workflow: job.workflow.map(workflow),
        job_type: job_type(job.job_type),
        data: format!(r#"{{"of":"{id}"}}"#),
        run_at: now.plus(DurationMs(job.delay_ms)),
        retries_max: job.retries_max,
        backoff: Backoff {
            max: DurationMs::from_secs(3),
            ..Backoff::default()
        },
        timeout: job.timeout_ms.map(DurationMs),
        unique_key: job.unique_key.map(key),
        concurrency_key: job.concurrency_key.map(key),
        tags: Vec::new(),
        traceparent: None,
        execution_id: None,
        node_id: None,
    }
}

fn claim(system: &mut System, asked: &Claim) {
    let request = ClaimRequest {
        queue: QUEUE,
        tenant: asked.tenant.map(tenant),
        job_types: asked.job_type.map(|number| vec![job_type(number)]),
        jobs_max: asked.size,
        lease: LEASE,
        worker_id: WorkerId::trusted(format!("worker {}", asked.size)),
        tokens: (0..asked.size).map(|_| system.token()).collect(),
        now: system.now,
    };
    let claimed = system.wait(system.store.claim(&request));
    if let Err(fault) = system.oracle.claimed(&request, &claimed) {
        panic!("{fault:?}\nin the answer to {request:?}:\n{claimed:#?}");
    }
    for job in &claimed {
        system.leases.push(LeaseRef {
            id: job.id,
            token: job.token,
        });
        system.touched.insert(job.id);
    }
}

/// The leases that are meant, each once: to renew one twice in one call means nothing.
fn leases_of<'a>(system: &System, picks: impl Iterator<Item = &'a LeasePick>) -> Vec<LeaseRef> {
    let mut leases: Vec<LeaseRef> = Vec::new();
    for pick in picks {
        if let Some(lease) = pick.of(&system.oracle, &system.leases)
            && !leases.contains(&lease)
        {
            leases.push(lease);
        }
    }
    leases
}

fn extend(system: &mut System, picks: &[(LeasePick, Option<i64>)]) {
    let leases = leases_of(system, picks.iter().map(|(pick, _)| pick));
    let extend = picks.first().and_then(|(_, extend)| extend.map(DurationMs));
    let progress = extend.map(|extend| extend.0.to_string());
    let held: Vec<LeaseExtension> = leases
        .iter()
        .map(|&lease| LeaseExtension {
            lease,
            extend,
            progress: progress.clone(),
        })
        .collect();
    let answers = system.wait(system.store.extend_leases(&held, system.now));
    assert_eq!(
        answers,
        system.oracle.extend(&held, system.now),
        "the answers to {held:?}"
    );
    system.touched.extend(leases.iter().map(|lease| lease.id));
}

fn release(system: &mut System, picks: &[LeasePick]) {
    let held = leases_of(system, picks.iter());
    let answers = system.wait(system.store.release(&held, system.now));
    assert_eq!(
        answers,
        system.oracle.release(&held, system.now),
        "the answers to a release of {held:?}"
    );
    system.touched.extend(held.iter().map(|lease| lease.id));
}

fn settle(system: &mut System, picks: &[(LeasePick, Report)]) {
    let batch = settlements(system, picks);
    let answers = system.wait(system.store.settle(&batch, system.now));
    assert_eq!(
        answers,
        system.oracle.settle(&batch, system.now),
        "the answers to {batch:?}"
    );
    system
        .touched
        .extend(batch.iter().map(|settlement| settlement.lease.id));
}

fn reap_late(system: &mut System, picks: &[(LeasePick, Report)]) {
    let batch = settlements(system, picks);
    let answers = system.wait(system.store.reap(&batch, system.now));
    assert_eq!(
        answers,
        system.oracle.reap(&batch, system.now),
        "the answers to the reaper's {batch:?}"
    );
    system
        .touched
        .extend(batch.iter().map(|settlement| settlement.lease.id));
}

fn settlements(system: &System, picks: &[(LeasePick, Report)]) -> Vec<Settlement> {
    let settlement = |(pick, report): &(LeasePick, Report)| {
        let lease = pick.of(&system.oracle, &system.leases)?;
        let facts = system.oracle.job(lease.id)?.facts();
        Some(Settlement {
            lease,
            disposition: disposition(*report, &facts, system.now),
        })
    };
    picks.iter().filter_map(settlement).collect()
}

/// What becomes of a job, by the product's own rule.
fn disposition(report: Report, facts: &AttemptFacts, now: Timestamp) -> Disposition {
    let outcome = match report {
        Report::Completed => Outcome::Completed(Some(r#"{"ok":true}"#.to_owned())),
        Report::Failed { retryable, at_once } => Outcome::Failed {
            error: JobError::coded("broken", "no use"),
            retryable,
            retry_after: at_once.then_some(DurationMs::ZERO),
        },
        Report::TimedOut => Outcome::TimedOut,
    };
    after_attempt(facts, outcome, now, JITTER)
}

fn reap(system: &mut System) {
    let now = system.now;
    let expired = system.wait(system.store.expired_leases(now, ALL));
    assert_eq!(expired, system.oracle.expired_leases(now), "the expired leases");
    let settlement = |expired: &ExpiredLease| {
        let leased = &expired.leased;
        let facts = AttemptFacts {
            crashes: leased.facts.crashes + 1,
            ..leased.facts
        };
        let is_late = leased.deadline_at.is_some_and(|deadline| deadline <= now);
        let outcome = if is_late {
            Outcome::TimedOut
        } else {
            Outcome::WorkerLost
        };
        Settlement {
            lease: leased.lease,
            disposition: after_attempt(&facts, outcome, now, JITTER),
        }
    };
    let batch: Vec<Settlement> = expired.iter().map(settlement).collect();
    let answers = system.wait(system.store.reap(&batch, now));
    assert_eq!(
        answers,
        system.oracle.reap(&batch, now),
        "the answers to the reaper's {batch:?}"
    );
    system
        .touched
        .extend(batch.iter().map(|settlement| settlement.lease.id));
}

fn promote(system: &mut System, age: Option<DurationMs>) {
    let age_after: Vec<_> = age.iter().map(|&age| (QUEUE, age)).collect();
    let promoted = system.wait(system.store.promote_due(&age_after, system.now, ALL));
    let count = system.oracle.promote_due(age, system.now);
    let expected = if count == 0 {
        Vec::new()
    } else {
        vec![(QUEUE, count as u32)]
    };
    assert_eq!(
        (promoted.by_queue, promoted.more),
        (expected, false),
        "what a promotion did"
    );
    let due = system.oracle.jobs().filter(|job| job.status == JobStatus::Queued);
    system.touched.extend(due.map(|job| job.asked.id));
}

fn cancel(system: &mut System, pick: JobPick) {
    operate(system, pick, |system, id| {
        let answer = system.wait(system.store.cancel_job(&TenantScope::All, id, system.now));
        (answer, system.oracle.cancel(id, system.now))
    });
}

fn reprioritize(system: &mut System, pick: JobPick, tier: Tier) {
    operate(system, pick, |system, id| {
        let answer = system.wait(
            system
                .store
                .reprioritize_job(&TenantScope::All, id, tier, system.now),
        );
        (answer, system.oracle.reprioritize(id, tier, system.now))
    });
}

fn run_now(system: &mut System, pick: JobPick) {
    operate(system, pick, |system, id| {
        let answer = system.wait(system.store.run_job_now(&TenantScope::All, id, system.now));
        (answer, system.oracle.run_now(id, system.now))
    });
}

fn operate(
    system: &mut System,
    pick: JobPick,
    change: impl FnOnce(&mut System, JobId) -> (JobChange, JobChange),
) {
    if let Some(id) = pick.of(&system.oracle) {
        let (answer, expected) = change(system, id);
        assert_eq!(answer, expected, "the answer to an operator's change of {id}");
        system.touched.insert(id);
    }
}

fn requeue(system: &mut System, pick: LetterPick, edit: Edit) {
    let Some(key) = pick.of(&system.oracle) else {
        return;
    };
    let edit = RequeueEdit {
        data: None,
        tier: edit.tier,
        retries_max: edit.retries_max,
    };
    let id = system.letters[&key];
    let answer = system.wait(
        system
            .store
            .requeue_dead_letter(&TenantScope::All, id, &edit, system.now),
    );
    let expected = system.oracle.requeue(key, &edit, system.now);
    assert_eq!(
        without_reason(answer),
        without_reason(expected),
        "the answer to a requeue of {key:?}"
    );
    system.touched.insert(key.0);
}

fn archive(system: &mut System, pick: LetterPick) {
    let Some(key) = pick.of(&system.oracle) else {
        return;
    };
    let id = system.letters[&key];
    let answer = system.wait(
        system
            .store
            .archive_dead_letter(&TenantScope::All, id, "known", system.now),
    );
    let expected = system.oracle.archive(key, system.now);
    assert_eq!(
        without_reason(answer),
        without_reason(expected),
        "the answer to an archiving of {key:?}"
    );
    system.touched.insert(key.0);
}

/// How a refusal is put is for people.
fn without_reason(change: DeadLetterChange) -> DeadLetterChange {
    match change {
        DeadLetterChange::Refused { .. } => DeadLetterChange::Refused { reason: "" },
        other => other,
    }
}

fn change_limit(system: &mut System, scope: Scope, max_concurrent: Option<Option<u32>>) {
    let scope = match scope {
        Scope::Global => LimitScope::Global,
        Scope::TenantDefault => LimitScope::TenantDefault,
        Scope::WorkflowDefault => LimitScope::WorkflowDefault,
        Scope::Tenant(number) => LimitScope::Tenant(tenant(number)),
        Scope::Workflow(number) => LimitScope::Workflow(workflow(number)),
    };
    let change = LimitChange {
        queue: QUEUE,
        scope: scope.clone(),
        max_concurrent,
    };
    system.wait(system.store.change_limits(&[change], system.now));
    system.oracle.change_limit(scope, max_concurrent);
    let mut overrides = system.wait(system.store.limit_overrides());
    overrides.sort_by(|one, other| one.scope.cmp(&other.scope));
    assert_eq!(
        overrides,
        system.oracle.limit_overrides(),
        "the limits that are set"
    );
}
