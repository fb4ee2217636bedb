//! Carrying out steps: on the store, then on the oracle, and comparing the answers.

use domain::access::TenantScope;
use domain::id::JobId;
use domain::job::JobStatus;
use domain::limits::LimitScope;
use domain::names::CallerKey;
use domain::queue::Tier;
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};
use store::dead_letters::{DeadLetterChange, DeadLetterStore as _, RequeueEdit};
use store::jobs::{EagerlyEnqueued, Enqueued, JobChange, JobStore as _, NewJob};
use store::limits::{LimitChange, LimitStore as _};
use store::queues::QueueStore as _;

use crate::checks;
use crate::pick::{JobPick, LetterPick};
use crate::system::{ALL, QUEUE, System, job_type, tenant, workflow};
use crate::transition::{Claim, Draft, Edit, Scope, Setting, Step};
use crate::work;

/// Carries out a step; fails where the store's answer is not the oracle's.
pub(crate) fn carry_out(system: &mut System, step: &Step) {
    match step {
        Step::Enqueue(jobs) => enqueue(system, jobs),
        Step::EnqueueEagerly(jobs, asked) => enqueue_eagerly(system, jobs, asked),
        Step::Claim(asked) => work::claim(system, asked),
        Step::Extend(picks) => work::extend(system, picks),
        Step::Settle(picks) => work::settle(system, picks),
        Step::Release(picks) => work::release(system, picks),
        Step::Advance(ms) => system.now = system.now.plus(DurationMs(*ms)),
        Step::Promote(age_ms) => promote(system, age_ms.map(DurationMs)),
        Step::Reap => work::reap(system),
        Step::ReapLate(picks) => work::reap_late(system, picks),
        Step::Cancel(pick) => cancel(system, *pick),
        Step::Reprioritize(pick, tier) => reprioritize(system, *pick, *tier),
        Step::RunNow(pick) => run_now(system, *pick),
        Step::Requeue(pick, edit) => requeue(system, *pick, *edit),
        Step::Archive(pick) => archive(system, *pick),
        Step::Mode(mode) => {
            system.wait(system.store.set_queue_mode(QUEUE, *mode, system.now));
            system.oracle.set_mode(*mode);
        }
        Step::Limit(scope, setting) => change_limit(system, *scope, *setting),
        Step::Look(pick) => {
            if let Some(id) = pick.of(&system.oracle) {
                checks::look(system, id);
            }
        }
    }
}

fn enqueue(system: &mut System, jobs: &[Draft]) {
    let batch = new_jobs(system, jobs);
    let answers = system.wait(system.store.enqueue(&batch, system.now));
    assert_eq!(seen(&answers), system.oracle.enqueue(&batch, system.now), "the answers to an enqueue");
    system.touched.extend(answers.iter().map(|answer| answer.id));
}

/// Jobs that were leased at once are as if they had been queued and claimed by the next call.
fn enqueue_eagerly(system: &mut System, jobs: &[Draft], asked: &Claim) {
    let batch = new_jobs(system, jobs);
    let mut request = work::request(system, asked);
    request.others.clear();
    let EagerlyEnqueued { mut enqueued, leased } =
        system.wait(system.store.enqueue_eagerly(&batch, &request));
    let is_leased = |answer: &Enqueued| !answer.existing && leased.iter().any(|job| job.id == answer.id);
    for answer in enqueued.iter_mut().filter(|answer| is_leased(answer)) {
        assert_eq!(answer.status, JobStatus::Processing);
        answer.status = JobStatus::Queued;
    }
    assert_eq!(seen(&enqueued), system.oracle.enqueue(&batch, system.now), "the answers to an enqueue");
    system.touched.extend(enqueued.iter().map(|answer| answer.id));
    if !leased.is_empty() {
        request.jobs_max = leased.len() as u32;
        work::record_claimed(system, &request, &leased);
    }
}

fn new_jobs(system: &mut System, jobs: &[Draft]) -> Vec<NewJob> {
    let mut batch: Vec<NewJob> = Vec::with_capacity(jobs.len());
    for job in jobs {
        let again = job.again.and_then(|pick| pick.of(&system.oracle));
        let id = again.unwrap_or_else(|| JobId::from_uuid(system.uuid()));
        batch.push(new_job(job, id, system.now));
    }
    batch
}

fn seen(answers: &[Enqueued]) -> Vec<(JobId, JobStatus, bool)> {
    answers.iter().map(|Enqueued { id, status, existing, .. }| (*id, *status, *existing)).collect()
}

fn new_job(job: &Draft, id: JobId, now: Timestamp) -> NewJob {
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
        expires_at: None,
        retries_max: job.retries_max,
        backoff: Backoff { max: DurationMs::from_secs(3), ..Backoff::default() },
        timeout: job.timeout_ms.map(DurationMs),
        unique_key: job.unique_key.map(key),
        concurrency_key: job.concurrency_key.map(key),
        rate_key: None,
        tags: Vec::new(),
        traceparent: None,
        execution_id: None,
        node_id: None,
        attributes: Vec::new(),
    }
}

fn promote(system: &mut System, age: Option<DurationMs>) {
    let age_after: Vec<_> = age.iter().map(|&age| (QUEUE, age)).collect();
    let promoted = system.wait(system.store.promote_due(&age_after, system.now, ALL));
    let count = system.oracle.promote_due(age, system.now);
    let expected = if count == 0 { Vec::new() } else { vec![(QUEUE, count as u32)] };
    assert_eq!((promoted.by_queue, promoted.more), (expected, false), "what a promotion did");
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
        let answer = system.wait(system.store.reprioritize_job(&TenantScope::All, id, tier, system.now));
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
    let edit = RequeueEdit { data: None, tier: edit.tier, retries_max: edit.retries_max };
    let id = system.letters[&key];
    let answer = system.wait(system.store.requeue_dead_letter(&TenantScope::All, id, &edit, system.now));
    let expected = system.oracle.requeue(key, &edit, system.now);
    assert_eq!(without_reason(answer), without_reason(expected), "the answer to a requeue of {key:?}");
    system.touched.insert(key.0);
}

fn archive(system: &mut System, pick: LetterPick) {
    let Some(key) = pick.of(&system.oracle) else {
        return;
    };
    let id = system.letters[&key];
    let answer = system.wait(system.store.archive_dead_letter(&TenantScope::All, id, "known", system.now));
    let expected = system.oracle.archive(key, system.now);
    assert_eq!(without_reason(answer), without_reason(expected), "the answer to an archiving of {key:?}");
    system.touched.insert(key.0);
}

/// How a refusal is put is for people.
fn without_reason(change: DeadLetterChange) -> DeadLetterChange {
    match change {
        DeadLetterChange::Refused { .. } => DeadLetterChange::Refused { reason: "" },
        other => other,
    }
}

fn change_limit(system: &mut System, scope: Scope, setting: Setting) {
    let scope = match scope {
        Scope::Global => LimitScope::Global,
        Scope::TenantDefault => LimitScope::TenantDefault,
        Scope::WorkflowDefault => LimitScope::WorkflowDefault,
        Scope::Tenant(number) => LimitScope::Tenant(tenant(number)),
        Scope::Workflow(number) => LimitScope::Workflow(workflow(number)),
    };
    let max_concurrent = match setting {
        Setting::Removed => None,
        Setting::Unlimited => Some(None),
        Setting::AtMost(limit) => Some(Some(limit)),
    };
    let change = LimitChange { queue: QUEUE, scope, max_concurrent };
    system.wait(system.store.change_limits_and_rates(std::slice::from_ref(&change), &[], system.now));
    system.oracle.change_limit(change);
    let mut overrides = system.wait(system.store.limit_overrides());
    overrides.sort_by(|one, other| one.scope.cmp(&other.scope));
    assert_eq!(overrides, system.oracle.limit_overrides(), "the limits that are set");
}
