//! What has to go well when something else does not: keys that are lost, secrets that end meanwhile, bodies that swell,
//! jobs that die.

use std::io::Write;
use std::sync::Arc;

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::id::{DeliveryId, JobId};
use domain::job::Outcome;
use domain::names::WorkerId;
use domain::queue::QueueName;
use domain::time::DurationMs;
use domain::webhook::{DeliveryStatus, Provider};
use engine::{
    Admission, AdmittedDelivery, BulkAnswer, BulkRequest, PoolClaim, RotateSecret, SealingKeys, SecretText,
    WebhookRequest,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use store::dead_letters::{DeadLetterFilter, RequeueEdit};
use store::webhooks::SecretPurpose;
use testkit::EngineHarness;

use super::harness::{
    Sender, accepted, executions, github, refusal, register, replay_of, send, trigger, work,
};

const FIRST: &str = "2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SECOND: &str = "2026b:HxwdGhsYGRYXFBUSExARDg8MDQoLCAkGBwQFAgMAAQE=";

fn keys(text: &str) -> SealingKeys {
    SealingKeys::parse([text]).unwrap()
}

async fn admitted(harness: &EngineHarness, sender: &Sender) -> AdmittedDelivery {
    match harness.engine.admit_delivery(Some(sender.id), None).await.unwrap() {
        Admission::Admitted(admitted) => admitted,
        Admission::Refused(refused) => panic!("nothing limits rates here: {refused:?}"),
    }
}

async fn a_lost_key_is_overcome_by_another_secret(harness: EngineHarness) {
    let before = harness.node_with_keys(2, keys(FIRST));
    let old = github(&before, "repo", Vec::new()).await;
    let after = harness.node_with_keys(3, keys(SECOND));
    let answer = send(&after, old.id, old.push("1", &json!({}))).await;
    assert_eq!(refusal(&answer), (503, "unavailable"), "no request can be verified");
    let secret = "another secret of sixteen bytes and more";
    let request = WebhookRequest {
        secrets: Some(vec![SecretText::new(secret)]),
        ..WebhookRequest::new("repo", Provider::GitHub)
    };
    let saved = after.engine.update_webhook(&harness.admin(), old.id, request, None).await.unwrap();
    let is_warned = saved.view.warnings.iter().any(|warning| warning.contains("key that is not configured"));
    assert!(!is_warned, "what has ended is not needed any more: {:?}", saved.view.warnings);
    let new = Sender { secret: secret.to_owned(), ..old.clone() };
    accepted(&after, new.id, new.push("1", &json!({}))).await;
    assert_eq!(refusal(&send(&after, old.id, old.push("2", &json!(2))).await), (401, "signature"));
}

async fn what_changes_while_a_body_comes_counts(harness: EngineHarness) {
    let admin = harness.admin();
    let old = github(&harness, "repo", Vec::new()).await;
    let slow = admitted(&harness, &old).await;
    let at_once =
        RotateSecret { purpose: SecretPurpose::Signature, secret: None, overlap: Some(DurationMs::ZERO) };
    let saved = harness.engine.rotate_webhook_secret(&admin, old.id, at_once).await.unwrap();
    let answer = harness.engine.receive_delivery(slow, old.push("1", &json!(1))).await.unwrap();
    assert_eq!(refusal(&answer), (401, "signature"), "the secret has ended");
    let new = super::harness::sender(&saved);
    let slow = admitted(&harness, &new).await;
    harness.engine.pause_webhook(&admin, new.id, true).await.unwrap();
    let answer = harness.engine.receive_delivery(slow, new.push("1", &json!(2))).await.unwrap();
    assert!(matches!(answer, engine::Received::Held { .. }), "{answer:?}");
    let slow = admitted(&harness, &new).await;
    harness.engine.delete_webhook(&admin, new.id).await.unwrap();
    let answer = harness.engine.receive_delivery(slow, new.push("1", &json!(3))).await.unwrap();
    assert_eq!(refusal(&answer), (404, "unknown"));
}

async fn each_delivery_is_counted_once(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let sender = github(&harness, "repo", vec![trigger("deploy")]).await;
    for number in 0..2 {
        accepted(&harness, sender.id, sender.push("1", &json!({ "number": number }))).await;
    }
    work(&harness).await;
    for number in 2..5 {
        accepted(&harness, sender.id, sender.push("1", &json!({ "number": number }))).await;
    }
    harness.clock.advance(DurationMs(10));
    for (statuses, expected) in [(["matched", "parked"], 2), (["accepted", "parked"], 3)] {
        let dry = BulkRequest { dry_run: true, ..replay_of(sender.id, &statuses, None) };
        let counted = harness.engine.bulk(&harness.admin(), dry).await.unwrap();
        let BulkAnswer::Matches { count, .. } = counted else { panic!("{counted:?}") };
        assert_eq!(count, expected, "{statuses:?}");
    }
}

/// The job of a delivery, as it is leased.
async fn claimed(harness: &EngineHarness) -> store::jobs::ClaimedJob {
    let claim = PoolClaim {
        queue: QueueName::Webhook,
        jobs_max: 1,
        worker_id: WorkerId::trusted("webhook-pool"),
        job_types: None,
    };
    harness.engine.claim(claim).await.unwrap().remove(0)
}

async fn reason(harness: &EngineHarness, id: DeliveryId) -> (DeliveryStatus, Option<String>) {
    let record = harness.engine.delivery(&harness.admin(), id).await.unwrap();
    (record.status, record.reason)
}

async fn a_delivery_whose_job_died_is_parked_and_requeued(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let sender = github(&harness, "repo", vec![trigger("deploy")]).await;
    let id = accepted(&harness, sender.id, sender.push("1", &json!({}))).await;
    let job = claimed(&harness).await;
    let error = JobError::coded("internal", "It could not be matched.");
    let failed = Outcome::Failed { error, retryable: false, retry_after: None };
    harness.settle(&job, failed).await.unwrap();
    assert_eq!(reason(&harness, id).await, (DeliveryStatus::Parked, Some("matching_failed".to_owned())));
    let page = store::PageRequest { limit: 1, after: None };
    let dead =
        harness.engine.list_dead_letters(&harness.admin(), &DeadLetterFilter::default(), page).await.unwrap();
    let edit = RequeueEdit::default();
    assert_eq!(
        harness.engine.requeue_dead_letter(&harness.admin(), dead.items[0].id, edit).await.unwrap(),
        job.id
    );
    assert_eq!(work(&harness).await[0].status, DeliveryStatus::Matched);
    assert_eq!(executions(&harness).await.len(), 1);
    assert_eq!(reason(&harness, id).await, (DeliveryStatus::Matched, None));
}

async fn a_delivery_whose_workers_are_lost_again_and_again_is_parked(harness: EngineHarness) {
    let sender = github(&harness, "repo", Vec::new()).await;
    let id = accepted(&harness, sender.id, sender.push("1", &json!({}))).await;
    for _ in 0..20 {
        assert_eq!(reason(&harness, id).await.0, DeliveryStatus::Accepted);
        claimed(&harness).await;
        harness.clock.advance(DurationMs::from_secs(60));
        harness.engine.reap_tick().await.unwrap();
    }
    assert_eq!(reason(&harness, id).await, (DeliveryStatus::Parked, Some("matching_failed".to_owned())));
}

async fn a_delivery_whose_job_is_cancelled_is_parked(harness: EngineHarness) {
    let sender = github(&harness, "repo", Vec::new()).await;
    let id = accepted(&harness, sender.id, sender.push("1", &json!({}))).await;
    let record = harness.engine.delivery(&harness.admin(), id).await.unwrap();
    let job: JobId = record.job_id.unwrap();
    harness.engine.cancel_job(&harness.admin(), job).await.unwrap();
    assert_eq!(reason(&harness, id).await, (DeliveryStatus::Parked, Some("job_cancelled".to_owned())));
    let found = harness.store.job(&TenantScope::All, job).await.unwrap().unwrap();
    assert!(found.status.is_terminal());
}

/// Whatever is in a body, it is decided about: PostgreSQL holds no NUL in its texts.
async fn odd_characters_are_decided_about(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let sender = github(&harness, "repo", vec![trigger("deploy")]).await;
    for (number, body) in
        [&b"{\"a\":\"\\u0000\"}"[..], b"{\"\\u0000\":1}", b"\0", b"{\"a\":\"\\ud800\"}", b"\xff\xd8"]
            .iter()
            .enumerate()
    {
        let id = number.to_string();
        let headers = [("X-GitHub-Event", "p\u{fffd}sh"), ("X-GitHub-Delivery", id.as_str())];
        let mut incoming = sender.signed(&headers, body, domain::time::Timestamp(0));
        incoming.headers.push(("X-Odd".to_owned(), vec![0xff, 0xfe]));
        incoming.query = Some("a=%00&b=%ff".to_owned());
        accepted(&harness, sender.id, incoming).await;
    }
    let mut statuses: Vec<DeliveryStatus> =
        work(&harness).await.into_iter().map(|matched| matched.status).collect();
    statuses.sort_unstable_by_key(|status| status.as_str());
    let (matched, parked) = (DeliveryStatus::Matched, DeliveryStatus::Parked);
    assert_eq!(
        statuses,
        [matched, matched, matched, parked, parked],
        "JSON that names a NUL needs another input"
    );
}

async fn a_packed_body_is_bounded_by_what_it_holds(harness: EngineHarness) {
    let saved = harness
        .engine
        .create_webhook(&harness.admin(), WebhookRequest::new("open", Provider::None))
        .await
        .unwrap();
    let sender = Sender { id: saved.view.id, provider: Provider::None, secret: String::new() };
    let packed = |bytes: usize| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&vec![b'1'; bytes]).unwrap();
        sender.signed(&[("Content-Encoding", "gzip")], &encoder.finish().unwrap(), harness.engine.now())
    };
    accepted(&harness, sender.id, packed(1024 * 1024)).await;
    let swollen = send(&harness, sender.id, packed(1024 * 1024 + 1)).await;
    assert_eq!(refusal(&swollen), (413, "too_large"));
}

on_both_databases!(
    a_lost_key_is_overcome_by_another_secret,
    what_changes_while_a_body_comes_counts,
    each_delivery_is_counted_once,
    a_delivery_whose_job_died_is_parked_and_requeued,
    a_delivery_whose_workers_are_lost_again_and_again_is_parked,
    a_delivery_whose_job_is_cancelled_is_parked,
    odd_characters_are_decided_about,
    a_packed_body_is_bounded_by_what_it_holds,
);

/// The room of a body is taken until it is stored, also where its sender does not wait for that.
#[tokio::test]
async fn a_sender_that_hangs_up_does_not_free_the_room_of_its_body() {
    let database = testkit::database::sqlite_memory().await;
    let harness = EngineHarness::new(Arc::clone(&database.store) as _);
    let request =
        WebhookRequest { max_body: Some(25 * 1024 * 1024), ..WebhookRequest::new("open", Provider::None) };
    let id = harness.engine.create_webhook(&harness.admin(), request).await.unwrap().view.id;
    let sender = Sender { id, provider: Provider::None, secret: String::new() };
    // What is stored of the endpoint is measured once, and known for the next delivery: that waits for its commit alone.
    accepted(&harness, id, sender.signed(&[], b"first", harness.engine.now())).await;
    let free = harness.engine.webhook_room_kib();
    let incoming = sender.signed(&[], &vec![b'1'; 100 * 1024], harness.engine.now());
    // What the caller set apart for the body is kept with it.
    let kept = Arc::new(());
    let admitted = admitted(&harness, &sender).await.keeping(Arc::clone(&kept));
    let mut receiving = Box::pin(harness.engine.receive_delivery(admitted, incoming));
    let turned = futures::poll!(&mut receiving);
    assert!(turned.is_pending(), "it waits for its commit");
    assert_eq!(harness.engine.webhook_room_kib(), free - 100);
    drop(receiving);
    assert_eq!(harness.engine.webhook_room_kib(), free - 100, "it is still to be stored");
    assert_eq!(Arc::strong_count(&kept), 2);
    testkit::eventually("the room is free again", || async { harness.engine.webhook_room_kib() == free })
        .await;
    assert_eq!(Arc::strong_count(&kept), 1);
    assert_eq!(harness.deliveries("").await.len(), 2, "it was stored");
}
