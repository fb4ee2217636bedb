//! `/v1/dead-letters`, `/v1/batches` and `/v1/archive`.

use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::harness::Harness;

#[tokio::test]
async fn a_dead_letter_is_shown_and_requeued() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let id = harness.dead_letter("d").await;
    let letter = admin.get(&format!("/v1/dead-letters/{id}")).await.expect(200);
    let expected = json!({
        "id": id, "queue": "workflow-node", "jobType": "d", "priority": "normal", "tenant": "default",
        "status": "open", "reason": "non_retryable", "error": {"message": "disk 7 is full"}, "data": {"n": 1},
        "attemptCount": 1, "diedAt": "2026-11-20T12:00:00.000Z",
    });
    for (field, value) in expected.as_object().expect("an object") {
        assert_eq!(&letter.body[field], value, "{field}");
    }
    assert_eq!(letter.body["attempts"].as_array().map(Vec::len), Some(1));
    let job_id = letter.str("jobId").to_owned();
    let job = admin.get(&format!("/v1/jobs/{job_id}")).await.expect(200);
    assert_eq!(job.str("fingerprint"), letter.str("fingerprint"));

    let edit = json!({"data": {"n": 2}, "priority": "high", "maxRetries": 5});
    let done = admin.post(&format!("/v1/dead-letters/{id}/requeue"), &edit).await.expect(200);
    assert_eq!(done.body, json!({"id": id, "jobId": job_id, "status": "requeued"}));
    let again = admin.act(&format!("/v1/dead-letters/{id}/requeue")).await.expect(200);
    assert_eq!(again.body["jobId"], job_id.as_str(), "a second requeue makes no second job");
    let job = admin.take("d").await;
    assert_eq!((job["id"].as_str(), &job["data"]), (Some(job_id.as_str()), &json!({"n": 2})));
    admin
        .post(&format!("/v1/dead-letters/{id}/archive"), &json!({"reason": "x"}))
        .await
        .problem(409, "dead_letter_refused");
    admin
        .act("/v1/dead-letters/dlq_00000000000000000000000000000001/requeue")
        .await
        .problem(404, "not_found");
}

#[tokio::test]
async fn the_archive_is_listed_and_exported() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let id = harness.dead_letter("a").await;
    let missing =
        admin.post(&format!("/v1/dead-letters/{id}/archive"), &json!({})).await.problem(422, "invalid");
    assert_eq!(missing.pointers(), ["/reason"]);
    admin.post(&format!("/v1/dead-letters/{id}/archive"), &json!({"reason": "known"})).await.expect(200);
    assert_eq!(admin.get("/v1/dead-letters").await.expect(200).body["items"], json!([]));
    let archive = admin.get("/v1/archive?jobType=a").await.expect(200);
    assert_eq!(archive.body["items"][0]["archiveReason"], "known");
    let export = admin.get("/v1/archive/export").await.expect(200);
    assert_eq!(export.header("content-type"), Some("application/x-ndjson"));
    let lines: Vec<Value> =
        export.text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["id"], id.as_str());
    assert_eq!(lines[0]["attempts"].as_array().map(Vec::len), Some(1));
    admin.get("/v1/archive?status=open").await.problem(422, "invalid");
    admin.get("/v1/archive/export?limit=5").await.problem(422, "invalid");

    // Compression polls the body once more after its end.
    let mut request = admin.request("GET", "/v1/archive/export", axum::body::Body::empty());
    request.headers_mut().insert("accept-encoding", "gzip".parse().expect("a header"));
    let response = harness.router.clone().oneshot(request).await.expect("routers do not fail");
    assert_eq!(response.headers()["content-encoding"], "gzip");
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("the export is complete");
    assert!(bytes.starts_with(&[0x1f, 0x8b]), "gzip");
}

#[tokio::test]
async fn groups_and_filters() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    harness.dead_letter("g").await;
    harness.dead_letter("g").await;
    harness.dead_letter("other").await;
    let groups = admin.get("/v1/dead-letters/groups").await.expect(200);
    let first = &groups.body["items"][0];
    assert_eq!((first["jobType"].as_str(), first["count"].as_u64()), (Some("g"), Some(2)));
    let fingerprint = first["fingerprint"].as_str().expect("text");
    for (query, count) in [
        (format!("fingerprint={fingerprint}"), 2),
        ("queue=workflow-node".to_owned(), 3),
        ("queue=workflow-execution".to_owned(), 0),
        ("reason=timeout".to_owned(), 0),
        ("from=2026-11-20T12:00:00Z".to_owned(), 3),
        ("to=2026-11-20T12:00:00Z".to_owned(), 0),
        ("tenant=default&jobType=other".to_owned(), 1),
        ("status=requeued".to_owned(), 0),
    ] {
        let list = admin.get(&format!("/v1/dead-letters?{query}")).await.expect(200);
        assert_eq!(list.body["items"].as_array().map(Vec::len), Some(count), "{query}");
    }
    let page = admin.get("/v1/dead-letters?limit=2").await.expect(200);
    assert!(page.str("nextCursor").starts_with("dlq_"));
}

#[tokio::test]
async fn groups_are_resolved_ignored_and_reopened() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    harness.dead_letter("g").await;
    let group = || async { admin.get("/v1/dead-letters/groups").await.expect(200).body["items"][0].clone() };
    let first = group().await;
    assert_eq!((&first["state"], &first["reopened"]), (&json!("open"), &json!(false)), "{first}");
    assert_eq!(
        (&first["tenants"], &first["tenantCount"]),
        (&json!([{"tenant": "default", "count": 1}]), &json!(1))
    );
    let trend = first["trend"].as_array().expect("a list");
    assert_eq!((trend.len(), &trend[23]), (24, &json!(1)));
    let path = |verb: &str| {
        format!("/v1/dead-letters/groups/{}/{verb}", first["fingerprint"].as_str().expect("text"))
    };

    let resolved = admin.post(&path("resolve"), &json!({"note": "deployed 7"})).await.expect(200).body;
    assert_eq!((&resolved["state"], &resolved["note"]), (&json!("resolved"), &json!("deployed 7")));
    assert_eq!(group().await["state"], "resolved");
    assert_eq!(
        admin.get("/v1/dead-letters/groups?state=open,ignored").await.expect(200).body["items"],
        json!([])
    );
    harness.engine.clock.advance(domain::time::DurationMs::from_secs(1));
    harness.dead_letter("g").await;
    let returned = group().await;
    assert_eq!(
        (&returned["state"], &returned["reopened"], &returned["note"], &returned["count"]),
        (&json!("open"), &json!(true), &json!("deployed 7"), &json!(2))
    );

    let until = json!({"until": {"instant": "2026-11-20T13:00:00Z", "count": 1}});
    let ignored = admin.post(&path("ignore"), &until).await.expect(200).body;
    assert_eq!((&ignored["state"], &ignored["until"]["count"]), (&json!("ignored"), &json!(1)));
    assert_eq!(group().await["state"], "ignored");
    harness.engine.clock.advance(domain::time::DurationMs::from_secs(3_600));
    assert_eq!(group().await["reopened"], true);
    let until = json!({"until": {"workflow": "order", "version": 3}});
    let ignored = admin.post(&path("ignore"), &until).await.expect(200).body;
    assert_eq!((&ignored["state"], &ignored["until"]), (&json!("ignored"), &until["until"]));
    assert_eq!(group().await["until"], until["until"], "it is kept");
    admin.act(&path("ignore")).await.expect(200);
    assert_eq!(admin.act(&path("reopen")).await.expect(200).body["state"], "open");
    assert_eq!(group().await["reopened"], false);

    for (body, pointer) in [
        (json!({"until": {"count": 0}}), "/until/count"),
        (json!({"until": {"instant": "2026-11-20T12:00:00Z"}}), "/until/instant"),
        (json!({"until": {"version": 3}}), "/until/workflow"),
        (json!({"until": {"workflow": "order"}}), "/until/version"),
        (json!({"until": {"workflow": "order", "version": 0}}), "/until/version"),
        (json!({"until": {"build": "v3"}}), "/until/build"),
        (json!({"note": ""}), "/note"),
    ] {
        let refused = admin.post(&path("ignore"), &body).await.problem(422, "invalid");
        assert_eq!(refused.pointers(), [pointer], "{body}");
    }
    admin.get("/v1/dead-letters/groups?state=closed").await.problem(422, "invalid");
    admin.act("/v1/dead-letters/groups/0000000000000000/resolve").await.problem(404, "not_found");
    let audit = admin.get("/v1/audit?action=dead_letter_group.resolve").await.expect(200).body;
    assert_eq!(audit["items"][0]["reason"], "deployed 7", "{audit}");
}

#[tokio::test]
async fn bulk_verbs_need_a_filter_and_report_progress() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    harness.dead_letter("k").await;
    harness.dead_letter("k").await;
    for body in [json!({}), json!({"filter": {}})] {
        let refused = admin.post("/v1/dead-letters/requeue", &body).await.problem(422, "invalid");
        assert_eq!(refused.pointers(), ["/filter"]);
    }
    let refused = admin.post("/v1/dead-letters/requeue", &json!({"filter": {"colour": "red"}})).await;
    assert_eq!(refused.problem(422, "invalid").pointers(), ["/filter/colour"]);
    let count =
        admin.post("/v1/dead-letters/requeue", &json!({"all": true, "dryRun": true})).await.expect(200);
    assert_eq!((&count.body["count"], &count.body["exact"]), (&json!(2), &json!(true)));
    assert_eq!(count.body["samples"].as_array().map(Vec::len), Some(2));

    let begun = admin
        .post("/v1/dead-letters/requeue", &json!({"filter": {"jobType": "k"}, "limit": 1}))
        .await
        .expect(202);
    let id = begun.str("id").to_owned();
    assert!(id.starts_with("bat_"));
    assert_eq!(begun.body["status"], "preparing");
    testkit::eventually("the batch ends", || async {
        admin.get(&format!("/v1/batches/{id}")).await.expect(200).body["status"] == "completed"
    })
    .await;
    assert_eq!(admin.get(&format!("/v1/batches/{id}")).await.body["done"], 1);
    admin.act(&format!("/v1/batches/{id}/abort")).await.problem(409, "batch_not_running");
    let missing = admin.post("/v1/dead-letters/archive", &json!({"all": true})).await.problem(422, "invalid");
    assert_eq!(missing.pointers(), ["/reason"]);
    admin.post("/v1/dead-letters/archive", &json!({"all": true, "reason": "old"})).await.expect(202);
    testkit::eventually("the rest is archived", || async {
        admin.get("/v1/archive").await.body["items"].as_array().map(Vec::len) == Some(1)
    })
    .await;
    admin.get("/v1/batches/bat_1").await.problem(404, "not_found");
}
