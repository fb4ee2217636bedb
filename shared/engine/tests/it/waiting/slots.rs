//! What is applied without a slot, and what waits for one.

use domain::id::ExecutionId;
use domain::names::CallerKey;
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use serde_json::{Value, json};
use store::executions::CommandStatus;
use store::jobs::ClaimedJob;
use testkit::{EngineBench, eventually};

use super::bench::{fate, is_parked, lines, output, waits};

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

async fn start(bench: &EngineBench, kind: &str) -> ExecutionId {
    bench.start("limited", &json!({ "kind": kind })).await.unwrap()
}

/// Executions hold both slots, without a worker in sight.
async fn fill(bench: &EngineBench) -> [ClaimedJob; 2] {
    let mut held = Vec::new();
    for _ in 0..2 {
        start(bench, "hold").await;
        held.push(bench.take("hold").await);
    }
    held.try_into().expect("two")
}

/// Lets upkeep apply things until a condition holds. The time that it leaves to pools passes.
async fn applied<Check>(bench: &EngineBench, what: &str, check: impl Fn() -> Check)
where
    Check: Future<Output = bool>,
{
    eventually(what, || async {
        bench.clock.advance(DurationMs(1));
        bench.engine.apply_unowned_tick().await.unwrap();
        check().await
    })
    .await;
}

async fn i03_time_is_applied_without_a_slot_and_work_waits_for_one(bench: EngineBench) {
    bench.register(&limited()).await.unwrap();
    let _pool = bench.run_executions(8);
    let cool = start(&bench, "cool").await;
    is_parked(&bench, cool).await;
    let [first, second] = fill(&bench).await;
    let late = start(&bench, "hold").await;
    bench.clock.advance(DurationMs::from_secs(4));
    applied(&bench, "the timer fires", || async { lines(&bench, cool, "node_completed").await == ["cool"] })
        .await;
    let status = || async { bench.engine.execution(&bench.admin(), cool).await.unwrap().status };
    assert_eq!(status().await, ExecutionStatus::Running, "it has work to do");
    assert!(bench.poll(&["after"], 1).await.unwrap().is_empty(), "its work has no slot");
    assert_eq!(waits(&bench, cool, "after").await.reason, "job_queued");
    bench.complete(&first, &json!(1)).await.unwrap();
    let after = bench.take("after").await;
    assert_eq!(after.execution_id, Some(cool));
    assert!(bench.poll(&["hold"], 1).await.unwrap().is_empty(), "it went ahead of what has not started");
    let why = bench.engine.why_execution(&bench.admin(), late).await.unwrap();
    let why = why.job.expect("it is queued");
    let level = why.level.expect("a limit");
    assert_eq!((why.reason, level.running, level.limit), ("limit_workflow", 2, 2));
    assert!(why.detail.contains(&cool.to_string()), "who holds the slots: {}", why.detail);
    let command = "trunkline limits set --workflow limited workflow-execution 3";
    assert!(why.frees_when.as_ref().is_some_and(|text| text.contains(command)), "{:?}", why.frees_when);
    bench.complete(&after, &json!(1)).await.unwrap();
    assert_eq!(output(&bench, cool).await, json!("cool"));
    let third = bench.take("hold").await;
    assert_eq!(third.execution_id, Some(late));
    for job in [second, third] {
        bench.complete(&job, &json!(1)).await.unwrap();
    }
    assert_eq!(output(&bench, late).await, json!("hold"));
}

async fn people_signals_and_cancels_are_applied_without_a_slot(bench: EngineBench) {
    bench.register(&limited()).await.unwrap();
    let _pool = bench.run_executions(8);
    let (go, ask, gone) = (start(&bench, "go").await, start(&bench, "ask").await, start(&bench, "go").await);
    for id in [go, ask, gone] {
        is_parked(&bench, id).await;
    }
    let _held = fill(&bench).await;
    let admin = bench.admin();
    let position =
        bench.engine.signal_execution(&admin, go, &CallerKey::trusted("go"), "1".into()).await.unwrap();
    let stop = bench.engine.cancel_execution(&admin, gone, None, true).await.unwrap();
    bench.clock.advance(DurationMs::from_secs(1));
    let ended = |id: ExecutionId| {
        let bench = &bench;
        async move { bench.engine.execution(&bench.admin(), id).await.unwrap().status.is_terminal() }
    };
    applied(&bench, "both end", || async { ended(go).await && ended(gone).await }).await;
    assert_eq!(output(&bench, go).await, json!("go"));
    assert_eq!(bench.ended(gone).await.status, ExecutionStatus::Cancelled);
    assert_eq!(fate(&bench, position).await, CommandStatus::Applied);
    assert_eq!(fate(&bench, stop).await, CommandStatus::Applied);
    bench.clock.advance(DurationMs::from_secs(1));
    applied(&bench, "the task is escalated", || async {
        lines(&bench, ask, "user_task_escalated").await == ["ask"]
    })
    .await;
    bench.clock.advance(DurationMs::from_secs(4));
    applied(&bench, "the task times out", || async { ended(ask).await }).await;
    assert_eq!(bench.ended(ask).await.status, ExecutionStatus::Failed);
}

async fn an_execution_that_waits_for_a_slot_can_be_cancelled_and_times_out(bench: EngineBench) {
    bench.register(&limited()).await.unwrap();
    let _pool = bench.run_executions(8);
    let (one, other) = (start(&bench, "cool").await, start(&bench, "cool").await);
    for id in [one, other] {
        is_parked(&bench, id).await;
    }
    let _held = fill(&bench).await;
    bench.clock.advance(DurationMs::from_secs(4));
    applied(&bench, "the timers fire", || async {
        let mut fired = true;
        for id in [one, other] {
            fired &= lines(&bench, id, "node_completed").await == ["cool"];
        }
        fired
    })
    .await;
    bench.engine.cancel_execution(&bench.admin(), one, None, true).await.unwrap();
    bench.clock.advance(DurationMs::from_secs(1));
    let status = |id: ExecutionId| {
        let bench = &bench;
        async move { bench.engine.execution(&bench.admin(), id).await.unwrap().status }
    };
    applied(&bench, "it is cancelled", || async { status(one).await == ExecutionStatus::Cancelled }).await;
    bench.clock.advance(DurationMs::from_secs(3_600));
    applied(&bench, "its time is up", || async { status(other).await == ExecutionStatus::Failed }).await;
    assert!(bench.poll(&["after"], 1).await.unwrap().is_empty(), "what was held is gone");
}

on_both_databases!(
    i03_time_is_applied_without_a_slot_and_work_waits_for_one,
    people_signals_and_cancels_are_applied_without_a_slot,
    an_execution_that_waits_for_a_slot_can_be_cancelled_and_times_out,
);
