//! Schedules on several server processes: a minute's slots start once each, although one process is frozen across it
//! and another is killed in it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Client, Database, Server, until};

/// More than one batch of a check, so that a kill finds some of the schedules decided and others not.
const SCHEDULES: usize = 450;

/// A minute has to begin first, and the next one where this one is too short to create all schedules in it.
const MINUTE_DEADLINE: Duration = Duration::from_mins(3);
/// Then leases run out, and another process goes on.
const DEADLINE: Duration = Duration::from_mins(1);

/// How many schedules are created at once.
const TOGETHER: usize = 15;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i07_a_slot_starts_once_though_nodes_freeze_and_die_across_it() {
    let database = Database::postgres().await;
    let lease = ("TRUNKLINE_QUEUES__WORKFLOW_SCHEDULED__LEASE", "2s");
    // The first node answers and keeps time; only the other two have slots for the check.
    let roles = ("TRUNKLINE_ROLES", "api,scheduler,execution,node");
    let witness = Server::start_with(&database, &[lease, roles]).await;
    let frozen = Server::start_with(&database, &[lease]).await;
    let mut killed = Server::start_with(&database, &[lease]).await;
    let client = witness.client();
    let workflow = json!({"name": "note", "version": 1, "nodes": [
        {"id": "write", "type": "TRANSFORM", "output": 1},
    ]});
    client.post("/v1/workflows", &workflow).await;
    let slot = next_slot(&client).await;
    let ids = create_schedules(&client, &slot).await;
    frozen.signal("STOP");

    let (first, last) = (&ids[0], &ids[SCHEDULES - 1]);
    until("the first slot is recorded", MINUTE_DEADLINE, || async {
        (!runs(&client, first).await.is_empty()).then_some(())
    })
    .await;
    killed.kill_nine();
    frozen.signal("CONT");
    until("every slot is recorded", DEADLINE, || async {
        if runs(&client, last).await.is_empty() {
            return None;
        }
        let open = open_schedules(&client).await;
        (open == 0).then_some(())
    })
    .await;

    let mut executions = executions_by_schedule(&client).await;
    for id in &ids {
        let history = runs(&client, id).await;
        assert_eq!(history.len(), 1, "{id}: {history:?}");
        assert_eq!((&history[0]["status"], &history[0]["scheduledFor"]), (&json!("fired"), &slot));
        let started = executions.remove(id).unwrap_or_default();
        assert_eq!(started, [history[0]["executionId"].clone()], "{id}");
    }
    assert!(executions.is_empty(), "{executions:?}");
    until("all executions end", DEADLINE, || async {
        let ended = client.all("/v1/executions?status=COMPLETED").await;
        (ended.len() == SCHEDULES).then_some(())
    })
    .await;
}

/// The next minute that leaves time to create all schedules before it, by the server's clock.
async fn next_slot(client: &Client) -> Value {
    let probe = json!({"name": "probe", "workflow": "note", "cron": "* * * * *", "paused": true});
    let probe = client.post("/v1/schedules", &probe).await;
    let preview = json!({"cron": "* * * * *", "from": probe["createdAt"], "count": 2});
    let next = client.post("/v1/schedules/preview", &preview).await["next"].clone();
    // Seconds and milliseconds of an instant such as 2026-11-20T12:00:31.250Z.
    let seconds = probe["createdAt"].as_str().and_then(|text| text.get(17..19)?.parse::<u32>().ok());
    let has_time = seconds.expect("an instant") < 20;
    next[usize::from(!has_time)].clone()
}

/// Schedules with one slot each.
async fn create_schedules(client: &Client, slot: &Value) -> Vec<String> {
    let mut ids = Vec::with_capacity(SCHEDULES);
    while ids.len() < SCHEDULES {
        let bodies = (ids.len()..ids.len() + TOGETHER).map(|number| {
            json!({"name": format!("s{number}"), "workflow": "note", "cron": "* * * * *", "startAt": slot, "endAt": slot})
        });
        let bodies: Vec<Value> = bodies.collect();
        let created = bodies.iter().map(|body| client.post("/v1/schedules", body));
        for schedule in futures::future::join_all(created).await {
            assert_eq!(&schedule["nextRunAt"], slot, "it was created in time");
            ids.push(schedule["id"].as_str().expect("an id").to_owned());
        }
    }
    ids
}

async fn runs(client: &Client, id: &str) -> Vec<Value> {
    client.all(&format!("/v1/schedules/{id}/runs")).await
}

/// Schedules whose only slot has not been decided.
async fn open_schedules(client: &Client) -> usize {
    let schedules = client.all("/v1/schedules").await;
    schedules.iter().filter(|one| !one["nextRunAt"].is_null()).count()
}

/// The executions that each schedule started.
async fn executions_by_schedule(client: &Client) -> BTreeMap<String, Vec<Value>> {
    let mut by_schedule: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for execution in client.all("/v1/executions").await {
        let schedule = execution["trigger"]["scheduleId"].as_str().expect("a schedule started it");
        by_schedule.entry(schedule.to_owned()).or_default().push(execution["id"].clone());
    }
    by_schedule
}
