//! What workers and the reaper do: claims, and what is written under leases.

use domain::build::WorkerBuild;
use domain::failure::JobError;
use domain::job::{AttemptFacts, Disposition, Outcome, after_attempt};
use domain::names::WorkerId;
use domain::retry::Jitter;
use domain::time::{DurationMs, Timestamp};
use store::jobs::{
    ClaimRequest, ClaimedJob, Claimer, ExpiredLease, JobStore as _, LeaseAnswer, LeaseExtension, LeaseRef,
    SettleResult, Settlement,
};

use crate::pick::LeasePick;
use crate::system::{ALL, QUEUE, System, job_type, tenant};
use crate::transition::{Claim, Report};

/// The answers without what the store tells those who measure.
fn without_facts(mut answers: Vec<LeaseAnswer<SettleResult>>) -> Vec<LeaseAnswer<SettleResult>> {
    for answer in &mut answers {
        if let LeaseAnswer::Ok(settled) = answer {
            assert!(settled.facts.is_some(), "a settled job is measured");
            settled.facts = None;
        }
    }
    answers
}

/// How long leases hold.
const LEASE: DurationMs = DurationMs::from_secs(30);

/// Chance is none of this test's business.
const JITTER: Jitter = Jitter(0.5);

/// Somebody claims; the oracle says whether the answer was legal.
pub(crate) fn claim(system: &mut System, asked: &Claim) {
    let request = request(system, asked);
    let claimed = system.wait(system.store.claim(&request));
    record_claimed(system, &request, &claimed);
}

/// What a claim asks the store for.
pub(crate) fn request(system: &mut System, asked: &Claim) -> ClaimRequest {
    ClaimRequest {
        build: WorkerBuild::Any,
        queue: QUEUE,
        tenant: asked.tenant.map(tenant),
        job_types: asked.job_type.map(|number| vec![job_type(number)]),
        jobs_max: asked.size,
        lease: LEASE,
        worker_id: WorkerId::trusted(format!("worker {}", asked.size)),
        // A claim of several is made for two workers.
        others: (asked.size > 1).then(|| second(asked.size / 2)).into_iter().collect(),
        tokens: (0..asked.size).map(|_| system.token()).collect(),
        now: system.now,
    }
}

fn second(first_token: u32) -> Claimer {
    Claimer { worker_id: WorkerId::trusted("second worker"), first_token: first_token as usize }
}

/// Lets the oracle judge what was leased.
pub(crate) fn record_claimed(system: &mut System, request: &ClaimRequest, claimed: &[ClaimedJob]) {
    if let Err(fault) = system.oracle.claimed(request, claimed) {
        panic!("{fault:?}\nin the answer to {request:?}:\n{claimed:#?}");
    }
    for job in claimed {
        system.leases.push(LeaseRef { id: job.id, token: job.token });
        system.touched.insert(job.id);
    }
}

/// Leases are renewed.
pub(crate) fn extend(system: &mut System, picks: &[(LeasePick, Option<i64>)]) {
    let mut held: Vec<LeaseExtension> = Vec::new();
    for (pick, extend) in picks {
        let Some(lease) = pick.of(&system.oracle, &system.leases) else {
            continue;
        };
        // To renew one lease twice in one call means nothing.
        if !held.iter().any(|extension| extension.lease == lease) {
            let progress = extend.map(|extend_ms| extend_ms.to_string());
            held.push(LeaseExtension { lease, extend: extend.map(DurationMs), progress });
        }
    }
    let answers = system.wait(system.store.extend_leases(&held, system.now));
    assert_eq!(answers, system.oracle.extend(&held, system.now), "the answers to {held:?}");
    system.touched.extend(held.iter().map(|extension| extension.lease.id));
}

/// Leases are given back.
pub(crate) fn release(system: &mut System, picks: &[LeasePick]) {
    let mut held: Vec<LeaseRef> = Vec::new();
    for pick in picks {
        let lease = pick.of(&system.oracle, &system.leases);
        held.extend(lease.filter(|lease| !held.contains(lease)));
    }
    let answers = system.wait(system.store.release(&held, system.now));
    assert_eq!(answers, system.oracle.release(&held, system.now), "the answers to a release of {held:?}");
    system.touched.extend(held.iter().map(|lease| lease.id));
}

/// Workers report.
pub(crate) fn settle(system: &mut System, picks: &[(LeasePick, Report)]) {
    let batch = settlements(system, picks);
    let answers = without_facts(system.wait(system.store.settle(&batch, system.now)));
    assert_eq!(answers, system.oracle.settle(&batch, system.now), "the answers to {batch:?}");
    system.touched.extend(batch.iter().map(|settlement| settlement.lease.id));
}

/// The reaper settles leases that it looked at some time ago.
pub(crate) fn reap_late(system: &mut System, picks: &[(LeasePick, Report)]) {
    let batch = settlements(system, picks);
    let answers = without_facts(system.wait(system.store.reap(&batch, system.now)));
    assert_eq!(answers, system.oracle.reap(&batch, system.now), "the answers to the reaper's {batch:?}");
    system.touched.extend(batch.iter().map(|settlement| settlement.lease.id));
}

fn settlements(system: &System, picks: &[(LeasePick, Report)]) -> Vec<Settlement> {
    let settlement = |(pick, report): &(LeasePick, Report)| {
        let lease = pick.of(&system.oracle, &system.leases)?;
        let facts = system.oracle.job(lease.id)?.facts();
        Some(Settlement { lease, disposition: disposition(*report, &facts, system.now) })
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

/// The reaper looks for expired leases and settles them as the product does.
pub(crate) fn reap(system: &mut System) {
    let now = system.now;
    let expired = system.wait(system.store.expired_leases(now, ALL));
    assert_eq!(expired, system.oracle.expired_leases(now), "the expired leases");
    let settlement = |expired: &ExpiredLease| {
        let leased = &expired.leased;
        let facts = AttemptFacts { crashes: leased.facts.crashes + 1, ..leased.facts };
        let is_late = leased.deadline_at.is_some_and(|deadline| deadline <= now);
        let outcome = if is_late { Outcome::TimedOut } else { Outcome::WorkerLost };
        Settlement { lease: leased.lease, disposition: after_attempt(&facts, outcome, now, JITTER) }
    };
    let batch: Vec<Settlement> = expired.iter().map(settlement).collect();
    let answers = without_facts(system.wait(system.store.reap(&batch, now)));
    assert_eq!(answers, system.oracle.reap(&batch, now), "the answers to the reaper's {batch:?}");
    system.touched.extend(batch.iter().map(|settlement| settlement.lease.id));
}
