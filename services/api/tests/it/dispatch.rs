//! The state of dispatch over REST.

use domain::access::Role;
use domain::dispatch::{HeldType, PublishFault, RelayFigures, TOPIC_NOT_CREATED};
use domain::names::JobType;
use domain::time::DurationMs;
use engine::BrokerState;
use serde_json::json;

use crate::harness::Harness;

#[tokio::test]
async fn without_anything_to_do_all_is_zero() {
    let harness = Harness::start().await;
    let empty = harness.admin().get("/v1/dispatch").await.expect(200).body;
    assert_eq!((&empty["mode"], &empty["draining"]), (&json!("polling"), &json!(false)));
    assert_eq!(empty["outbox"], json!({"jobs": 0, "exact": true, "asOf": "2026-11-20T12:00:00.000Z"}));
    assert_eq!(empty["offers"], json!({"standing": 0, "unacknowledged": 0, "lag": 0, "jobTypes": []}));
    assert_eq!((&empty["nodes"], empty["shards"].as_array().map(Vec::len)), (&json!([]), Some(8)));
    assert_eq!(empty["shards"][0], json!({"shard": 0, "term": 0}));
}

#[tokio::test]
async fn what_waits_and_what_is_offered_is_shown() {
    let harness = Harness::start().await;
    let (admin, engine) = (harness.admin(), &harness.engine.engine);
    let job = json!({"jobType": "charge", "data": {}});
    for _ in 0..3 {
        admin.post("/v1/jobs", &job).await.expect(202);
    }
    let types = vec![JobType::trusted("charge")];
    engine.claim_offers(1, types, 2, DurationMs::from_secs(60)).await.expect("it claims");
    let now = engine.now();
    let figures = RelayFigures {
        published: 7,
        errors: 2,
        unacknowledged: 1,
        published_per_second: 5,
        last_error: Some(PublishFault { reason: "broker_away".to_owned(), at: now }),
        held: vec![HeldType {
            job_type: JobType::trusted("ship"),
            reason: TOPIC_NOT_CREATED.to_owned(),
            since: now,
        }],
    };
    let broker = BrokerState { relays: true, away_since: Some(now), figures };
    assert!(engine.join_dispatch("node-1", broker).await.expect("it joins").is_none());
    engine.lease_shards(&[3], DurationMs::from_secs(10)).await.expect("it leases");
    let shown = admin.get("/v1/dispatch").await.expect(200).body;
    let at = "2026-11-20T12:00:00.000Z";
    let of_type = json!([{"jobType": "charge", "standing": 2, "oldestAt": at}]);
    let offers = json!({"standing": 2, "unacknowledged": 1, "lag": 1, "oldestAt": at, "jobTypes": of_type});
    assert_eq!((&shown["offers"], &shown["publishedPerSecond"]), (&offers, &json!(5)));
    let node = json!({
        "name": "node-1", "relay": true, "brokerAwaySince": at, "published": 7, "publishErrors": 2,
        "unacknowledged": 1, "publishedPerSecond": 5, "lastError": {"reason": "broker_away", "at": at},
        "heldTypes": [{"jobType": "ship", "reason": "topic_not_created", "since": at}],
    });
    assert_eq!(shown["nodes"], json!([node]));
    let shard = json!({"shard": 3, "term": 1, "node": "node-1", "until": "2026-11-20T12:00:10.000Z"});
    assert_eq!(shown["shards"][3], shard);
    assert_eq!(shown["outbox"]["jobs"], 1);
}

#[tokio::test]
async fn a_key_of_a_tenant_does_not_see_it() {
    let harness = Harness::start().await;
    harness.client(Role::Viewer, None).await.get("/v1/dispatch").await.expect(200);
    harness.client(Role::Admin, Some("acme")).await.get("/v1/dispatch").await.problem(403, "forbidden");
}
