//! An answer that is lost: the outcome is unknown and said to be so, what is safe to repeat is repeated.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::job::{Disposition, JobStatus};
use domain::queue::QueueName;
use domain::search::SearchList;
use store::StoreError;
use store::access::AccessStore as _;
use store::conformance::fixture::{
    T0, after_secs, claim, claim_nodes, id, job, lease, number_found, status, tenant,
};
use store::conformance::schedule_fixture::{created, execution_of, fired, schedule, start, stored};
use store::conformance::webhook_fixture::{acceptance, guard};

use store::executions::ExecutionStore as _;
use store::jobs::{JobChange, JobStore as _, LeaseAnswer, NewJob, Settlement};
use store::schedules::ScheduleStore as _;
use store::webhooks::{Accepted, WebhookStore as _};
use testkit::pg_proxy::{Act, Fault, Message, Way};

use crate::fixture::{Behind, DEADLINE};

/// A job that takes the way of a transaction.
fn keyed() -> NewJob {
    NewJob { unique_key: Some(domain::names::CallerKey::trusted("order-7")), ..job() }
}

#[tokio::test]
async fn a_commit_whose_answer_is_cut_is_repeated_and_done_once() {
    let behind = Behind::new().await;
    let lost = behind.proxy.arm(Way::ToClient, Message::Answered("COMMIT"), Act::Cut);
    let new = keyed();
    let answers = behind.store.enqueue(std::slice::from_ref(&new), T0).await.expect("it is repeated");
    lost.struck().await;
    assert_eq!(answers[0].id, new.id);
    let jobs = behind.direct().await;
    assert!(jobs.job(&TenantScope::All, new.id).await.expect("jobs can be read").is_some());
}

/// What nobody asked the database to commit is undone with the connection.
#[tokio::test]
async fn a_transaction_whose_connection_is_cut_before_its_commit_is_repeated() {
    let behind = Behind::new().await;
    let cut = behind.proxy.arm(Way::ToClient, Message::Answered("INSERT"), Act::Cut);
    let made = behind.store.create_tenant(&tenant("late"), T0).await;
    cut.struck().await;
    assert!(made.expect("it is repeated"), "made by the second transaction");
}

#[tokio::test]
async fn a_change_whose_commit_is_lost_has_an_unknown_outcome() {
    for act in [Act::Cut, Act::Silence] {
        let behind = Behind::new().await;
        let lost = behind.proxy.arm(Way::ToClient, Message::Answered("COMMIT"), act);
        let made = tokio::time::timeout(DEADLINE, behind.store.create_tenant(&tenant("late"), T0)).await;
        let made = made.expect("no statement waits for ever");
        lost.struck().await;
        assert!(matches!(made, Err(StoreError::Unknown { .. })), "{made:?}");
        assert!(!behind.store.create_tenant(&tenant("late"), T0).await.expect("new connections work"));
    }
}

/// The next commit is carried out, and its answer does not come.
fn lose_next_commit(behind: &Behind) -> Fault {
    behind.proxy.arm(Way::ToClient, Message::Answered("COMMIT"), Act::Cut)
}

#[tokio::test]
async fn a_report_whose_answer_is_cut_is_written_once() {
    let behind = Behind::new().await;
    behind.store.enqueue(&[job()], T0).await.expect("enqueue works");
    let leased = claim_nodes(&*behind.store, 1, T0).await.remove(0);
    let lost = lose_next_commit(&behind);
    let error = JobError::coded("broken", "for good");
    let died = Disposition::Die { reason: DeadReason::NonRetryable, error };
    let report = Settlement { lease: lease(&leased), disposition: died };
    let answers = behind.store.settle(&[report], T0).await.expect("it is repeated");
    lost.struck().await;
    assert!(matches!(answers[0], LeaseAnswer::Ok(_) | LeaseAnswer::AlreadyDone), "{answers:?}");
    let direct = behind.direct().await;
    assert_eq!(status(&*direct, leased.id).await, JobStatus::DeadLetter);
    assert_eq!(number_found(&*direct, &TenantScope::All, SearchList::DeadLetters, "status:open").await, 1);
}

/// Not that of a job that somebody else had cancelled: those who wait for its end are notified, and a batch counts it.
#[tokio::test]
async fn a_cancel_whose_answer_is_cut_is_a_change() {
    let behind = Behind::new().await;
    let new = job();
    behind.store.enqueue(std::slice::from_ref(&new), T0).await.expect("enqueue works");
    let lost = lose_next_commit(&behind);
    let change = behind.store.cancel_job(&TenantScope::All, new.id, T0).await.expect("it is repeated");
    lost.struck().await;
    assert!(matches!(change, JobChange::Changed { status: JobStatus::Cancelled, .. }), "{change:?}");
    let again = behind.store.cancel_job(&TenantScope::All, new.id, T0).await.expect("cancel works");
    assert_eq!(again, JobChange::Refused(JobStatus::Cancelled));
}

#[tokio::test]
async fn a_delivery_whose_answer_is_cut_is_accepted_once() {
    let behind = Behind::new().await;
    let before = acceptance(id(), &[guard(1)]);
    behind.store.accept_deliveries(&[before], T0).await.expect("accept works");
    // The fast path is one statement, and nothing else is asked any more; the general one ends with a commit.
    let (short, mut long) = (acceptance(id(), &[guard(2)]), acceptance(id(), &[guard(3)]));
    long.job.unique_key = Some(domain::names::CallerKey::trusted("the general path"));
    for (new, answered) in [(short, ""), (long, "COMMIT")] {
        let lost = behind.proxy.arm(Way::ToClient, Message::Answered(answered), Act::Cut);
        let answers = behind.store.accept_deliveries(std::slice::from_ref(&new), T0).await;
        lost.struck().await;
        let (Accepted::New(known) | Accepted::Duplicate(known)) = answers.expect("it is repeated")[0];
        assert_eq!(known, new.delivery.id, "its own guard is in nobody's way");
    }
    let direct = behind.direct().await;
    assert_eq!(number_found(&*direct, &TenantScope::All, SearchList::Deliveries, "").await, 3);
}

#[tokio::test]
async fn a_slot_whose_answer_is_cut_has_fired_once() {
    let behind = Behind::new().await;
    let each_minute = schedule("each minute");
    created(&*behind.store, &each_minute).await;
    let (nominal, next) = (after_secs(60), after_secs(120));
    let tick = fired(&each_minute, vec![start(&each_minute, nominal)], Some((nominal, Some(next))));
    let lost = lose_next_commit(&behind);
    // Whether it is repeated or not, the next check finds the slot recorded.
    let first = behind.store.fire_schedules(std::slice::from_ref(&tick), after_secs(61)).await;
    lost.struck().await;
    assert!(first.is_ok() || matches!(first, Err(StoreError::Unknown { .. })), "{first:?}");
    let direct = behind.direct().await;
    direct.fire_schedules(&[tick], after_secs(62)).await.expect("fire works");
    assert_eq!(stored(&*direct, &each_minute).await.cursor, nominal);
    let made = direct.execution(&TenantScope::All, execution_of(&each_minute, nominal).id).await;
    assert!(made.expect("read works").is_some());
    let all = direct.claim(&claim(QueueName::Execution, 10, nominal)).await.expect("claim works");
    assert_eq!(all.len(), 1, "one execution");
}

/// Nobody has the leases of a claim whose answer was lost: they run out, and the jobs come again.
#[tokio::test]
async fn a_claim_whose_answer_is_cut_loses_no_job() {
    let behind = Behind::new().await;
    let new = [job(), job()];
    behind.store.enqueue(&new, T0).await.expect("enqueue works");
    let lost = lose_next_commit(&behind);
    let claimed = behind.store.claim(&claim(QueueName::Node, 1, T0)).await;
    lost.struck().await;
    let had = claimed.map(|jobs| jobs.len()).unwrap_or_default();
    let direct = behind.direct().await;
    let late = after_secs(31);
    let ended = direct.expired_leases(late, 10).await.expect("read works");
    assert!(!ended.is_empty() && ended.len() >= had, "{had} of {ended:?}");
    let back = |lease| {
        let error = JobError::coded("worker_lost", "lost");
        Settlement { lease, disposition: Disposition::RetryAt { at: late, error } }
    };
    let back: Vec<Settlement> = ended.iter().map(|ended| back(ended.leased.lease)).collect();
    direct.reap(&back, late).await.expect("reap works");
    let mut again: Vec<_> = claim_nodes(&*direct, 2, late).await.into_iter().map(|job| job.id).collect();
    again.sort_unstable();
    let mut all = new.map(|job| job.id);
    all.sort_unstable();
    assert_eq!(again, all, "both come again");
}
