//! Replays: linked, filtered again, and only of what was verified.

use domain::problem::ProblemCode;
use domain::webhook::{DeliveryStatus, Provider, TriggerConfig};
use engine::{BulkAnswer, BulkRequest, Caller, EngineError, WebhookRequest};
use serde_json::json;
use store::batches::BatchStatus;
use testkit::{EngineHarness, eventually};
use uuid::Uuid;

use super::harness::{Sender, accepted, executions, github, register, replay_of, send, trigger, work};

async fn a_replay_is_decided_by_the_triggers_of_today(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let admin = harness.admin();
    let never = TriggerConfig { filter: Some("false".to_owned()), ..trigger("deploy") };
    let sender = github(&harness, "repo", vec![never]).await;
    let body = json!({"ref": "main"});
    let first = accepted(&harness, sender.id, sender.push("1", &body)).await;
    assert_eq!(work(&harness).await[0].status, DeliveryStatus::Unmatched);
    let request =
        WebhookRequest { triggers: vec![trigger("deploy")], ..WebhookRequest::new("repo", Provider::GitHub) };
    harness.engine.update_webhook(&admin, sender.id, request, None).await.unwrap();
    let caller = Caller { seed: Some(Uuid::from_u128(5)), ..admin.clone() };
    let replay = harness.engine.replay_delivery(&caller, first, false).await.unwrap();
    assert_eq!(
        harness.engine.replay_delivery(&caller, first, false).await.unwrap(),
        replay,
        "a repeated request"
    );
    assert_eq!(work(&harness).await[0].status, DeliveryStatus::Matched);
    assert_eq!(executions(&harness).await.len(), 1);
    let record = harness.engine.delivery(&admin, replay).await.unwrap();
    assert_eq!((record.replay_of, record.secret_id), (Some(first), None));
    assert_eq!(
        harness.engine.delivery_body(&admin, replay).await.unwrap(),
        Some(body.to_string().into_bytes())
    );
    // It has taken no key: the provider's own repetition is still one of the first.
    let again = send(&harness, sender.id, sender.push("1", &body)).await;
    assert_eq!(again, engine::Received::Duplicate { delivery_id: first });
}

async fn i07_a_replay_starts_what_had_not_started(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let late = |version: u32, required: &[&str]| {
        json!({
            "name": "late", "version": version, "input": {"type": "object", "required": required},
            "nodes": [{"id": "work", "type": "SERVICE_TASK", "jobType": "work"}]
        })
    };
    harness.register(&late(1, &["file"])).await.unwrap();
    let admin = harness.admin();
    let sender = github(&harness, "repo", vec![trigger("deploy"), trigger("late")]).await;
    let first = accepted(&harness, sender.id, sender.push("1", &json!({}))).await;
    assert_eq!(
        work(&harness).await[0].status,
        DeliveryStatus::Parked,
        "the workflow does not take such an input yet"
    );
    harness.register(&late(2, &[])).await.unwrap();
    let replay = harness.engine.replay_delivery(&admin, first, false).await.unwrap();
    let matched = work(&harness).await;
    assert_eq!((matched[0].status, matched[0].executions.len()), (DeliveryStatus::Matched, 1));
    let record = harness.engine.delivery(&admin, replay).await.unwrap();
    let lines: serde_json::Value = serde_json::from_str(&record.outcome.unwrap()).unwrap();
    assert_eq!((&lines[0]["result"], &lines[1]["result"]), (&json!("started_before"), &json!("started")));
    for again in [first, replay] {
        harness.engine.replay_delivery(&admin, again, false).await.unwrap();
        let matched = work(&harness).await;
        assert_eq!((matched[0].status, matched[0].executions.len()), (DeliveryStatus::Matched, 0));
    }
    assert_eq!(executions(&harness).await.len(), 2);
    harness.engine.replay_delivery(&admin, replay, true).await.unwrap();
    assert_eq!(work(&harness).await[0].executions.len(), 2);
    assert_eq!(executions(&harness).await.len(), 4);
}

async fn i07_what_a_replay_of_all_started_is_not_started_again(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let late = |version: u32, required: &[&str]| {
        json!({
            "name": "late", "version": version, "input": {"type": "object", "required": required},
            "nodes": [{"id": "work", "type": "SERVICE_TASK", "jobType": "work"}]
        })
    };
    harness.register(&late(1, &["file"])).await.unwrap();
    let admin = harness.admin();
    let sender = github(&harness, "repo", vec![trigger("deploy"), trigger("late")]).await;
    let first = accepted(&harness, sender.id, sender.push("1", &json!({}))).await;
    assert_eq!(work(&harness).await[0].executions.len(), 1, "one of them cannot start yet");
    harness.register(&late(2, &[])).await.unwrap();
    let all = harness.engine.replay_delivery(&admin, first, true).await.unwrap();
    assert_eq!(work(&harness).await[0].executions.len(), 2, "one for the first time, and one again");
    for again in [first, all] {
        harness.engine.replay_delivery(&admin, again, false).await.unwrap();
        assert_eq!(work(&harness).await[0].executions, []);
    }
    assert_eq!(executions(&harness).await.len(), 3);
}

async fn what_was_never_verified_is_not_replayed(harness: EngineHarness) {
    let admin = harness.admin();
    let sender = github(&harness, "repo", Vec::new()).await;
    let forger = Sender { secret: "0123456789abcdef0123456789abcdef".to_owned(), ..sender.clone() };
    send(&harness, sender.id, forger.push("1", &json!({}))).await;
    let rejected = async || harness.deliveries("status:rejected").await;
    eventually("it is in the log", || async { rejected().await.len() == 1 }).await;
    let id = rejected().await[0].id;
    let refused = harness.engine.replay_delivery(&admin, id, false).await;
    assert!(
        matches!(refused, Err(EngineError::Conflict { code: ProblemCode::DeliveryNotReplayable, .. })),
        "{refused:?}"
    );
    let good = accepted(&harness, sender.id, sender.push("1", &json!({}))).await;
    harness.engine.delete_webhook(&admin, sender.id).await.unwrap();
    let refused = harness.engine.replay_delivery(&admin, good, false).await;
    assert!(
        matches!(refused, Err(EngineError::Conflict { code: ProblemCode::WebhookDeleted, .. })),
        "{refused:?}"
    );
}

async fn many_are_replayed_by_a_filter(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let admin = harness.admin();
    let sender = github(&harness, "repo", vec![trigger("deploy")]).await;
    for number in 0..5 {
        accepted(&harness, sender.id, sender.push("1", &json!({ "number": number }))).await;
    }
    work(&harness).await;
    harness.clock.advance(domain::time::DurationMs(10));
    let request = replay_of(sender.id, &["matched", "unmatched", "parked"], Some(3));
    let dry = BulkRequest { dry_run: true, ..request.clone() };
    let counted = harness.engine.bulk(&admin, dry).await.unwrap();
    assert!(matches!(counted, BulkAnswer::Matches { count: 3, is_exact: true, .. }), "{counted:?}");
    let BulkAnswer::Batch(batch) = harness.engine.bulk(&admin, request).await.unwrap() else {
        panic!("not a dry run");
    };
    eventually("the batch is done", || async {
        harness.engine.batch(&admin, batch.id).await.unwrap().status == BatchStatus::Completed
    })
    .await;
    let batch = harness.engine.batch(&admin, batch.id).await.unwrap();
    let counts = batch.counts;
    assert_eq!((counts.total, counts.done, counts.failed), (3, 3, 0));
    assert_eq!(work(&harness).await.len(), 3);
    assert_eq!(executions(&harness).await.len(), 8);
}

on_both_databases!(
    a_replay_is_decided_by_the_triggers_of_today,
    i07_a_replay_starts_what_had_not_started,
    i07_what_a_replay_of_all_started_is_not_started_again,
    what_was_never_verified_is_not_replayed,
    many_are_replayed_by_a_filter,
);
