//! The statements of plain steps find the jobs that they end by their ids, however many jobs there are, with tables that
//! were filled since their plans were made and never analysed.
#![expect(clippy::disallowed_methods, reason = "tests make ids of their own")]

use domain::id::{ExecutionId, JobId, LeaseToken};
use domain::names::TenantName;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use sea_orm::Value;
use store::executions::{CompletedJob, ExecutionCommit, OwnerNext};
use store::jobs::LeaseRef;
use uuid::Uuid;

use super::fast;
use crate::jobs::eager::add_no_leave;
use crate::jobs::plans::{assert_finds_jobs_by_id, open_store};

/// So many steps are committed, each with so many jobs.
const STEPS: usize = 20;
const JOBS: usize = 3;

fn lease() -> LeaseRef {
    LeaseRef { id: JobId::from_uuid(Uuid::new_v4()), token: LeaseToken(Uuid::new_v4()) }
}

fn step() -> ExecutionCommit {
    ExecutionCommit {
        id: ExecutionId::from_uuid(Uuid::new_v4()),
        tenant: TenantName::trusted("acme"),
        lease: lease(),
        step: 0,
        status: ExecutionStatus::Running,
        state: vec![1],
        started_at: None,
        records: Vec::new(),
        events: Vec::new(),
        enqueue: Vec::new(),
        cancel: Vec::new(),
        children: Vec::new(),
        cancel_children: Vec::new(),
        undo_children: Vec::new(),
        retry_children: Vec::new(),
        releases_held: false,
        event_waits: Vec::new(),
        user_tasks: Vec::new(),
        inbox: Vec::new(),
        completed: (0..JOBS).map(|_| CompletedJob { lease: lease(), result: None }).collect(),
        output: None,
        error: None,
        next: OwnerNext::Keep,
        attributes: Vec::new(),
        is_child: false,
    }
}

#[tokio::test]
async fn i06_jobs_that_end_with_steps_are_found_by_id_on_postgres() {
    let store = open_store(testkit::database::postgres_database().await).await;
    let steps: Vec<ExecutionCommit> = (0..STEPS).map(|_| step()).collect();
    let steps: Vec<&ExecutionCommit> = steps.iter().collect();
    let now = Timestamp(0);
    let (mut fast, mut ends) = (Vec::<Value>::new(), Vec::<Value>::new());
    fast::add_parameters(&mut fast, &steps, (&[], &[]), now);
    add_no_leave(&mut fast);
    fast::add_end_parameters(&mut ends, &steps, now);
    let cases = [(&fast::COMMIT, fast), (&fast::FAST_END_COMMIT, ends)];
    for (sql, values) in cases {
        let plan = assert_finds_jobs_by_id(&store, sql, values).await;
        assert!(!plan.contains("Seq Scan on execution"), "{} reads all executions:\n{plan}", sql.name());
        assert!(!plan.contains("Seq Scan on inbox"), "{} reads all inboxes:\n{plan}", sql.name());
    }
}
