//! Every connection that is open goes silent, as after an address has moved to another machine, and new ones work.

use std::time::Duration;

use domain::job::Disposition;
use domain::queue::{QueueName, Tier};
use domain::quota::QuotaKind;
use store::conformance::fixture::{T0, claim_nodes, enqueue, jobs, lease, tenant};
use store::jobs::{ClaimedJob, JobStore as _, LeaseAnswer, LeaseExtension, Settlement};
use store::usage::{Measured, UsageStore as _};
use store_sql::{Pooler, SqlStore, StoreOptions};
use testkit::database::postgres_database;
use testkit::pg_proxy::{Act, Message, PgProxy, Way};

use crate::fixture::{Behind, STATEMENT, short};

/// Two deadlines of a statement, and what the machine needs.
const REPORTS_WITHIN: Duration = Duration::from_secs(2 * 4 + 8);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_and_heartbeats_succeed_on_new_connections() {
    assert!(STATEMENT < REPORTS_WITHIN);
    let behind = Behind::new().await;
    let store = behind.store.as_ref();
    enqueue(store, &jobs(12, "a", Tier::Normal)).await;
    let claimed = claim_nodes(store, 12, T0).await;
    assert_eq!(claimed.len(), 12);
    // Several connections are open and were used just now.
    let beats = claimed.iter().map(|job| async { store.extend_leases(&[beat(job)], T0).await });
    for beat in futures_all(beats).await {
        beat.expect("the connections work");
    }
    assert!(behind.proxy.silence_open() > 1);
    let reports = claimed.iter().enumerate().map(|(number, job)| async move {
        let report = async {
            if number % 2 == 0 {
                let done = Settlement { lease: lease(job), disposition: Disposition::Complete(None) };
                let answers = store.settle(&[done], T0).await.expect("a report succeeds");
                assert!(matches!(answers[0], LeaseAnswer::Ok(_)), "{answers:?}");
            } else {
                store.extend_leases(&[beat(job)], T0).await.expect("a heartbeat succeeds");
            }
        };
        tokio::time::timeout(REPORTS_WITHIN, report).await.expect("in time");
    });
    futures_all(reports).await;
    enqueue(store, &jobs(1, "a", Tier::Normal)).await;
    assert_eq!(
        store
            .claim(&store::conformance::fixture::claim(QueueName::Node, 1, T0))
            .await
            .expect("claims work")
            .len(),
        1
    );
}

/// A process that stands still in the middle of a transaction loses its session, and behind a pooler each read is a transaction.
#[tokio::test]
async fn a_read_whose_session_was_ended_for_standing_still_is_repeated() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let shared = StoreOptions { pooler: Pooler::Transaction, ..short(&proxy.url()) };
    let store = SqlStore::connect(&shared).await.expect("a new database can be opened");
    enqueue(store.as_ref(), &jobs(1, "a", Tier::Normal)).await;
    let used = Measured::Tenant(tenant("a"), QuotaKind::OpenJobs);
    // Longer than a transaction may be idle, and not as long as a statement may take. What comes too late is the statement, or
    // the commit.
    for answered in ["BEGIN", "SELECT"] {
        let late = proxy.arm(Way::ToClient, Message::Answered(answered), Act::Delay(Duration::from_secs(3)));
        let read = store.measure(&used).await;
        late.struck().await;
        assert_eq!(read.expect("it is repeated"), 1, "{answered}");
    }
    let late = proxy.arm(Way::ToClient, Message::Answered("BEGIN"), Act::Delay(Duration::from_secs(3)));
    let read = store.shown_usage(&tenant("a"), QuotaKind::OpenJobs).await;
    late.struck().await;
    assert_eq!(read.expect("it is repeated"), 1, "on connections of lists");
}

fn beat(job: &ClaimedJob) -> LeaseExtension {
    LeaseExtension { lease: lease(job), extend: None, progress: None }
}

/// Drives all of them at once.
async fn futures_all<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut pending: Vec<_> = all.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        for (future, output) in &mut pending {
            if output.is_none()
                && let std::task::Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *output = Some(ready);
            }
        }
        let is_done = pending.iter().all(|(_, output)| output.is_some());
        if is_done { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    pending.into_iter().filter_map(|(_, output)| output).collect()
}
