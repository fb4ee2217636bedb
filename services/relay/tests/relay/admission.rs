//! What admits jobs admits offers as well: limits of each scope, rates, and turns among tenants.

use domain::id::{ExecutionId, JobId};
use domain::limits::LimitScope;
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::{QueueName, WorkflowRef};
use domain::rate::{Rate, RateScope};
use domain::time::DurationMs;
use engine::JobRequest;
use relay::RelayOptions;
use store::jobs::NewJob;
use store::limits::{LimitChange, RateChange};
use uuid::Uuid;

use crate::faults::node_job;
use crate::harness::{Pushed, on_both_databases};

on_both_databases!(
    i03_limits_of_each_scope_hold_for_offers,
    i03_a_rate_holds_for_offers,
    tenants_take_turns_in_offers,
);

fn acme() -> TenantName {
    TenantName::trusted("acme")
}

fn order() -> WorkflowRef {
    WorkflowRef { owner: None, name: WorkflowName::trusted("order") }
}

fn step() -> JobType {
    JobType::trusted("step")
}

/// Jobs of one tenant, workflow and type.
fn jobs_of_order(numbers: std::ops::Range<u128>) -> Vec<NewJob> {
    let job = |number| NewJob {
        tenant: acme(),
        workflow: Some(order()),
        execution_id: None,
        node_id: None,
        ..node_job(number, ExecutionId::from_uuid(Uuid::nil()))
    };
    numbers.map(job).collect()
}

async fn limit(pushed: &Pushed, scope: LimitScope, max_concurrent: Option<u32>) {
    let change = LimitChange { queue: QueueName::Node, scope, max_concurrent: max_concurrent.map(Some) };
    pushed.harness.store.change_limits_and_rates(&[change], &[], pushed.harness.engine.now()).await.unwrap();
}

/// Five jobs under a limit of two: two at a time are offered, and accepting them makes no room.
async fn i03_limits_of_each_scope_hold_for_offers(pushed: Pushed) {
    let relay = pushed.relay();
    let scopes = [
        LimitScope::Global,
        LimitScope::TenantDefault,
        LimitScope::Tenant(acme()),
        LimitScope::WorkflowDefault,
        LimitScope::Workflow(order()),
        LimitScope::JobType(step()),
        LimitScope::TenantJobType(acme(), step()),
    ];
    for (nth, scope) in scopes.into_iter().enumerate() {
        limit(&pushed, scope.clone(), Some(2)).await;
        let first = nth as u128 * 5;
        let jobs = jobs_of_order(first..first + 5);
        pushed.harness.store.enqueue(&jobs, pushed.harness.engine.now()).await.unwrap();
        let before = nth * 5;
        for until in [2, 4, 5] {
            pushed.published(before + until).await;
            let taken = if until == 5 { 1 } else { 2 };
            let offers = pushed.broker.offers().split_off(before + until - taken);
            assert_eq!(offers.len(), taken, "{scope:?}");
            let accepted = pushed.accept("w1", &offers).await;
            assert_eq!(pushed.broker.len(), before + until, "{scope:?}: accepting frees no slot");
            pushed.complete(&accepted).await;
        }
        let ids: Vec<JobId> = jobs.iter().map(|job| job.id).collect();
        assert_eq!(pushed.harness.store.ended_jobs(&ids).await.unwrap().len(), 5, "{scope:?}");
        limit(&pushed, scope, None).await;
    }
    relay.stop().await;
}

/// What is offered is started for a rate. Another type is not kept back, and shows that the relay went on.
async fn i03_a_rate_holds_for_offers(pushed: Pushed) {
    let rate = Some(Rate::parse("3/1m").unwrap());
    let scope = RateScope::JobType(JobType::trusted("charge"));
    let change = RateChange { queue: QueueName::Node, scope, rate };
    let now = pushed.harness.engine.now();
    pushed.harness.store.change_limits_and_rates(&[], &[change], now).await.unwrap();
    let relay = pushed.relay_with(Pushed::with_a_long_term());
    let charges = |pushed: &Pushed| {
        let offers = pushed.broker.offers();
        offers.into_iter().filter(|offer| offer["job"]["jobType"] == "charge").count()
    };
    pushed.enqueue("charge", 9).await;
    pushed.published(3).await;
    let accepted = pushed.accept("w1", &pushed.broker.offers()).await;
    pushed.complete(&accepted).await;
    pushed.enqueue("ship", 2).await;
    pushed.published(5).await;
    assert_eq!(charges(&pushed), 3, "slots are free, and the rate is used up");
    let shipped = pushed.accept("w1", &pushed.broker.offers()[3..]).await;
    pushed.complete(&shipped).await;
    // A start counts for up to a sub-window longer than its period.
    pushed.harness.clock.advance(DurationMs::from_secs(70));
    pushed.published(8).await;
    pushed.enqueue("ship", 2).await;
    pushed.published(10).await;
    assert_eq!(charges(&pushed), 6);
    relay.stop().await;
}

/// A tenant with a few jobs is served beside one that came before it with many.
async fn tenants_take_turns_in_offers(pushed: Pushed) {
    let of = |tenant: &'static str| {
        move |_| JobRequest {
            tenant: Some(TenantName::trusted(tenant)),
            ..JobRequest::new(JobType::trusted("charge"), "{}")
        }
    };
    pushed.enqueue_with(300, of("large")).await;
    pushed.enqueue_with(5, of("small")).await;
    let relay = pushed.relay_with(RelayOptions { window: 20, ..Pushed::options() });
    pushed.published(20).await;
    let offers = pushed.broker.offers();
    let small = offers[..20].iter().filter(|offer| offer["job"]["tenant"] == "small").count();
    assert_eq!(small, 5);
    relay.stop().await;
}
