//! An answer that is lost: the outcome is unknown and said to be so, what is safe to repeat is repeated.

use domain::access::TenantScope;
use store::StoreError;
use store::access::AccessStore as _;
use store::conformance::fixture::{T0, job, tenant};
use store::jobs::{JobStore as _, NewJob};
use testkit::pg_proxy::{Act, Message, Way};

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
