//! `/v1/queues`.

use serde_json::json;

use crate::harness::Harness;

#[tokio::test]
async fn queues_are_shown_with_their_figures() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.post("/v1/jobs", &json!({"jobType": "q", "data": 1, "priority": "low"})).await.expect(202);
    admin.post("/v1/jobs", &json!({"jobType": "q", "data": 1, "delay": "1h"})).await.expect(202);
    let list = admin.get("/v1/queues").await.expect(200);
    let names: Vec<&str> = list.body["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|queue| queue["queue"].as_str())
        .collect();
    assert_eq!(names, ["workflow-execution", "workflow-node", "workflow-scheduled", "workflow-webhook"]);
    assert!(list.body["nextCursor"].is_null());

    let queue = admin.get("/v1/queues/workflow-node").await.expect(200);
    assert_eq!(queue.body["queued"], 1);
    assert_eq!(queue.body["tiers"]["low"]["queued"], 1);
    assert_eq!(queue.body["tiers"]["low"]["oldestAgeMs"], 0);
    assert_eq!(queue.body["tiers"]["normal"]["scheduled"], 1);
    assert_eq!(queue.body["paused"], false);
    assert_eq!(queue.body["deadLetters"], 0);
    for figure in ["throughput1m", "errorRate1m", "waitMs", "runMs", "oldestAgeMs"] {
        assert!(queue.body.get(figure).is_some(), "{figure}");
    }
    admin.get("/v1/queues/no-such-queue").await.problem(404, "not_found");
}

#[tokio::test]
async fn queues_pause_drain_and_resume() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let job = json!({"jobType": "q", "data": 1});
    let paused = admin.act("/v1/queues/workflow-node/pause").await.expect(200);
    assert_eq!(paused.body, json!({"queue": "workflow-node", "mode": "paused", "paused": true}));
    let id = admin.post("/v1/jobs", &job).await.expect(202).str("id").to_owned();
    let poll = json!({"workerId": "w", "jobTypes": ["q"]});
    assert_eq!(admin.post("/v1/jobs/poll", &poll).await.expect(200).body["jobs"], json!([]));
    assert_eq!(admin.get(&format!("/v1/jobs/{id}/why")).await.expect(200).body["reason"], "queue_paused");

    admin.act("/v1/queues/workflow-node/drain").await.expect(200);
    admin.post("/v1/jobs", &job).await.problem(409, "queue_draining");
    assert_eq!(admin.take("q").await["id"], id.as_str());
    admin.act("/v1/queues/workflow-node/resume").await.expect(200);
    assert_eq!(admin.get("/v1/queues/workflow-node").await.body["mode"], "running");
    admin.post("/v1/jobs", &job).await.expect(202);
}

#[tokio::test]
async fn scaling_wants_no_workers_for_what_a_limit_holds() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for _ in 0..5 {
        admin.post("/v1/jobs", &json!({"jobType": "q", "data": 1})).await.expect(202);
    }
    admin.post("/v1/jobs", &json!({"jobType": "other", "data": 1})).await.expect(202);
    let limits = json!({"workflow-node": {"maxConcurrent": 3}});
    admin.put("/v1/limits", &limits).await.expect(200);
    admin.take("q").await;
    testkit::eventually("the worker is stored", || async {
        admin.get("/v1/workers").await.body["items"].as_array().is_some_and(|workers| !workers.is_empty())
    })
    .await;
    // What was read before may be shown for a second.
    let path = "/v1/queues/workflow-node/scaling";
    let scaling = admin.get(path).await.expect(200).body;
    let figures = ["desired", "processing", "offered", "queued", "startable", "heldByLimit"];
    assert_eq!(figures.map(|name| scaling[name].as_u64()), [3, 1, 0, 5, 2, 3].map(Some), "{scaling}");
    assert_eq!(
        (&scaling["exact"], &scaling["oldestAgeMs"], &scaling["noWorker"]),
        (&json!(true), &json!(0), &json!(1))
    );
    let other = admin.get(&format!("{path}?jobType=other,none")).await.expect(200).body;
    assert_eq!((&other["queued"], &other["startable"], &other["workers"]), (&json!(1), &json!(1), &json!(0)));
    let nobody = admin.get(&format!("{path}?tenant=nobody")).await.expect(200).body;
    assert_eq!((&nobody["desired"], &nobody["oldestAgeMs"]), (&json!(0), &json!(null)));
    admin.get(&format!("{path}?jobType=a%20b%00")).await.problem(422, "invalid");
    admin.get("/v1/queues/none/scaling").await.problem(404, "not_found");
}
