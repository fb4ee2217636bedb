//! User tasks: found, refused with a pointer to each fault, done once.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Database, Server, on_both_databases, until};

const DEADLINE: Duration = Duration::from_secs(20);

on_both_databases!(
    a_form_is_checked_and_a_task_is_done_once,
    of_many_completions_one_is_applied,
    tasks_end_with_their_execution,
);

fn approval() -> Value {
    json!({"name": "approval", "version": 1, "nodes": [{
        "id": "approve", "type": "USER_TASK", "assignee": "${input.who}", "group": "finance", "dueIn": "1d",
        "form": {"type": "object", "required": ["ok", "note"], "additionalProperties": false,
                 "properties": {"ok": {"type": "boolean"}, "note": {"type": "string", "maxLength": 5}}},
    }, {"id": "more", "type": "SIGNAL", "signal": "more", "dependsOn": ["approve"]}],
    "output": "${nodes.approve.output}"})
}

async fn a_form_is_checked_and_a_task_is_done_once(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    client.post("/v1/workflows", &approval()).await;
    let start = json!({"workflow": "approval", "input": {"who": "ada"}});
    let id = client.post("/v1/executions", &start).await["id"].as_str().expect("an id").to_owned();
    let task = until("the task", DEADLINE, || async {
        client.all("/v1/user-tasks?assignee=ada&group=finance&workflow=approval").await.pop()
    })
    .await;
    assert_eq!((&task["executionId"], &task["status"]), (&json!(id), &json!("open")), "{task}");
    assert!(task["dueAt"].is_string() && task["form"]["required"].is_array(), "{task}");
    let due = task["dueAt"].as_str().expect("an instant");
    assert_eq!(client.all(&format!("/v1/user-tasks?dueBefore={due}")).await, [] as [Value; 0]);
    assert_eq!(client.all("/v1/user-tasks?assignee=bob").await, [] as [Value; 0]);

    let complete = format!("/v1/executions/{id}/user-tasks/approve/complete");
    for (output, pointers) in [
        (json!({"ok": "yes", "note": "too long"}), vec!["/output/note", "/output/ok"]),
        (json!({"ok": true}), vec!["/output"]),
        (json!(null), vec!["/output"]),
    ] {
        let problem = client.try_post(&complete, &json!({ "output": output })).await.problem(422);
        let mut found: Vec<&str> = problem["errors"]
            .as_array()
            .expect("faults")
            .iter()
            .filter_map(|one| one["pointer"].as_str())
            .collect();
        found.sort_unstable();
        assert_eq!(found, pointers, "{problem}");
    }
    let unknown = client.try_post(&complete, &json!({"outptu": 1})).await.problem(422);
    assert_eq!(unknown["errors"][0]["pointer"], "/outptu", "{unknown}");
    let other = format!("/v1/executions/{id}/user-tasks/more/complete");
    client.try_post(&other, &json!({"output": {}})).await.problem(404);

    let submitted = json!({"ok": true, "note": "fine"});
    let sent = client.post(&complete, &json!({ "output": submitted })).await;
    let command = format!("/v1/commands/{}", sent["commandPosition"]);
    until("the command is applied", DEADLINE, || async {
        let command = client.get(&command).await;
        (command["status"] == "applied" && command["intent"] == "user_task_completed").then_some(())
    })
    .await;
    let again = client.try_post(&complete, &json!({ "output": submitted })).await.problem(409);
    assert_eq!(again["code"], "user_task_not_open");
    let closed = client.get(&format!("/v1/user-tasks/{id}/approve")).await;
    assert_eq!(closed["status"], "completed", "{closed}");
    assert!(closed["completedBy"].is_string() && closed["closedAt"].is_string(), "{closed}");
    client.post(&format!("/v1/executions/{id}/signals/more"), &json!({})).await;
    let ended = client.get(&format!("/v1/executions/{id}?wait=true")).await;
    assert_eq!(ended["output"], submitted, "{ended}");
}

async fn of_many_completions_one_is_applied(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    client.post("/v1/workflows", &approval()).await;
    let start = json!({"workflow": "approval", "input": {"who": "ada"}});
    let id = client.post("/v1/executions", &start).await["id"].as_str().expect("an id").to_owned();
    until("the task", DEADLINE, || async { client.all("/v1/user-tasks").await.pop() }).await;
    let path = format!("/v1/executions/{id}/user-tasks/approve/complete");
    let calls = (0..10).map(|number| {
        let (client, path) = (&client, &path);
        let output = json!({"ok": true, "note": format!("by {number}")});
        async move { client.try_post(path, &json!({ "output": output })).await }
    });
    let answers = futures::future::join_all(calls).await;
    let mut applied = 0;
    for answer in answers {
        if answer.status == 409 {
            continue;
        }
        let position = answer.success()["commandPosition"].clone();
        let command = until("the command is looked at", DEADLINE, || async {
            let command = client.get(&format!("/v1/commands/{position}")).await;
            (command["status"] != "pending").then_some(command)
        })
        .await;
        match command["status"].as_str() {
            Some("applied") => applied += 1,
            _ => assert_eq!(command["reason"], "node approve is not an open user task", "{command}"),
        }
    }
    assert_eq!(applied, 1);
}

async fn tasks_end_with_their_execution(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    client.post("/v1/workflows", &approval()).await;
    let start = json!({"workflow": "approval", "input": {"who": "ada"}});
    let id = client.post("/v1/executions", &start).await["id"].as_str().expect("an id").to_owned();
    until("the task", DEADLINE, || async { client.all("/v1/user-tasks").await.pop() }).await;
    client.post(&format!("/v1/executions/{id}/cancel"), &json!({})).await;
    until("the task is over", DEADLINE, || async {
        client.all(&format!("/v1/user-tasks?status=cancelled&execution={id}")).await.pop()
    })
    .await;
    assert_eq!(client.all("/v1/user-tasks").await, [] as [Value; 0]);
}
