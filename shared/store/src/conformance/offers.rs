//! Offers: leases of relays, which nobody works under until a worker accepts them.

use domain::access::TenantScope;
use domain::dispatch::{AcceptOutcome, accepted_token, holder_of};
use domain::job::{Disposition, JobStatus};
use domain::limits::LimitScope;
use domain::names::WorkerId;
use domain::queue::QueueName;
use domain::scaling::Selection;
use domain::time::{DurationMs, Timestamp};

use super::fixture::{LEASE, T0, after_secs, claim, complete, enqueue, job, listed_jobs, status};
use crate::Store;
use crate::dispatch::{Acceptance, Accepted};
use crate::jobs::{ClaimRequest, ClaimedJob, GiveBack, JobRecord, LeaseAnswer, LeaseRef, NewJob, Settlement};
use crate::limits::LimitChange;

const OFFER: DurationMs = DurationMs::from_secs(60);

async fn offer(store: &dyn Store, jobs_max: u32, now: Timestamp) -> Vec<ClaimedJob> {
    let request =
        ClaimRequest { worker_id: holder_of(3), lease: OFFER, ..claim(QueueName::Node, jobs_max, now) };
    store.claim(&request).await.expect("claim works")
}

async fn accept(store: &dyn Store, offer: LeaseRef, worker: &str, now: Timestamp) -> Accepted {
    let worker_id = WorkerId::trusted(worker);
    let items = [Acceptance { offer, worker_id: &worker_id }];
    let mut answers = store.accept_offers(&items, LEASE, now).await.expect("accept works");
    assert_eq!(answers.len(), 1, "one answer an item");
    answers.remove(0)
}

async fn record(store: &dyn Store, job: &ClaimedJob) -> JobRecord {
    store.job(&TenantScope::All, job.id).await.expect("read works").expect("the job is there")
}

async fn listed(store: &dyn Store, status: JobStatus) -> usize {
    listed_jobs(store, &TenantScope::All, &format!("status:{}", status.as_str())).await.len()
}

/// How many jobs are leased, and how many of them are offers.
async fn leased(store: &dyn Store, now: Timestamp) -> (u64, u64) {
    let load = store.queue_load(QueueName::Node, now).await.expect("read works");
    let scaling = load.scaling(&Selection::default());
    (scaling.processing, scaling.offered)
}

/// An offered job is QUEUED to whoever looks, and its slot counts.
pub async fn i03_an_offer_is_queued_and_counts(store: &dyn Store) {
    let limit =
        LimitChange { queue: QueueName::Node, scope: LimitScope::Global, max_concurrent: Some(Some(1)) };
    store.change_limits_and_rates(&[limit], &[], T0).await.expect("change works");
    enqueue(store, &[job(), job()]).await;
    let offered = offer(store, 2, T0).await;
    assert_eq!(offered.len(), 1, "the limit holds");
    let shown = record(store, &offered[0]).await;
    assert_eq!((shown.status, shown.offered_until), (JobStatus::Queued, Some(T0.plus(OFFER))));
    assert_eq!((shown.worker_id, shown.lease_until, shown.processed_at), (None, None, None));
    assert_eq!((shown.attempts.len(), shown.retry_count), (0, 0));
    assert_eq!((listed(store, JobStatus::Queued).await, listed(store, JobStatus::Processing).await), (2, 0));
    assert!(offer(store, 2, after_secs(1)).await.is_empty(), "the offer has the only slot");
    assert_eq!(leased(store, after_secs(1)).await, (1, 1), "nobody works at it");

    let answer = accept(store, offered[0].lease(), "w1", after_secs(2)).await;
    assert_eq!(answer.outcome, AcceptOutcome::Ok);
    assert_eq!(leased(store, after_secs(2)).await, (1, 0));
    assert_eq!((listed(store, JobStatus::Queued).await, listed(store, JobStatus::Processing).await), (1, 1));
    assert!(offer(store, 2, after_secs(3)).await.is_empty(), "and so has the lease");
}

/// Accepting starts the lease under another token; the offer's is worth nothing from then on.
pub async fn i02_accepting_fences_the_offer(store: &dyn Store) {
    enqueue(store, &[NewJob { timeout: Some(DurationMs::from_secs(20)), ..job() }]).await;
    let offered = offer(store, 1, T0).await;
    let first = accept(store, offered[0].lease(), "w1", after_secs(10)).await;
    let token = accepted_token(offered[0].token, "w1");
    let lease = LeaseRef { id: offered[0].id, token };
    assert_eq!(first.lease, Some((lease, after_secs(30))), "the attempt's own time begins now");
    let shown = record(store, &offered[0]).await;
    assert_eq!((shown.status, shown.worker_id), (JobStatus::Processing, Some(WorkerId::trusted("w1"))));
    assert_eq!(shown.processed_at, Some(after_secs(10)));

    let again = accept(store, offered[0].lease(), "w1", after_secs(11)).await;
    assert_eq!(again, first, "a repeat starts nothing anew");
    let other = accept(store, offered[0].lease(), "w2", after_secs(11)).await;
    assert_eq!((other.outcome, other.lease), (AcceptOutcome::Taken, None));
    let stale = Settlement { lease: offered[0].lease(), disposition: Disposition::Complete(None) };
    let answers = store.settle(&[stale], after_secs(12)).await.expect("settle answers");
    assert_eq!(answers, [LeaseAnswer::LeaseLost]);
    assert_eq!(
        store.release(&[offered[0].lease()], after_secs(12)).await.expect("answers"),
        [LeaseAnswer::LeaseLost]
    );
    let done = Settlement { lease, disposition: Disposition::Complete(None) };
    let answers = store.settle(&[done], after_secs(13)).await.expect("settle works");
    assert!(matches!(answers[0], LeaseAnswer::Ok(_)), "{answers:?}");
    for worker in ["w1", "w2"] {
        let late = accept(store, offered[0].lease(), worker, after_secs(14)).await;
        assert_eq!((late.outcome, late.lease), (AcceptOutcome::AlreadyDone, None));
    }
}

/// While it stands, an offer can be settled by its own token.
pub async fn an_offer_can_be_settled_without_accepting(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let offered = offer(store, 1, T0).await;
    complete(store, &offered[0], after_secs(1)).await;
    assert_eq!(status(store, offered[0].id).await, JobStatus::Completed);
    let late = accept(store, offered[0].lease(), "w1", after_secs(2)).await;
    assert_eq!(late.outcome, AcceptOutcome::AlreadyDone);
}

/// An offer that nobody took goes back without an attempt, and its token is worth nothing.
pub async fn an_offer_returns_without_an_attempt(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let offered = offer(store, 1, T0).await;
    assert!(store.expired_leases(after_secs(59), 10).await.expect("read works").is_empty());
    let expired = store.expired_leases(after_secs(61), 10).await.expect("read works");
    assert_eq!(expired[0].worker_id, holder_of(3));
    let back = [GiveBack::untaken(expired[0].leased.lease)];
    store.give_back(&back, after_secs(61)).await.expect("give back works");
    let facts = store.wait_facts(offered[0].id).await.expect("read works").expect("it waits");
    assert_eq!(facts.offers_returned, 1);
    assert_eq!(
        accept(store, offered[0].lease(), "w1", after_secs(62)).await.outcome,
        AcceptOutcome::LeaseLost
    );
    let again = offer(store, 1, after_secs(63)).await;
    assert_eq!((again[0].id, again[0].attempt), (offered[0].id, 1));
    assert_eq!(
        accept(store, offered[0].lease(), "w1", after_secs(64)).await.outcome,
        AcceptOutcome::LeaseLost,
        "a message of the offer before does not take this one"
    );
    assert_eq!(accept(store, again[0].lease(), "w1", after_secs(64)).await.outcome, AcceptOutcome::Ok);
}

/// What a relay or a worker gives back was not left lying: it is not counted.
pub async fn an_offer_that_is_given_back_is_not_counted(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let offered = offer(store, 1, T0).await;
    let answers = store.release(&[offered[0].lease()], after_secs(1)).await.expect("give back works");
    assert_eq!(answers, [LeaseAnswer::Ok(())]);
    let facts = store.wait_facts(offered[0].id).await.expect("read works").expect("it waits");
    assert_eq!(facts.offers_returned, 0);
    assert_eq!(offer(store, 1, after_secs(2)).await[0].attempt, 1);
}

/// A cancelled offer says so.
pub async fn a_cancelled_offer_is_not_taken(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let offered = offer(store, 1, T0).await;
    store.cancel_job(&TenantScope::All, offered[0].id, after_secs(1)).await.expect("cancel works");
    let late = accept(store, offered[0].lease(), "w1", after_secs(2)).await;
    assert_eq!((late.outcome, late.lease), (AcceptOutcome::Cancelled, None));
}

/// Offers are found with their jobs, and can be kept beyond the timeout of the job.
pub async fn offers_are_found_and_kept(store: &dyn Store) {
    let large = format!("\"{}\"", "x".repeat(20_000));
    let short = NewJob { timeout: Some(DurationMs::from_secs(5)), data: large, ..job() };
    enqueue(store, &[short, job()]).await;
    let types = store.claimable_types(QueueName::Node, 100).await.expect("read works");
    assert_eq!(types, [job().job_type]);
    let offered = offer(store, 2, T0).await;
    assert!(store.claimable_types(QueueName::Node, 100).await.expect("read works").is_empty());
    let standing = store.standing_offers(&[holder_of(3)]).await.expect("read works");
    let found: Vec<_> = standing.iter().map(|offer| (offer.lease, offer.shard, offer.until)).collect();
    let expected = [(offered[0].lease(), 3, after_secs(5)), (offered[1].lease(), 3, T0.plus(OFFER))];
    assert_eq!(found, expected);
    assert!(store.standing_offers(&[holder_of(4)]).await.expect("read works").is_empty());
    let leases: Vec<LeaseRef> = offered.iter().map(ClaimedJob::lease).collect();
    let jobs = store.offered_jobs(&leases).await.expect("read works");
    assert_eq!(jobs, offered, "what the claim answered can be read again");

    let kept = store.keep_offers(&leases[..1], OFFER, after_secs(2)).await.expect("keep works");
    assert_eq!(kept, [LeaseAnswer::Ok(after_secs(62))]);
    assert!(store.expired_leases(after_secs(6), 10).await.expect("read works").is_empty());
    let answer = accept(store, leases[0], "w1", after_secs(10)).await;
    assert_eq!(answer.lease.map(|(_, until)| until), Some(after_secs(15)), "the timeout counts from here");
    let kept = store.keep_offers(&leases[..1], OFFER, after_secs(11)).await.expect("keep answers");
    assert_eq!(kept, [LeaseAnswer::LeaseLost], "what is accepted is no offer any more");
}

/// Offers are answered in the order in which they were made, wherever their jobs lie: whoever publishes them again keeps it.
pub async fn offers_are_found_in_their_order(store: &dyn Store) {
    enqueue(store, &[job(), job(), job()]).await;
    let first = offer(store, 1, T0).await;
    let others = offer(store, 2, after_secs(1)).await;
    store.release(&[first[0].lease()], after_secs(2)).await.expect("release works");
    let last = offer(store, 1, after_secs(3)).await;
    assert_eq!(last[0].id, first[0].id, "it is the first of its lane");
    let expected = [others[0].lease(), others[1].lease(), last[0].lease()];
    let standing = store.standing_offers(&[holder_of(3)]).await.expect("read works");
    assert_eq!(standing.iter().map(|offer| offer.lease).collect::<Vec<_>>(), expected);
    let mut asked = expected;
    asked.reverse();
    let jobs = store.offered_jobs(&asked).await.expect("read works");
    assert_eq!(jobs.iter().map(ClaimedJob::lease).collect::<Vec<_>>(), expected);
}

/// Whoever asks about offers learns which of them stand, whatever became of the others.
pub async fn offers_that_stand_are_found_among_others(store: &dyn Store) {
    enqueue(store, &[job(), job(), job(), job(), job()]).await;
    let offered = offer(store, 5, T0).await;
    let leases: Vec<LeaseRef> = offered.iter().map(ClaimedJob::lease).collect();
    assert_eq!(store.standing_among(&leases).await.expect("read works"), [true; 5]);
    accept(store, leases[0], "w1", after_secs(1)).await;
    complete(store, &offered[1], after_secs(1)).await;
    store.cancel_job(&TenantScope::All, offered[2].id, after_secs(1)).await.expect("cancel works");
    store.release(&leases[3..4], after_secs(1)).await.expect("give back works");
    let again = offer(store, 1, after_secs(2)).await;
    assert_eq!(again[0].id, offered[3].id, "it stands again, under another token");
    let asked = [leases.as_slice(), &[again[0].lease()]].concat();
    let stand = store.standing_among(&asked).await.expect("read works");
    assert_eq!(stand, [false, false, false, false, true, true]);
    assert!(store.standing_among(&[]).await.expect("read works").is_empty());
}
