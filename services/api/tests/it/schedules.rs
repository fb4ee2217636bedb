//! `/v1/schedules`.

use domain::access::Role;
use domain::time::DurationMs;
use serde_json::{Value, json};

use crate::harness::{Client, Harness};
use crate::workflows::register;

fn body(cron: &str) -> Value {
    json!({"name": "nightly", "workflow": "greeter", "cron": cron, "input": {"who": "Ada"}})
}

async fn create(client: &Client, body: &Value) -> String {
    let created = client.post("/v1/schedules", body).await.expect(201);
    created.str("id").to_owned()
}

async fn started() -> (Harness, Client) {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "greeter").await;
    (harness, admin)
}

#[tokio::test]
async fn a_schedule_is_saved_and_shown() {
    let (_harness, admin) = started().await;
    let mut whole = body("30 2 * * MON-FRI");
    for (name, value) in [
        ("timezone", json!("europe/berlin")),
        ("priority", json!("low")),
        ("misfire", json!("all")),
        ("catchUpWindow", json!("12h")),
        ("overlap", json!("queueOne")),
        ("jitter", json!("30s")),
        ("startAt", json!("2026-11-21T00:00:00Z")),
        ("endAt", json!("2027-01-01T00:00:00.000Z")),
        ("paused", json!(false)),
    ] {
        whole[name] = value;
    }
    let created = admin.post("/v1/schedules", &whole).await.expect(201);
    let id = created.str("id").to_owned();
    assert!(id.starts_with("sch_"), "{id}");
    let shown = admin.get(&format!("/v1/schedules/{id}")).await.expect(200);
    assert_eq!(shown.body, created.body);
    let expected = json!({
        "id": id, "name": "nightly", "tenant": "default", "workflow": "greeter", "cron": "30 2 * * MON-FRI",
        "timezone": "Europe/Berlin", "input": {"who": "Ada"}, "priority": "low", "misfire": "all",
        "catchUpWindow": "12h", "overlap": "queueOne", "jitter": "30s", "startAt": "2026-11-21T00:00:00.000Z",
        "endAt": "2027-01-01T00:00:00.000Z", "paused": false, "nextRunAt": "2026-11-23T01:30:00.000Z",
        "description": "At 02:30, Monday to Friday", "warnings": [],
        "createdAt": "2026-11-20T12:00:00.000Z", "updatedAt": "2026-11-20T12:00:00.000Z",
    });
    assert_eq!(shown.body, expected);
    let listed = admin.get("/v1/schedules?workflow=greeter&paused=false").await.expect(200);
    assert_eq!(listed.body["items"][0]["id"], *id);
    assert!(listed.body["items"][0]["input"].is_null(), "not in lists: {}", listed.text);
    let none = admin.get("/v1/schedules?paused=true").await.expect(200);
    assert_eq!(none.body["items"], json!([]));

    let edited = admin.put(&format!("/v1/schedules/{id}"), &body("0 0 1 * MON")).await.expect(200);
    assert_eq!(edited.body["timezone"], "UTC", "a PUT replaces everything");
    assert_eq!(edited.body["misfire"], "latest");
    assert_eq!(edited.body["catchUpWindow"], "1d");
    assert!(
        edited.body["warnings"][0].as_str().is_some_and(|text| text.contains("either")),
        "{}",
        edited.text
    );

    let request = admin.request("DELETE", &format!("/v1/schedules/{id}"), axum::body::Body::empty());
    admin.send(request).await.expect(204);
    admin.get(&format!("/v1/schedules/{id}")).await.problem(404, "not_found");
}

#[tokio::test]
async fn refusals_point_at_their_fields_and_say_what_is_right() {
    let (_harness, admin) = started().await;
    for (cron, hint) in [
        ("0 0 * * * *", "seconds are not supported"),
        ("0 22-4 * * *", "22-23,0-4"),
        ("0 0 31 2 *", "never"),
        ("0 0 * *", "five"),
        ("", "five"),
        ("99 * * * *", "minute"),
    ] {
        for path in ["/v1/schedules", "/v1/schedules/preview"] {
            let sent = if path.ends_with("preview") { json!({"cron": cron}) } else { body(cron) };
            let refused = admin.post(path, &sent).await.problem(422, "invalid");
            assert_eq!(refused.pointers(), ["/cron"], "{}", refused.text);
            let message = refused.body["errors"][0]["message"].as_str().unwrap_or_default();
            assert!(message.contains(hint), "{cron:?}: {message}");
        }
    }
    let with = |field: &str, value: Value| {
        let mut sent = body("@daily");
        sent[field] = value;
        sent
    };
    for (sent, pointer) in [
        (with("timezone", json!("Mars/Olympus")), "/timezone"),
        (with("timezone", json!("+05:30")), "/timezone"),
        (with("workflow", json!("nobody")), "/workflow"),
        (with("input", json!({"who": 7})), "/input/who"),
        (with("misfire", json!("sometimes")), "/misfire"),
        (with("overlap", json!("queue_one")), "/overlap"),
        (with("jitter", json!(30)), "/jitter"),
        (with("jitter", json!("3d")), "/jitter"),
        (with("catchUpWindow", json!("9000d")), "/catchUpWindow"),
        (with("startAt", json!("tomorrow")), "/startAt"),
        (with("name", json!("")), "/name"),
        (with("nam", json!("x")), "/nam"),
    ] {
        let refused = admin.post("/v1/schedules", &sent).await.problem(422, "invalid");
        assert_eq!(refused.pointers(), [pointer], "{}", refused.text);
    }
    let missing = admin.post("/v1/schedules", &json!({})).await.problem(422, "invalid");
    assert_eq!(missing.pointers(), ["/name", "/workflow", "/cron"]);
    create(&admin, &body("@daily")).await;
    admin.post("/v1/schedules", &body("@daily")).await.problem(409, "schedule_name_taken");
}

#[tokio::test]
async fn an_interval_stands_in_place_of_an_expression() {
    let (_harness, admin) = started().await;
    let mut sent = body("");
    sent.as_object_mut().expect("an object").remove("cron");
    sent["every"] = json!("90s");
    let created = admin.post("/v1/schedules", &sent).await.expect(201);
    assert_eq!((&created.body["cron"], &created.body["every"]), (&Value::Null, &json!("1m30s")));
    assert_eq!(created.body["anchor"], "2026-11-20T12:00:00.000Z");
    assert_eq!(created.body["nextRunAt"], "2026-11-20T12:01:30.000Z");
    assert_eq!(created.body["timezone"], "UTC");
    let edited =
        admin.put(&format!("/v1/schedules/{}", created.str("id")), &body("@daily")).await.expect(200);
    assert_eq!((&edited.body["cron"], edited.body.get("every")), (&json!("@daily"), None));
    let asked = json!({"every": "15s", "anchor": "2026-11-20T12:00:05Z", "count": 2});
    let preview = admin.post("/v1/schedules/preview", &asked).await.expect(200);
    assert_eq!(preview.body["next"], json!(["2026-11-20T12:00:05.000Z", "2026-11-20T12:00:20.000Z"]));
    for (field, value, pointer) in [
        ("every", json!("9s"), "/every"),
        ("every", json!("400d"), "/every"),
        ("every", json!("often"), "/every"),
        ("cron", json!("@daily"), "/every"),
        ("timezone", json!("Europe/Berlin"), "/timezone"),
        ("anchor", json!("soon"), "/anchor"),
    ] {
        let mut wrong = sent.clone();
        wrong[field] = value;
        let refused = admin.post("/v1/schedules", &wrong).await.problem(422, "invalid");
        assert_eq!(refused.pointers(), [pointer], "{}", refused.text);
    }
    let mut no_interval = body("@daily");
    no_interval["anchor"] = json!("2026-11-20T12:00:05Z");
    let refused = admin.post("/v1/schedules", &no_interval).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/anchor"]);
}

#[tokio::test]
async fn previews_say_in_words_what_is_to_come() {
    let (_harness, admin) = started().await;
    let asked = json!({
        "cron": "30 2 * * *", "timezone": "Europe/Berlin", "from": "2026-03-27T12:00:00Z", "count": 2
    });
    let shown = admin.post("/v1/schedules/preview", &asked).await.expect(200);
    assert_eq!(shown.body["description"], "At 02:30 every day");
    assert_eq!(shown.body["next"], json!(["2026-03-28T01:30:00.000Z", "2026-03-29T01:00:00.000Z"]));
    let notes = &shown.body["notes"];
    assert_eq!(notes[0], "29 March 2026 02:30 does not exist: runs at 03:00", "{notes}");
    let id = create(&admin, &body("*/15 * * * *")).await;
    let shown = admin.get(&format!("/v1/schedules/{id}/preview?count=2")).await.expect(200);
    assert_eq!(shown.body["next"], json!(["2026-11-20T12:15:00.000Z", "2026-11-20T12:30:00.000Z"]));
    let shown = admin.get(&format!("/v1/schedules/{id}/preview")).await.expect(200);
    assert_eq!(shown.body["next"].as_array().map(Vec::len), Some(5));
    for count in ["0", "1001", "x"] {
        let path = format!("/v1/schedules/{id}/preview?count={count}");
        let refused = admin.get(&path).await.problem(422, "invalid");
        assert_eq!(refused.pointers(), ["/count"]);
    }
    admin.post("/v1/schedules/preview", &json!({"count": 1})).await.problem(422, "invalid");
}

#[tokio::test]
async fn schedules_are_steered_and_their_history_is_shown() {
    let (harness, admin) = started().await;
    let id = create(&admin, &body("0 * * * *")).await;
    let path = format!("/v1/schedules/{id}");
    let act = async |verb: &str| admin.act(&format!("{path}/{verb}")).await;
    let paused = act("pause").await.expect(200);
    assert_eq!((&paused.body["paused"], &paused.body["nextRunAt"]), (&json!(true), &Value::Null));
    let ran = act("run").await.expect(202);
    let execution = admin.get(&format!("/v1/executions/{}", ran.str("executionId"))).await.expect(200);
    let trigger = &execution.body["trigger"];
    assert_eq!((&trigger["kind"], &trigger["reason"]), (&json!("schedule"), &json!("manual")));
    assert_eq!((&trigger["scheduleId"], &trigger["scheduledFor"]), (&json!(id), &ran.body["scheduledFor"]));
    assert_eq!(execution.body["priority"], "normal");
    let resumed = act("resume").await.expect(200);
    assert_eq!(resumed.body["nextRunAt"], "2026-11-20T13:00:00.000Z");

    harness.engine.clock.advance(DurationMs(3_600_250));
    harness.engine.engine.check_schedules().await.expect("the check works");
    let runs = admin.get(&format!("{path}/runs?limit=1")).await.expect(200);
    let tick = &runs.body["items"][0];
    assert_eq!(tick["scheduledFor"], "2026-11-20T13:00:00.000Z");
    assert_eq!(tick["firedAt"], "2026-11-20T13:00:00.250Z");
    assert_eq!((&tick["lateMs"], &tick["reason"]), (&json!(250), &json!("tick")));
    // The run by hand had not ended.
    assert_eq!((&tick["status"], &tick["skipReason"]), (&json!("skipped"), &json!("overlap")));
    assert!(tick.get("executionId").is_none(), "{tick}");

    // It was skipped and did not run, so the backfill runs it with the others, once.
    let span = json!({"from": "2026-11-20T10:00:00Z", "to": "2026-11-20T13:00:00Z"});
    let backfill = async || admin.post(&format!("{path}/backfill"), &span).await.expect(202).body;
    assert_eq!(backfill().await, json!({"slots": 4, "started": 4, "skipped": 0}));
    assert_eq!(backfill().await, json!({"slots": 4, "started": 0, "skipped": 4}));

    let of = async |filter: &str| {
        let runs = admin.get(&format!("{path}/runs?{filter}")).await.expect(200);
        runs.body["items"].as_array().map(Vec::len)
    };
    assert_eq!(of("reason=manual").await, Some(1));
    assert_eq!(of("reason=backfill,tick&status=fired&scheduledAfter=2026-11-20T12:00:00Z").await, Some(2));
    assert_eq!(of("skipReason=misfire").await, Some(0));
    admin.get(&format!("{path}/runs?status=done")).await.problem(422, "invalid");
    let oldest = admin.get(&format!("{path}/runs?order=asc&limit=1&count=true")).await.expect(200);
    assert_eq!(oldest.body["items"][0]["scheduledFor"], "2026-11-20T10:00:00.000Z");
    assert_eq!(oldest.body["count"], json!({"value": 5, "exact": true}));

    let runs = admin.get(&format!("{path}/runs?limit=1")).await.expect(200);
    let cursor = runs.str("nextCursor");
    let rest = admin.get(&format!("{path}/runs?cursor={cursor}")).await.expect(200);
    let reasons: Vec<&str> = rest.body["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|run| run["reason"].as_str())
        .collect();
    assert_eq!(reasons, ["manual", "backfill", "backfill", "backfill"]);
    assert!(rest.body["items"][1]["executionId"].is_string());

    let future = json!({"from": "2026-11-20T10:00:00Z", "to": "2026-12-01T00:00:00Z"});
    let refused = admin.post(&format!("{path}/backfill"), &future).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/to"]);
    let refused = admin.post(&format!("{path}/backfill"), &json!({})).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/from", "/to"]);
}

#[tokio::test]
async fn clients_read_and_operators_change() {
    let (harness, admin) = started().await;
    let id = create(&admin, &body("@daily")).await;
    let path = format!("/v1/schedules/{id}");
    let client = harness.client(Role::Client, None).await;
    client.get(&path).await.expect(200);
    client.get(&format!("{path}/runs")).await.expect(200);
    client.post("/v1/schedules", &body("@daily")).await.problem(403, "forbidden");
    client.put(&path, &body("@daily")).await.problem(403, "forbidden");
    for verb in ["pause", "resume", "run"] {
        client.act(&format!("{path}/{verb}")).await.problem(403, "forbidden");
    }
    let foreign = harness.client(Role::Operator, Some("acme")).await;
    foreign.get(&path).await.problem(404, "not_found");
    foreign.act(&format!("{path}/pause")).await.problem(404, "not_found");
    let operator = harness.client(Role::Operator, None).await;
    operator.act(&format!("{path}/pause")).await.expect(200);
}

#[tokio::test]
async fn a_repeated_request_is_answered_once() {
    let (_harness, admin) = started().await;
    let first = admin.post_once("/v1/schedules", "k1", &body("@daily")).await.expect(201);
    let again = admin.post_once("/v1/schedules", "k1", &body("@daily")).await.expect(201);
    assert_eq!(first.body, again.body);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
}
