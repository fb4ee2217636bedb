//! The oracle says no: each kind of illegal claim, and the few rules that are easy to get wrong.

use domain::build::WorkerBuild;
use domain::failure::JobError;
use domain::id::{JobId, LeaseToken};
use domain::job::{Disposition, JobStatus};
use domain::limits::LimitScope;
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};
use store::jobs::{ClaimRequest, ClaimedJob, LeaseAnswer, LeaseRef, NewJob, Settlement};
use store::limits::LimitChange;
use store::queues::QueueMode;
use uuid::Uuid;

use super::{Fault, MemQueue};

const NOW: Timestamp = Timestamp(1_000_000);

fn id(number: u128) -> JobId {
    JobId::from_uuid(Uuid::from_u128(number))
}

/// A job of tenant `a`, tier normal.
fn job(number: u128) -> NewJob {
    NewJob {
        id: id(number),
        queue: QueueName::Node,
        tier: Tier::Normal,
        tenant: TenantName::trusted("a"),
        workflow: None,
        job_type: JobType::trusted("work"),
        data: "{}".to_owned(),
        run_at: NOW,
        expires_at: None,
        retries_max: 3,
        backoff: Backoff::default(),
        timeout: None,
        unique_key: None,
        concurrency_key: None,
        rate_key: None,
        tags: Vec::new(),
        traceparent: None,
        execution_id: None,
        node_id: None,
        attributes: Vec::new(),
    }
}

fn of_tier(number: u128, tier: Tier) -> NewJob {
    NewJob { tier, ..job(number) }
}

fn keyed(number: u128) -> NewJob {
    NewJob { concurrency_key: Some(CallerKey::trusted("k")), ..job(number) }
}

fn queue_of(jobs: &[NewJob]) -> MemQueue {
    let mut queue = MemQueue::new(QueueName::Node);
    queue.enqueue(jobs, NOW);
    queue
}

fn request(jobs_max: u32) -> ClaimRequest {
    ClaimRequest {
        build: WorkerBuild::Any,
        queue: QueueName::Node,
        tenant: None,
        job_types: None,
        jobs_max,
        lease: DurationMs::from_secs(30),
        worker_id: WorkerId::trusted("w"),
        others: Vec::new(),
        tokens: (0..jobs_max).map(|number| LeaseToken(Uuid::from_u128(u128::from(number) + 100))).collect(),
        now: NOW,
    }
}

fn limit(queue: &mut MemQueue, scope: LimitScope, limit: Option<u32>) {
    queue.change_limit(LimitChange { queue: QueueName::Node, scope, max_concurrent: Some(limit) });
}

/// What a store that chose these jobs would answer to their first claim.
fn answer(queue: &MemQueue, request: &ClaimRequest, numbers: &[u128]) -> Vec<ClaimedJob> {
    let claimed = numbers.iter().zip(&request.tokens).map(|(&number, &token)| {
        let known = queue.job(id(number)).expect("it was enqueued");
        let mut facts = known.facts();
        facts.attempt += 1;
        ClaimedJob {
            id: known.asked.id,
            queue: QueueName::Node,
            job_type: known.asked.job_type.clone(),
            tenant: known.asked.tenant.clone(),
            workflow: None,
            tier: known.tier,
            position: 1,
            data: known.asked.data.clone(),
            attempt: known.attempt + 1,
            facts,
            timeout: None,
            token,
            lease_until: request.now.plus(request.lease),
            started_at: request.now.max(known.queued_at),
            created_at: known.created_at,
            queued_at: known.queued_at,
            traceparent: None,
            execution_id: None,
            node_id: None,
        }
    });
    claimed.collect()
}

/// What the oracle says about a claim of up to `jobs_max` that took these jobs.
fn verdict(queue: &mut MemQueue, jobs_max: u32, numbers: &[u128]) -> Result<(), Fault> {
    let request = request(jobs_max);
    let claimed = answer(queue, &request, numbers);
    queue.claimed(&request, &claimed)
}

#[test]
fn a_legal_claim_leases() {
    let mut queue = queue_of(&[job(1), of_tier(2, Tier::High), job(3)]);
    assert_eq!(verdict(&mut queue, 2, &[2, 1]), Ok(()));
    assert_eq!(queue.count(JobStatus::Processing), 2);
    assert_eq!(queue.running(&LimitScope::Tenant(TenantName::trusted("a"))), 2);
}

#[test]
fn order_and_tiers_are_strict() {
    let jobs = [job(1), job(2), of_tier(3, Tier::High)];
    let expected = Fault::LowerTierFirst { got: id(1), higher: id(3) };
    assert_eq!(verdict(&mut queue_of(&jobs), 3, &[1, 3, 2]), Err(expected));
    let expected = Fault::OutOfOrder { got: id(2), first: id(1) };
    assert_eq!(verdict(&mut queue_of(&jobs), 3, &[3, 2, 1]), Err(expected));
}

#[test]
fn a_job_is_leased_once_and_nothing_is_left() {
    let mut queue = queue_of(&[job(1), job(2)]);
    assert_eq!(verdict(&mut queue, 2, &[1]), Err(Fault::LeftBehind(id(2))));
    assert_eq!(verdict(&mut queue, 1, &[1]), Err(Fault::NotQueued(id(1), JobStatus::Processing)));
    assert_eq!(verdict(&mut queue, 0, &[]), Ok(()), "who asks for nothing leaves everything");
}

#[test]
fn every_level_limits() {
    for scope in [LimitScope::Global, LimitScope::TenantDefault, LimitScope::Tenant(TenantName::trusted("a"))]
    {
        let mut queue = queue_of(&[job(1), job(2)]);
        limit(&mut queue, scope.clone(), Some(1));
        assert!(
            matches!(verdict(&mut queue, 2, &[1, 2]), Err(Fault::OverLimit(over, _)) if over == id(2)),
            "{scope:?}"
        );
        let mut queue = queue_of(&[job(1), job(2)]);
        limit(&mut queue, scope, Some(1));
        assert_eq!(verdict(&mut queue, 2, &[1]), Ok(()), "the other one is not admissible");
    }
}

#[test]
fn an_override_goes_before_the_default() {
    let mut queue = queue_of(&[job(1), job(2)]);
    limit(&mut queue, LimitScope::TenantDefault, Some(0));
    limit(&mut queue, LimitScope::Tenant(TenantName::trusted("a")), None);
    assert_eq!(verdict(&mut queue, 2, &[1, 2]), Ok(()));
}

#[test]
fn filters_pauses_and_contents_are_checked() {
    let mut queue = queue_of(&[job(1)]);
    let other = ClaimRequest { job_types: Some(vec![JobType::trusted("other")]), ..request(1) };
    let claimed = answer(&queue, &other, &[1]);
    assert_eq!(queue.claimed(&other, &claimed), Err(Fault::NotAskedFor(id(1))));
    assert_eq!(queue.claimed(&other, &[]), Ok(()));
    queue.set_mode(QueueMode::Paused);
    assert_eq!(verdict(&mut queue, 1, &[1]), Err(Fault::Paused(id(1))));
    queue.set_mode(QueueMode::Running);
    let request = request(1);
    let mut claimed = answer(&queue, &request, &[1]);
    claimed[0].attempt = 2;
    assert!(matches!(queue.claimed(&request, &claimed), Err(Fault::Differs { .. })));
    claimed[0].token = LeaseToken(Uuid::nil());
    assert_eq!(queue.claimed(&request, &claimed), Err(Fault::ForeignToken(id(1))));
}

#[test]
fn a_concurrency_key_admits_one_until_it_waits() {
    let mut queue = queue_of(&[keyed(1), keyed(2)]);
    assert_eq!(verdict(&mut queue, 2, &[1, 2]), Err(Fault::KeyTaken(id(2))));
    let lease = queue.job(id(1)).and_then(super::MemJob::lease_ref).expect("it was leased before the fault");
    let later = Disposition::RetryAt { at: NOW.plus(DurationMs(1)), error: JobError::coded("x", "x") };
    let answers = queue.settle(&[Settlement { lease, disposition: later }], NOW);
    assert!(matches!(&answers[0], LeaseAnswer::Ok(settled) if settled.status == JobStatus::RetryWait));
    assert_eq!(verdict(&mut queue, 2, &[2]), Ok(()));
    assert_eq!(queue.promote_due(None, NOW.plus(DurationMs(1))), 0, "due, but the key is taken");
}

#[test]
fn only_a_repeated_report_was_done_before() {
    let mut queue = queue_of(&[job(1)]);
    assert_eq!(verdict(&mut queue, 1, &[1]), Ok(()));
    let lease = queue.job(id(1)).and_then(super::MemJob::lease_ref).expect("it is leased");
    let settle = |queue: &mut MemQueue, token, disposition| {
        let lease = LeaseRef { id: id(1), token };
        queue.settle(&[Settlement { lease, disposition }], NOW).remove(0)
    };
    let complete = || Disposition::Complete(None);
    assert_eq!(settle(&mut queue, LeaseToken(Uuid::nil()), complete()), LeaseAnswer::LeaseLost);
    assert!(matches!(settle(&mut queue, lease.token, complete()), LeaseAnswer::Ok(_)));
    assert_eq!(settle(&mut queue, lease.token, complete()), LeaseAnswer::AlreadyDone);
    let retry = Disposition::RetryAt { at: NOW, error: JobError::coded("x", "x") };
    assert_eq!(settle(&mut queue, lease.token, retry), LeaseAnswer::LeaseLost);
    assert_eq!(queue.release(&[lease], NOW), [LeaseAnswer::LeaseLost]);
}
