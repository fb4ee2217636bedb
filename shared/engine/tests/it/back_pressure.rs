//! Back-pressure: what waits for its commit is bounded, for each kind of call that is committed in groups. What does
//! not fit is refused at once and can come again; what was taken is carried out, however long the database takes.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::job::JobStatus;
use domain::names::JobType;
use domain::search::SearchList;
use engine::{CompleteItem, EngineError, JobRequest, ListRequest};
use futures::future::join_all;
use serde_json::json;
use store::jobs::{ClaimedJob, LeaseAnswer, LeaseExtension};
use testkit::database::HeldBack;
use testkit::{EngineHarness, lease_of};

/// More than wait and are under way together: 10,000, and two commits of 500.
const MANY: usize = 12_000;

/// How many are put in, or taken out, by one call.
const BATCH: usize = 1_000;

const DEADLINE: Duration = Duration::from_mins(2);

/// Makes many calls at once while the database is held back until one is refused. Answers what was taken and how many
/// were refused.
async fn flood<T, F: Future<Output = Result<T, EngineError>>>(
    url: &str,
    call: impl Fn(usize) -> F,
) -> (Vec<T>, usize) {
    let held = HeldBack::jobs(url).await;
    let refused = AtomicUsize::new(0);
    let calls = join_all((0..MANY).map(|number| {
        let (call, refused) = (call(number), &refused);
        async move {
            let answer = call.await;
            if let Err(EngineError::Overloaded { retry_after }) = &answer {
                assert!(retry_after.0 > 0, "it says when to come again");
                refused.fetch_add(1, Ordering::SeqCst);
                return None;
            }
            Some(answer.unwrap())
        }
    }));
    let release = async {
        while refused.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        held.let_go().await;
    };
    let both = async { tokio::join!(calls, release).0 };
    let answers = tokio::time::timeout(DEADLINE, both).await.expect("calls are refused, the others answered");
    let taken: Vec<T> = answers.into_iter().flatten().collect();
    let refused = refused.into_inner();
    assert_eq!(taken.len() + refused, MANY);
    (taken, refused)
}

fn job() -> JobRequest {
    JobRequest::new(JobType::trusted("flood"), "{}")
}

/// Takes every job that is there.
async fn take_all(harness: &EngineHarness) -> Vec<ClaimedJob> {
    let mut taken = Vec::new();
    loop {
        let jobs = harness.poll(&["flood"], BATCH as u32).await.unwrap();
        if jobs.is_empty() {
            return taken;
        }
        taken.extend(jobs);
    }
}

#[tokio::test]
async fn single_enqueues_are_bounded_and_none_that_was_taken_is_lost() {
    let database = testkit::database::postgres().await;
    let harness = EngineHarness::new(database.store.clone());
    let (taken, refused) = flood(&database.url, |_| harness.enqueue(job())).await;
    assert!((1..=2_000).contains(&refused), "{refused}");
    assert_eq!(take_all(&harness).await.len(), taken.len());
    assert_eq!(harness.enqueue(job()).await.unwrap().status, JobStatus::Queued, "it takes more afterwards");
}

#[tokio::test]
async fn single_heartbeats_and_reports_are_bounded_too() {
    let database = testkit::database::postgres().await;
    let harness = EngineHarness::new(database.store.clone());
    for _ in 0..MANY / BATCH {
        harness.engine.enqueue(&harness.admin(), vec![job(); BATCH]).await.unwrap();
    }
    let jobs = take_all(&harness).await;
    assert_eq!(jobs.len(), MANY);

    let (admin, extension) = (harness.admin(), |number: usize| LeaseExtension {
        lease: lease_of(&jobs[number]),
        extend: None,
        progress: None,
    });
    let beat = |number| harness.engine.heartbeat(&admin, vec![extension(number)]);
    let (taken, _) = flood(&database.url, beat).await;
    assert!(taken.iter().all(|answers| matches!(answers[0], Ok(LeaseAnswer::Ok(_)))));

    let result = json!({ "ok": true });
    let (taken, refused) = flood(&database.url, |number| harness.complete(&jobs[number], &result)).await;
    assert!(taken.iter().all(|outcome| *outcome == LeaseAnswer::Ok(())));
    // Whoever was refused comes again, and only those had not been settled.
    let mut settled = 0;
    for held in jobs.chunks(BATCH) {
        let items = held
            .iter()
            .map(|job| CompleteItem { lease: lease_of(job), result: None, attributes: BTreeMap::new() })
            .collect();
        let outcomes = harness.engine.complete(&admin, items).await.unwrap();
        settled += outcomes.iter().filter(|outcome| **outcome == Ok(LeaseAnswer::Ok(()))).count();
    }
    assert_eq!(settled, refused);
}

#[tokio::test]
async fn a_list_that_takes_too_long_says_so() {
    let database = testkit::database::postgres().await;
    let harness = EngineHarness::new(database.store.clone());
    let (admin, request) = (harness.admin(), ListRequest::all(SearchList::Jobs, 10));
    let held = HeldBack::jobs(&database.url).await;
    let listed = harness.engine.search_jobs(&admin, &request).await;
    assert!(matches!(listed, Err(EngineError::QueryTimeout)), "{listed:?}");
    held.let_go().await;
    harness.engine.search_jobs(&admin, &request).await.unwrap();
}
