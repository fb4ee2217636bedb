//! Jobs of tenants whose payloads are encrypted, on a process without the key: they wait for one that has it.

use std::sync::Arc;

use domain::job::JobStatus;
use domain::names::{EventName, JobType, TenantName};
use domain::queue::QueueName;
use domain::time::DurationMs;
use domain::webhook::DeliveryStatus;
use engine::{EventRequest, JOB_TYPE_DELIVERY, SealingKeys};
use store::jobs::JobRecord;
use testkit::{EngineHarness, eventually};
use worker::Handlers;
use worker::handlers::DeliveryHandler;

use crate::harness::{PoolHarness, stop};

const KEY: &str = "2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// A process that has the key. On the one store of a test the process that was built last decides which keys there are.
fn with_key(harness: &PoolHarness, seed: u64) -> EngineHarness {
    harness.harness.node_with_keys(seed, SealingKeys::parse([KEY]).expect("a key"))
}

async fn only_job(harness: &PoolHarness) -> JobRecord {
    let mut jobs = harness.harness.jobs("queue:workflow-webhook").await;
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    jobs.remove(0)
}

async fn a_delivery_waits_for_its_key(harness: PoolHarness) {
    let admin = harness.harness.admin();
    let tenant = TenantName::trusted("acme");
    let first = with_key(&harness, 2);
    first.engine.create_tenant(&admin, &tenant).await.expect("a tenant can be made");
    first.engine.set_tenant_encryption(&admin, &tenant, true).await.expect("it can be turned on");
    let event = EventRequest {
        name: EventName::trusted("order.paid"),
        id: None,
        data: r#"{"n":1}"#.to_owned(),
        tenant: Some(tenant),
        traceparent: None,
    };
    let sent = first.engine.send_events(&admin, vec![event]).await.expect("an event is taken").remove(0);

    let without = harness.harness.node(3);
    let mut table = Handlers::new();
    let handler = DeliveryHandler::new(without.engine.clone());
    table.register(JobType::trusted(JOB_TYPE_DELIVERY), Arc::new(handler));
    let pools = harness.start(QueueName::Webhook, 1, table);
    let is_put_off = || async {
        let job = only_job(&harness).await;
        job.lease_until.is_none() && job.run_at > without.engine.now()
    };
    // It would be a dead letter after four attempts.
    for round in 0..6 {
        eventually("it is put off", is_put_off).await;
        let job = only_job(&harness).await;
        assert_eq!((job.retry_count, job.error), (0, None), "round {round}");
        harness.harness.clock.advance(DurationMs::from_secs(61));
        without.engine.promote_tick().await.expect("promotion works");
        harness.hint(QueueName::Webhook);
    }
    let with = with_key(&harness, 4);
    eventually("it is matched", || async {
        harness.harness.clock.advance(DurationMs::from_secs(10));
        with.engine.promote_tick().await.expect("promotion works");
        harness.hint(QueueName::Webhook);
        only_job(&harness).await.status == JobStatus::Completed
    })
    .await;
    let delivery = with.engine.delivery(&admin, sent.delivery_id).await.expect("it is there");
    assert_eq!(delivery.status, DeliveryStatus::Unmatched);
    assert!(stop(pools).await.in_time);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_waits_for_its_key_on_sqlite() {
    a_delivery_waits_for_its_key(PoolHarness::new().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_waits_for_its_key_on_postgres() {
    a_delivery_waits_for_its_key(PoolHarness::on_postgres().await).await;
}
