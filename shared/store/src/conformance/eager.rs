//! The eager start: jobs that may be leased by the commit that stores them. A store may always queue them instead, so
//! cases say what holds either way.

use domain::access::TenantScope;
use domain::id::LeaseToken;
use domain::job::JobStatus;
use domain::limits::LimitScope;
use domain::names::{CallerKey, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::workflow::execution::ExecutionStatus;

use super::executions::{commit, node_job, owned};
use super::fixture::{
    T0, after_secs, claim, claim_nodes, complete, enqueue, execution, job, jobs, load_one, numbered, status,
    tenant, version,
};
use crate::Store;
use crate::executions::{CompletedJob, ExecutionCommit};
use crate::jobs::{
    ClaimRequest, ClaimedJob, Claimer, EagerlyEnqueued, LeaseAnswer, LeaseExtension, LeaseRef, NewJob,
};
use crate::limits::LimitChange;
use crate::queues::QueueMode;

async fn eagerly(store: &dyn Store, jobs: &[NewJob]) -> EagerlyEnqueued {
    store.enqueue_eagerly(jobs, &claim(QueueName::Node, 10, T0)).await.expect("enqueue works")
}

/// Lets the store see that nothing waits, after a claim: from then on it may lease eagerly.
pub(super) async fn warm(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    complete(store, &claimed[0], T0).await;
    assert!(claim_nodes(store, 1, T0).await.is_empty());
}

/// However jobs are leased, no more are than the limit says, and the others are there for the next claim.
pub async fn i03_an_eager_start_keeps_the_limits(store: &dyn Store) {
    warm(store).await;
    let scope = LimitScope::Tenant(tenant("a"));
    let limit = LimitChange { queue: QueueName::Node, scope, max_concurrent: Some(Some(3)) };
    store.change_limits_and_rates(&[limit], &[], T0).await.expect("change works");
    let mut held: Vec<ClaimedJob> = Vec::new();
    for _ in 0..4 {
        held.extend(eagerly(store, &jobs(2, "a", Tier::Normal)).await.leased);
        assert!(held.len() <= 3, "{} are leased", held.len());
    }
    held.extend(claim_nodes(store, 10, T0).await);
    assert_eq!(held.len(), 3);
    let other = eagerly(store, &jobs(1, "b", Tier::Normal)).await;
    held.extend(other.leased);
    held.extend(claim_nodes(store, 10, T0).await);
    assert_eq!(held.len(), 4, "another tenant has room");
    complete(store, &held[0], T0).await;
    assert_eq!(claim_nodes(store, 10, T0).await.len(), 1, "a slot that was freed is used");
}

/// A lease that began with its job is one like any other, and the job is answered in full.
pub async fn i02_an_eager_lease_is_fenced(store: &dyn Store) {
    warm(store).await;
    let asked = NewJob { tier: Tier::High, retries_max: 7, traceparent: Some("00-1".into()), ..job() };
    let request = claim(QueueName::Node, 1, after_secs(5));
    let made = store.enqueue_eagerly(std::slice::from_ref(&asked), &request).await.expect("enqueue works");
    let is_eager = !made.leased.is_empty();
    let expected = if is_eager { JobStatus::Processing } else { JobStatus::Queued };
    assert_eq!((made.enqueued[0].id, made.enqueued[0].status), (asked.id, expected));
    let claimed = if is_eager { made.leased } else { claim_nodes(store, 1, after_secs(5)).await };
    let leased = &claimed[0];
    assert_eq!((leased.id, leased.position, leased.attempt), (asked.id, made.enqueued[0].position, 1));
    assert_eq!((leased.tier, &leased.data, leased.facts.retries_max), (Tier::High, &asked.data, 7));
    assert_eq!((leased.queued_at, leased.created_at), (after_secs(5), after_secs(5)));
    assert_eq!(leased.lease_until, after_secs(35));
    assert_eq!(leased.traceparent, asked.traceparent);
    assert!(claim_nodes(store, 1, after_secs(5)).await.is_empty(), "it is leased once");

    let record = store.job(&TenantScope::All, asked.id).await.expect("read works").expect("it is there");
    assert_eq!((record.status, record.retry_count), (JobStatus::Processing, 0));
    assert_eq!((record.processed_at, record.lease_until), (Some(after_secs(5)), Some(after_secs(35))));
    assert_eq!(record.worker_id, Some(request.worker_id));

    let stale = LeaseRef { id: leased.id, token: LeaseToken(super::fixture::uuid()) };
    let renewal = |lease| LeaseExtension { lease, extend: None, progress: None };
    let answers = store.extend_leases(&[renewal(stale), renewal(leased.lease())], after_secs(9)).await;
    let answers = answers.expect("renewal works");
    assert_eq!(answers, [LeaseAnswer::LeaseLost, LeaseAnswer::Ok(after_secs(39))]);
    complete(store, leased, after_secs(10)).await;
    assert_eq!(status(store, asked.id).await, JobStatus::Completed);
}

/// Several workers may lease in one go, each under its own name.
pub async fn workers_that_lease_together_hold_their_own_leases(store: &dyn Store) {
    for _ in 0..3 {
        warm(store).await;
        let claimer = |name: &str, first_token| Claimer { worker_id: WorkerId::trusted(name), first_token };
        let others = vec![claimer("w2", 1), claimer("w3", 2)];
        let request = ClaimRequest { others, ..claim(QueueName::Node, 4, T0) };
        let new = [jobs(1, "a", Tier::Low), jobs(3, "a", Tier::High)].concat();
        let mut leased = store.enqueue_eagerly(&new, &request).await.expect("enqueue works").leased;
        if leased.is_empty() {
            leased = store.claim(&request).await.expect("claim works");
        }
        assert_eq!(leased.len(), 4);
        for job in &leased {
            let token = request.tokens.iter().position(|token| *token == job.token).expect("a token of it");
            let expected = WorkerId::trusted(["w1", "w2", "w3", "w3"][token]);
            let record =
                store.job(&TenantScope::All, job.id).await.expect("read works").expect("it is there");
            assert_eq!((record.worker_id, token == 3), (Some(expected), job.tier == Tier::Low));
            complete(store, job, T0).await;
        }
    }
}

/// The attempt of a job that was leased eagerly has its deadline, too.
pub async fn an_eager_lease_ends_with_its_attempt(store: &dyn Store) {
    warm(store).await;
    let asked = NewJob { timeout: Some(domain::time::DurationMs::from_secs(2)), ..job() };
    let made = eagerly(store, &[asked]).await;
    let claimed = if made.leased.is_empty() { claim_nodes(store, 1, T0).await } else { made.leased };
    assert_eq!(claimed[0].lease_until, after_secs(2));
    let expired = store.expired_leases(after_secs(3), 10).await.expect("read works");
    assert_eq!(expired.len(), 1);
    assert_eq!(expired[0].leased.deadline_at, Some(after_secs(2)));
}

/// Who waits is served first, and jobs that are not to be served yet are not.
pub async fn i04_an_eager_start_passes_nobody_over(store: &dyn Store) {
    warm(store).await;
    let first = enqueue(store, &jobs(1, "a", Tier::Low)).await[0].id;
    let later = eagerly(store, &jobs(1, "a", Tier::Low)).await;
    assert!(later.leased.is_empty(), "one that came before waits");
    let order: Vec<_> = claim_nodes(store, 2, T0).await.iter().map(|job| job.id).collect();
    assert_eq!(order, [first, later.enqueued[0].id]);

    let delayed = NewJob { run_at: after_secs(60), ..job() };
    let made = eagerly(store, std::slice::from_ref(&delayed)).await;
    assert!(made.leased.is_empty());
    assert_eq!(made.enqueued[0].status, JobStatus::Scheduled);
    let key = || Some(CallerKey::trusted("k"));
    let made = eagerly(store, &[NewJob { unique_key: key(), concurrency_key: key(), ..job() }]).await;
    let again = eagerly(store, &[NewJob { unique_key: key(), concurrency_key: key(), ..job() }]).await;
    assert_eq!(again.enqueued[0].id, made.enqueued[0].id, "the key is held");

    store.set_queue_mode(QueueName::Node, QueueMode::Paused, T0).await.expect("change works");
    let made = eagerly(store, &[job()]).await;
    assert!(made.leased.is_empty(), "the queue is paused");
}

/// A repeat finds the job and leases nothing, whether it is under way or over.
pub async fn an_eager_enqueue_can_be_repeated(store: &dyn Store) {
    warm(store).await;
    let asked = [job()];
    let made = eagerly(store, &asked).await;
    let claimed = if made.leased.is_empty() { claim_nodes(store, 1, T0).await } else { made.leased };
    for _ in 0..2 {
        let again = eagerly(store, &asked).await;
        assert!(again.leased.is_empty());
        assert_eq!((again.enqueued[0].id, again.enqueued[0].existing), (asked[0].id, true));
    }
    complete(store, &claimed[0], T0).await;
    let again = eagerly(store, &asked).await;
    assert!(again.leased.is_empty() && again.enqueued[0].existing);
    assert!(claim_nodes(store, 5, T0).await.is_empty());
}

/// Executions start the same way, within the limit of their workflow, and their owner can load them.
pub async fn i03_executions_start_eagerly(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let mut held: Vec<ClaimedJob> = Vec::new();
    for _ in 0..8 {
        let made = store
            .create_executions_eagerly(&[execution("w")], &claim(QueueName::Execution, 5, T0))
            .await
            .expect("create works");
        assert!(!made.enqueued[0].existing);
        let is_first = held.is_empty();
        held.extend(made.leased);
        if is_first {
            held.extend(store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works"));
            // It learns that nothing waits any more.
            held.extend(store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works"));
        }
    }
    held.extend(store.claim(&claim(QueueName::Execution, 10, T0)).await.expect("claim works"));
    assert_eq!(held.len(), 5, "the workflow's limit");
    for job in &held {
        let id = job.execution_id.expect("it is the job of an execution");
        let loaded = load_one(store, id, job.lease()).await.expect("load works");
        assert!(matches!(loaded, LeaseAnswer::Ok(_)), "{loaded:?}");
    }
}

/// A chain of nodes: each step ends one node's job and starts the next one, within the limit of its queue.
pub async fn i03_a_step_starts_its_nodes_eagerly(store: &dyn Store) {
    warm(store).await;
    let (new, owner) = owned(store).await;
    let limit =
        LimitChange { queue: QueueName::Node, scope: LimitScope::Global, max_concurrent: Some(Some(2)) };
    store.change_limits_and_rates(&[limit], &[], T0).await.expect("change works");
    let mut held: Vec<ClaimedJob> = Vec::new();
    for turn in 0..12 {
        let ended = held.split_off(held.len().min(usize::from(turn % 3 != 0)));
        let completed = ended.iter().map(|job| CompletedJob { lease: job.lease(), result: None }).collect();
        let enqueue = vec![node_job(&new, &format!("n{turn}"))];
        let running = commit(new.id, owner.lease(), ExecutionStatus::Running);
        let step = ExecutionCommit { enqueue: enqueue.clone(), completed, ..running };
        let made = store
            .commit_executions_eagerly(&numbered(store, &[step]).await, &claim(QueueName::Node, 10, T0))
            .await
            .expect("commit works");
        let LeaseAnswer::Ok(done) = &made.answers[0] else { panic!("{:?}", made.answers) };
        let is_leased = made.leased.iter().any(|job| job.id == enqueue[0].id);
        let expected = if is_leased { JobStatus::Processing } else { JobStatus::Queued };
        assert_eq!((done.enqueued[0].id, done.enqueued[0].status), (enqueue[0].id, expected));
        assert_eq!(made.leased.len(), usize::from(is_leased), "nothing else is leased");
        held.extend(made.leased);
        held.extend(claim_nodes(store, 10, T0).await);
        assert!((1..=2).contains(&held.len()), "{} are leased", held.len());
        for job in &held {
            assert_eq!(
                (job.execution_id, status(store, job.id).await),
                (Some(new.id), JobStatus::Processing)
            );
        }
    }
}

/// A step whose owner has lost its lease stores nothing, and leases nothing.
pub async fn i02_a_lost_owner_starts_nothing(store: &dyn Store) {
    warm(store).await;
    let (new, owner) = owned(store).await;
    let stale = LeaseRef { id: owner.id, token: LeaseToken(super::fixture::uuid()) };
    let running = commit(new.id, stale, ExecutionStatus::Running);
    let step = ExecutionCommit { enqueue: vec![node_job(&new, "n")], ..running };
    let made = store
        .commit_executions_eagerly(std::slice::from_ref(&step), &claim(QueueName::Node, 10, T0))
        .await
        .expect("commit works");
    assert_eq!((&made.answers[..], made.leased.len()), (&[LeaseAnswer::LeaseLost][..], 0));
    assert!(store.job(&TenantScope::All, step.enqueue[0].id).await.expect("read works").is_none());
    assert!(claim_nodes(store, 10, T0).await.is_empty());
}

/// Fewer slots than jobs: the highest tiers start, and the others wait in order.
pub async fn i05_the_highest_tiers_start_first(store: &dyn Store) {
    warm(store).await;
    let tiers = [Tier::Low, Tier::High, Tier::Normal, Tier::High];
    let batch: Vec<NewJob> = tiers.into_iter().map(|tier| NewJob { tier, ..job() }).collect();
    let made = store.enqueue_eagerly(&batch, &claim(QueueName::Node, 2, T0)).await.expect("enqueue works");
    let mut order: Vec<_> = made.leased.iter().map(|job| job.id).collect();
    assert!(order.len() <= 2, "there are two slots");
    order.extend(claim_nodes(store, 4, T0).await.iter().map(|job| job.id));
    assert_eq!(order, [batch[1].id, batch[3].id, batch[2].id, batch[0].id]);
}
