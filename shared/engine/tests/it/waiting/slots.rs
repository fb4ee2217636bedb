//! What is applied without a slot, and what waits for one.

use domain::id::ExecutionId;
use domain::names::CallerKey;
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use serde_json::{Value, json};
use store::executions::CommandStatus;
use store::jobs::ClaimedJob;
use testkit::{EngineHarness, eventually};

use super::harness::{fate, is_parked, lines, output, waits};

/// Two at once: `hold` keeps a slot, the others wait first.
fn limited() -> Value {
    json!({
        "name": "limited", "version": 1, "limits": {"maxConcurrent": 2}, "timeout": "1h",
        "nodes": [
            {"id": "hold", "type": "SERVICE_TASK", "jobType": "hold", "when": "input.kind == 'hold'"},
            {"id": "cool", "type": "TIMER", "duration": "3s", "when": "input.kind == 'cool'"},
            {"id": "go", "type": "SIGNAL", "signal": "go", "when": "input.kind == 'go'"},
            {"id": "ask", "type": "USER_TASK", "group": "g", "timeout": "5s", "when": "input.kind == 'ask'",
             "escalation": {"after": "2s", "group": "h"}},
            {"id": "after", "type": "SERVICE_TASK", "jobType": "after", "dependsOn": ["cool"]}
        ],
        "output": "${input.kind}"
    })
}

async fn start(harness: &EngineHarness, kind: &str) -> ExecutionId {
    harness.start("limited", &json!({ "kind": kind })).await.unwrap()
}

/// Executions hold both slots, without a worker in sight.
async fn fill(harness: &EngineHarness) -> [ClaimedJob; 2] {
    let mut held = Vec::new();
    for _ in 0..2 {
        start(harness, "hold").await;
        held.push(harness.take("hold").await);
    }
    held.try_into().expect("two")
}

/// Lets upkeep apply things until a condition holds. The time that it leaves to pools passes.
async fn applied<Check>(harness: &EngineHarness, what: &str, check: impl Fn() -> Check)
where
    Check: Future<Output = bool>,
{
    eventually(what, || async {
        harness.clock.advance(DurationMs(1));
        harness.engine.apply_unowned_tick().await.unwrap();
        check().await
    })
    .await;
}

async fn i03_time_is_applied_without_a_slot_and_work_waits_for_one(harness: EngineHarness) {
    harness.register(&limited()).await.unwrap();
    let _pool = harness.run_executions(8);
    let cool = start(&harness, "cool").await;
    is_parked(&harness, cool).await;
    let [first, second] = fill(&harness).await;
    let late = start(&harness, "hold").await;
    harness.clock.advance(DurationMs::from_secs(4));
    applied(&harness, "the timer fires", || async {
        lines(&harness, cool, "node_completed").await == ["cool"]
    })
    .await;
    let status = || async { harness.engine.execution(&harness.admin(), cool).await.unwrap().status };
    assert_eq!(status().await, ExecutionStatus::Running, "it has work to do");
    assert!(harness.poll(&["after"], 1).await.unwrap().is_empty(), "its work has no slot");
    assert_eq!(waits(&harness, cool, "after").await.reason, "job_queued");
    harness.complete(&first, &json!(1)).await.unwrap();
    let after = harness.take("after").await;
    assert_eq!(after.execution_id, Some(cool));
    assert!(harness.poll(&["hold"], 1).await.unwrap().is_empty(), "it went ahead of what has not started");
    let why = harness.engine.why_execution(&harness.admin(), late).await.unwrap();
    let why = why.job.expect("it is queued");
    let level = why.level.expect("a limit");
    assert_eq!((why.reason.as_str(), level.running, level.limit), ("limit_workflow", 2, 2));
    assert!(why.detail.contains(&cool.to_string()), "who holds the slots: {}", why.detail);
    let command = "trunkline limits set --workflow limited workflow-execution 3";
    assert!(why.frees_when.as_ref().is_some_and(|text| text.contains(command)), "{:?}", why.frees_when);
    harness.complete(&after, &json!(1)).await.unwrap();
    assert_eq!(output(&harness, cool).await, json!("cool"));
    let third = harness.take("hold").await;
    assert_eq!(third.execution_id, Some(late));
    for job in [second, third] {
        harness.complete(&job, &json!(1)).await.unwrap();
    }
    assert_eq!(output(&harness, late).await, json!("hold"));
}

async fn people_signals_and_cancels_are_applied_without_a_slot(harness: EngineHarness) {
    harness.register(&limited()).await.unwrap();
    let _pool = harness.run_executions(8);
    let (go, ask, gone) =
        (start(&harness, "go").await, start(&harness, "ask").await, start(&harness, "go").await);
    for id in [go, ask, gone] {
        is_parked(&harness, id).await;
    }
    let _held = fill(&harness).await;
    let admin = harness.admin();
    let position =
        harness.engine.signal_execution(&admin, go, &CallerKey::trusted("go"), "1".into()).await.unwrap();
    let stop = harness.engine.cancel_execution(&admin, gone, None, true).await.unwrap();
    harness.clock.advance(DurationMs::from_secs(1));
    let ended = |id: ExecutionId| {
        let harness = &harness;
        async move { harness.engine.execution(&harness.admin(), id).await.unwrap().status.is_terminal() }
    };
    applied(&harness, "both end", || async { ended(go).await && ended(gone).await }).await;
    assert_eq!(output(&harness, go).await, json!("go"));
    assert_eq!(harness.ended(gone).await.status, ExecutionStatus::Cancelled);
    assert_eq!(fate(&harness, position).await, CommandStatus::Applied);
    assert_eq!(fate(&harness, stop).await, CommandStatus::Applied);
    harness.clock.advance(DurationMs::from_secs(1));
    applied(&harness, "the task is escalated", || async {
        lines(&harness, ask, "user_task_escalated").await == ["ask"]
    })
    .await;
    harness.clock.advance(DurationMs::from_secs(4));
    applied(&harness, "the task times out", || async { ended(ask).await }).await;
    assert_eq!(harness.ended(ask).await.status, ExecutionStatus::Failed);
}

async fn an_execution_that_waits_for_a_slot_can_be_cancelled_and_times_out(harness: EngineHarness) {
    harness.register(&limited()).await.unwrap();
    let _pool = harness.run_executions(8);
    let (one, other) = (start(&harness, "cool").await, start(&harness, "cool").await);
    for id in [one, other] {
        is_parked(&harness, id).await;
    }
    let _held = fill(&harness).await;
    harness.clock.advance(DurationMs::from_secs(4));
    applied(&harness, "the timers fire", || async {
        let mut fired = true;
        for id in [one, other] {
            fired &= lines(&harness, id, "node_completed").await == ["cool"];
        }
        fired
    })
    .await;
    harness.engine.cancel_execution(&harness.admin(), one, None, true).await.unwrap();
    harness.clock.advance(DurationMs::from_secs(1));
    let status = |id: ExecutionId| {
        let harness = &harness;
        async move { harness.engine.execution(&harness.admin(), id).await.unwrap().status }
    };
    applied(&harness, "it is cancelled", || async { status(one).await == ExecutionStatus::Cancelled }).await;
    harness.clock.advance(DurationMs::from_secs(3_600));
    applied(&harness, "its time is up", || async { status(other).await == ExecutionStatus::Failed }).await;
    assert!(harness.poll(&["after"], 1).await.unwrap().is_empty(), "what was held is gone");
}

/// One more than upkeep takes at once.
const CROWD: usize = 101;

/// What may take long is evaluated without a slot, too, within the share of its tenant, and what is small does not wait
/// for it.
async fn what_may_take_long_needs_no_slot_and_holds_up_nobody(harness: EngineHarness) {
    let looping = json!({
        "name": "looping", "version": 1, "limits": {"maxConcurrent": 1},
        "nodes": [
            {"id": "hold", "type": "SERVICE_TASK", "jobType": "hold", "when": "input.kind == 'hold'"},
            {"id": "go", "type": "SIGNAL", "signal": "go", "when": "input.kind == 'go'"}
        ],
        "output": "${input.list.map(n, n * 2)}"
    });
    harness.register(&looping).await.unwrap();
    harness.register(&limited()).await.unwrap();
    let _pool = harness.run_executions(8);
    let mut crowd = Vec::with_capacity(CROWD);
    for _ in 0..CROWD {
        crowd.push(harness.start("looping", &json!({"kind": "go", "list": [1, 2]})).await.unwrap());
    }
    for &id in &crowd {
        is_parked(&harness, id).await;
    }
    let small = start(&harness, "go").await;
    is_parked(&harness, small).await;
    let last = harness.start("looping", &json!({"kind": "hold", "list": []})).await.unwrap();
    let hold = harness.take("hold").await;
    let _held = fill(&harness).await;
    signal_all(&harness, &crowd).await;
    harness.clock.advance(DurationMs::from_secs(1));
    signal_all(&harness, &[small]).await;
    harness.clock.advance(DurationMs::from_secs(1));
    applied(&harness, "the small one ends", || async { status(&harness, small).await.is_terminal() }).await;
    assert_eq!(output(&harness, small).await, json!("go"));
    for &id in &crowd {
        applied(&harness, "it ends without a slot", || async { status(&harness, id).await.is_terminal() })
            .await;
        assert_eq!(output(&harness, id).await, json!([2, 4]));
    }
    assert_eq!(status(&harness, last).await, ExecutionStatus::Running, "it holds the only slot");
    harness.complete(&hold, &json!(1)).await.unwrap();
    assert_eq!(output(&harness, last).await, json!([]));
}

/// A `MAP` and a loop wait for time and people, and a cancel comes, while others hold the slots.
async fn i03_maps_and_loops_are_moved_on_without_a_slot(harness: EngineHarness) {
    let heavy = json!({
        "name": "heavy", "version": 1, "limits": {"maxConcurrent": 1},
        "nodes": [
            {"id": "hold", "type": "SERVICE_TASK", "jobType": "hold", "when": "input.kind == 'hold'"},
            {"id": "cool", "type": "TIMER", "duration": "3s", "when": "input.kind == 'map'"},
            {"id": "each", "type": "MAP", "items": "${input.list}", "dependsOn": ["cool"],
             "when": "input.kind == 'map'",
             "node": {"type": "SERVICE_TASK", "jobType": "item", "input": {"n": "${item}"}}},
            {"id": "ask", "type": "USER_TASK", "group": "g", "timeout": "5s", "when": "input.kind == 'ask'"}
        ],
        "output": "${input.list.map(n, n + 1)}"
    });
    harness.register(&heavy).await.unwrap();
    let _pool = harness.run_executions(8);
    let begin =
        async |kind: &str| harness.start("heavy", &json!({"kind": kind, "list": [1, 2, 3]})).await.unwrap();
    let (map, gone, ask) = (begin("map").await, begin("map").await, begin("ask").await);
    for id in [map, gone, ask] {
        is_parked(&harness, id).await;
    }
    begin("hold").await;
    let hold = harness.take("hold").await;
    harness.engine.cancel_execution(&harness.admin(), gone, None, true).await.unwrap();
    harness.clock.advance(DurationMs::from_secs(4));
    applied(&harness, "it is cancelled", || async {
        status(&harness, gone).await == ExecutionStatus::Cancelled
    })
    .await;
    applied(&harness, "the timer fires", || async {
        lines(&harness, map, "node_completed").await == ["cool"]
    })
    .await;
    assert!(harness.poll(&["item"], 1).await.unwrap().is_empty(), "its work has no slot");
    harness.clock.advance(DurationMs::from_secs(4));
    applied(&harness, "the task times out", || async {
        status(&harness, ask).await == ExecutionStatus::Failed
    })
    .await;
    harness.complete(&hold, &json!(1)).await.unwrap();
    for _ in 0..3 {
        let item = harness.take("item").await;
        assert_eq!(item.execution_id, Some(map), "it went ahead, and has the slot");
        harness.complete(&item, &json!(1)).await.unwrap();
    }
    assert_eq!(output(&harness, map).await, json!([2, 3, 4]));
}

/// What ends the process that evaluates it is found out although no owner is lost with it.
async fn an_evaluation_that_ends_its_process_is_given_up_without_a_slot(harness: EngineHarness) {
    let looping = json!({
        "name": "looping", "version": 1, "limits": {"maxConcurrent": 1},
        "nodes": [
            {"id": "hold", "type": "SERVICE_TASK", "jobType": "hold", "when": "input.kind == 'hold'"},
            {"id": "go", "type": "SIGNAL", "signal": "go", "when": "input.kind == 'go'"}
        ],
        "output": "${input.list.map(n, n * 2)}"
    });
    harness.register(&looping).await.unwrap();
    let _pool = harness.run_executions(8);
    let id = harness.start("looping", &json!({"kind": "go", "list": [1]})).await.unwrap();
    is_parked(&harness, id).await;
    harness.start("looping", &json!({"kind": "hold", "list": []})).await.unwrap();
    let _hold = harness.take("hold").await;
    signal_all(&harness, &[id]).await;
    let store = harness.engine.store();
    let step = store.load_unowned(&[id]).await.unwrap().remove(0).expect("nobody owns it").step;
    for lost in 0..2 {
        assert!(store.record_unowned_evaluations_lost(id, step, lost, lost + 1).await.unwrap());
        assert!(
            !store.record_unowned_evaluations_lost(id, step, lost, lost + 1).await.unwrap(),
            "another one has"
        );
    }
    harness.clock.advance(DurationMs::from_secs(1));
    applied(&harness, "it is given up", || async { status(&harness, id).await == ExecutionStatus::Failed })
        .await;
    let error = harness.ended(id).await.error.expect("an error");
    assert_eq!(error.code.as_deref(), Some("evaluation_lost"));
}

async fn status(harness: &EngineHarness, id: ExecutionId) -> ExecutionStatus {
    harness.engine.execution(&harness.admin(), id).await.unwrap().status
}

async fn signal_all(harness: &EngineHarness, ids: &[ExecutionId]) {
    for &id in ids {
        let signal = CallerKey::trusted("go");
        harness.engine.signal_execution(&harness.admin(), id, &signal, "1".into()).await.unwrap();
    }
}

/// The input of a child is checked where callers wait for places, and there is none.
async fn an_execution_that_cannot_go_on_holds_up_no_other(harness: EngineHarness) {
    let starter = json!({
        "name": "starter", "version": 1, "limits": {"maxConcurrent": 1},
        "nodes": [
            {"id": "hold", "type": "SERVICE_TASK", "jobType": "hold", "when": "input.kind == 'hold'"},
            {"id": "go", "type": "SIGNAL", "signal": "go", "when": "input.kind == 'go'"},
            {"id": "sub", "type": "WORKFLOW", "workflow": "sized", "dependsOn": ["go"],
             "when": "input.kind == 'go'", "input": {"text": "${nodes.go.output}"}}
        ]
    });
    let sized = json!({
        "name": "sized", "version": 1,
        "input": {"type": "object", "properties": {"text": {"type": "string"}}},
        "nodes": [{"id": "done", "type": "TRANSFORM", "output": {"done": true}}]
    });
    for definition in [&sized, &starter, &limited()] {
        harness.register(definition).await.unwrap();
    }
    let _pool = harness.run_executions(8);
    let parent = harness.start("starter", &json!({"kind": "go"})).await.unwrap();
    let small = start(&harness, "go").await;
    for id in [parent, small] {
        is_parked(&harness, id).await;
    }
    harness.start("starter", &json!({"kind": "hold"})).await.unwrap();
    let _hold = harness.take("hold").await;
    let _held = fill(&harness).await;
    let (signal, large) = (CallerKey::trusted("go"), json!("x".repeat(300_000)).to_string());
    harness.engine.signal_execution(&harness.admin(), parent, &signal, large).await.unwrap();
    signal_all(&harness, &[small]).await;
    harness.clock.advance(DurationMs::from_secs(1));
    let node = crate::impatient(&harness);
    let ended =
        || async { harness.engine.execution(&harness.admin(), small).await.unwrap().status.is_terminal() };
    applied(&node, "the other one ends", ended).await;
    assert_eq!(output(&harness, small).await, json!("go"));
}

on_both_databases!(
    i03_time_is_applied_without_a_slot_and_work_waits_for_one,
    people_signals_and_cancels_are_applied_without_a_slot,
    an_execution_that_waits_for_a_slot_can_be_cancelled_and_times_out,
    what_may_take_long_needs_no_slot_and_holds_up_nobody,
    i03_maps_and_loops_are_moved_on_without_a_slot,
    an_evaluation_that_ends_its_process_is_given_up_without_a_slot,
    an_execution_that_cannot_go_on_holds_up_no_other,
);
