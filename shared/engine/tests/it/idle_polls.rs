//! What long polls without work cost: the transactions that the server counts, while hints come from another node.

use std::sync::Arc;
use std::time::Duration;

use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::DurationMs;
use engine::{JobRequest, PollRequest};
use sqlx::postgres::{PgPool, PgPoolOptions};
use store::Store as _;
use store::wakeup::Hint;
use testkit::database::postgres;
use testkit::{EngineHarness, eventually};

/// Groups of polls, each for a type of its own.
const GROUPS: usize = 400;

/// Hints that another node sends, and the time between two of them: four seconds' worth.
const HINTS: usize = 200;
const PACE: Duration = Duration::from_millis(20);

/// Of so many hints one is about a job in a lane that no node knows, and for which nobody polls.
const HINTS_PER_JOB: usize = 10;

/// The most transactions for all of it: the jobs' own, a notification for each hint, a look ten times a second, and no
/// more than two for each group, which looks once when it comes. Were each group woken by each hint, they would be eighty
/// thousand.
const COMMITS_MAX: i64 = 1_800;

/// How many transactions the server counts in this database, once all other connections are closed: it counts those of a
/// connection when it has nothing to do for a while, and when it ends.
async fn commits(server: &PgPool) -> i64 {
    let others = "SELECT count(*) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid()";
    eventually("the other connections are closed", || async {
        sqlx::query_scalar::<_, i64>(others).fetch_one(server).await.expect("read works") == 0
    })
    .await;
    let commits = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()";
    sqlx::query_scalar(commits).fetch_one(server).await.expect("read works")
}

#[tokio::test]
async fn idle_groups_of_polls_cost_next_to_nothing() {
    let database = postgres().await;
    let server =
        PgPoolOptions::new().max_connections(1).connect(&database.url).await.expect("the server answers");
    database.store.close().await;
    let before = commits(&server).await;
    let (here, there) = (database.another().await, database.another().await);
    let node = Arc::new(EngineHarness::with_wakeup(Arc::clone(&here) as _, here.wakeup()));
    let other = EngineHarness::with_wakeup(Arc::clone(&there) as _, there.wakeup());
    let polls: Vec<_> = (0..GROUPS)
        .map(|group| {
            let node = Arc::clone(&node);
            tokio::spawn(async move {
                let request = PollRequest {
                    worker_id: WorkerId::trusted("w"),
                    job_types: vec![JobType::trusted(format!("type{group}"))],
                    jobs_max: 1,
                    lease: None,
                    wait: Some(DurationMs::from_secs(30)),
                    tenant: None,
                    build: None,
                    builds: Vec::new(),
                };
                node.engine.poll(&node.admin(), request).await.expect("polls work").taken().len()
            })
        })
        .collect();
    let mut pace = tokio::time::interval(PACE);
    for hint in 0..HINTS {
        pace.tick().await;
        there.wakeup().send(&[Hint::Freed(QueueName::Node)]);
        if hint % HINTS_PER_JOB == 0 {
            let tenant = Some(TenantName::trusted(format!("tenant{hint}")));
            let job = JobRequest { tenant, ..JobRequest::new(JobType::trusted("nobodys"), "{}") };
            other.engine.enqueue(&other.admin(), vec![job]).await.expect("jobs can be enqueued");
        }
    }
    // They were there all the time: a job of its own comes to one.
    let job = JobRequest::new(JobType::trusted("type0"), "{}");
    other.engine.enqueue(&other.admin(), vec![job]).await.expect("jobs can be enqueued");
    let mut polls = polls.into_iter();
    let first = polls.next().expect("there are some").await;
    assert_eq!(first.expect("no panic"), 1);
    node.engine.begin_shutdown();
    for poll in polls {
        assert_eq!(poll.await.expect("no panic"), 0);
    }
    drop((node, other));
    here.close().await;
    there.close().await;
    let made = commits(&server).await - before;
    assert!(made <= COMMITS_MAX, "{made} transactions");
}
