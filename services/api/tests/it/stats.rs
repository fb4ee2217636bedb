//! `/v1/stats`, and what tenants used lately.

use domain::access::Role;
use domain::time::DurationMs;
use serde_json::{Value, json};

use crate::harness::Harness;

/// Enqueues, waits, takes and completes a job.
async fn work(harness: &Harness, tenant: &str, wait: i64, run: i64) {
    let admin = harness.admin();
    admin.post("/v1/jobs", &json!({"jobType": "s", "tenant": tenant})).await.expect(202);
    harness.engine.clock.advance(DurationMs(wait));
    let job = admin.take("s").await;
    harness.engine.clock.advance(DurationMs(run));
    let report = json!({"jobs": [{"id": job["id"], "leaseToken": job["leaseToken"]}]});
    admin.post("/v1/jobs/complete", &report).await.expect(200);
}

async fn series(harness: &Harness, query: &str) -> Vec<Value> {
    let answer = harness.admin().get(&format!("/v1/stats{query}")).await.expect(200).body;
    answer["series"].as_array().expect("a list").clone()
}

fn sum(series: &[Value], field: &str) -> u64 {
    series.iter().map(|point| point[field].as_u64().expect("a number")).sum()
}

#[tokio::test]
async fn figures_are_kept_by_minute_and_hour() {
    let harness = Harness::start().await;
    let engine = &harness.engine.engine;
    work(&harness, "acme", 150, 40).await;
    work(&harness, "umbrella", 150, 4_000).await;
    harness.dead_letter("d").await;
    harness.admin().post("/v1/jobs", &json!({"jobType": "waits"})).await.expect(202);
    harness.engine.clock.advance(DurationMs::from_secs(2));
    engine.flush_stats().await.expect("they are written");
    engine.stats_tick().await.expect("they are written");

    let all = series(&harness, "").await;
    assert!((60..=61).contains(&all.len()), "an hour: {}", all.len());
    let last = all.last().expect("a point");
    for (field, value) in [
        ("enqueued", 4),
        ("claimed", 3),
        ("completed", 2),
        ("failed", 1),
        ("deadLettered", 1),
        ("queued", 1),
        ("processing", 0),
    ] {
        assert_eq!(last[field], value, "{field}: {last}");
    }
    assert!(last["oldestAgeMs"].as_u64().is_some_and(|age| age >= 2_000), "{last}");
    let within = |field: &str, from: i64, to: i64| {
        assert!(last[field].as_i64().is_some_and(|ms| (from..=to).contains(&ms)), "{field}: {last}");
    };
    within("waitP95", 100, 200);
    within("runP99", 2_000, 5_000);
    within("endToEndP99", 2_000, 5_000);
    for figure in ["waitP50", "runP50", "endToEndP50"] {
        assert_eq!(all[0][figure], Value::Null, "nothing happened then");
    }

    let hours = series(&harness, "?step=1h").await;
    assert_eq!((sum(&hours, "enqueued"), sum(&hours, "completed")), (4, 2));
    for (query, enqueued) in [
        ("?queue=workflow-node", 4),
        ("?queue=workflow-webhook", 0),
        ("?priority=high", 0),
        ("?tenant=acme", 1),
        ("?tenant=nobody", 0),
        ("?workflow=none", 0),
        ("?from=now-2h&to=now-1h", 0),
        ("?from=now-1d&step=1h", 4),
    ] {
        assert_eq!(sum(&series(&harness, query).await, "enqueued"), enqueued, "{query}");
    }
    // What is written once more adds nothing, and a queue that is empty says so.
    engine.flush_stats().await.expect("they are written");
    let job = harness.admin().take("waits").await;
    let report = json!({"jobs": [{"id": job["id"], "leaseToken": job["leaseToken"]}]});
    harness.admin().post("/v1/jobs/complete", &report).await.expect(200);
    testkit::eventually("the queue is seen to be empty", || async {
        engine.stats_tick().await.expect("they are written");
        series(&harness, "").await.last().expect("a point")["queued"] == 0
    })
    .await;
    assert_eq!(sum(&series(&harness, "").await, "enqueued"), 4);
}

#[tokio::test]
async fn tenants_see_their_own_figures() {
    let harness = Harness::start().await;
    work(&harness, "acme", 10, 61_000).await;
    work(&harness, "umbrella", 10, 10).await;
    harness.engine.engine.flush_stats().await.expect("they are written");
    let acme = harness.client(Role::Viewer, Some("acme")).await;
    let own = acme.get("/v1/stats").await.expect(200).body;
    assert_eq!(sum(own["series"].as_array().expect("a list"), "completed"), 1);
    acme.get("/v1/stats?tenant=umbrella").await.problem(404, "not_found");
    let usage = harness.admin().get("/v1/tenants/acme/usage").await.expect(200).body;
    assert_eq!(usage["workerSeconds"], json!({"1h": 61, "24h": 61}), "{usage}");
    assert_eq!(usage["starts"], json!({"1h": 1, "24h": 1}));
    for (query, pointer) in [
        ("step=1s", "/step"),
        ("from=soon", "/from"),
        ("from=now-1h&to=now-2h", "/from"),
        ("from=now-3d", "/from"),
        ("colour=red", "/colour"),
    ] {
        let problem = acme.get(&format!("/v1/stats?{query}")).await.problem(422, "invalid");
        assert_eq!(problem.pointers(), [pointer], "{query}");
    }
}

#[tokio::test]
async fn a_long_lane_is_counted_to_its_end() {
    let harness = Harness::start().await;
    let job = json!({"jobType": "many", "data": {}});
    for _ in 0..21 {
        let jobs = vec![job.clone(); 500];
        harness.admin().post("/v1/jobs/batch", &json!({ "jobs": jobs })).await.expect(202);
    }
    harness.engine.clock.advance(DurationMs::from_secs(2));
    harness.engine.engine.stats_tick().await.expect("they are written");
    let last = async |query: &str| series(&harness, query).await.pop().expect("a point");
    assert_eq!(last("").await["queued"], 10_500);
    assert_eq!(last("?queue=workflow-node&priority=normal").await["queued"], 10_500);
    assert_eq!(last("?tenant=default").await["queued"], 10_000, "as many as are counted of a lane");
}
