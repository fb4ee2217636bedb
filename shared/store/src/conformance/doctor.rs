//! What a database says of itself.

use domain::doctor::{DatabaseFacts, DoctorPolicy, OverdueLease, SchemaFacts, StuckExecution};
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;

use super::executions::{commit, owned};
use super::fixture::{T0, after_secs, claim_nodes, commit_one, enqueue, job, lease};
use crate::Store;
use crate::executions::OwnerNext;

async fn facts(store: &dyn Store, secs: i64) -> DatabaseFacts {
    store.diagnose(&DoctorPolicy::default(), after_secs(secs)).await.expect("it can be examined")
}

/// A new database is well.
pub async fn a_new_database_is_well(store: &dyn Store) {
    let facts = facts(store, 0).await;
    assert_eq!(facts.schema, SchemaFacts::Current);
    assert_eq!((facts.leases, facts.stuck), (Vec::new(), Vec::new()));
    assert_eq!(store.sealing_keys_in_use().await.expect("read works"), Vec::<String>::new());
}

/// A lease that ended and was not taken back is found after a while.
pub async fn a_lease_that_nobody_takes_back_is_found(store: &dyn Store) {
    let new = job();
    enqueue(store, std::slice::from_ref(&new)).await;
    assert_eq!(claim_nodes(store, 1, T0).await.len(), 1);
    assert_eq!(facts(store, 89).await.leases, []);
    let expected = OverdueLease { job: new.id.to_string(), expired: DurationMs::from_secs(61) };
    assert_eq!(facts(store, 91).await.leases, [expected]);
}

/// An execution that is parked and that the clock should have taken up is found after a while.
pub async fn a_parked_execution_that_nothing_wakes_is_found(store: &dyn Store) {
    let (execution, owner) = owned(store).await;
    let mut step = commit(execution.id, lease(&owner), ExecutionStatus::Waiting);
    step.next = OwnerNext::Park { due_at: Some(after_secs(10)) };
    commit_one(store, &step, T0).await.expect("commit works");
    assert_eq!(facts(store, 70).await.stuck, []);
    let execution = execution.id.to_string();
    let expected = StuckExecution { execution, since: DurationMs::from_secs(61), why: "due" };
    assert_eq!(facts(store, 71).await.stuck, [expected]);
}
