//! Who started what is in the audit log when the call is answered, without anybody writing it afterwards.

use domain::names::{CallerKey, EventName, JobType, WorkflowName};
use domain::workflow::unique::UniquePolicy;
use engine::{Caller, EventRequest, ExecutionRequest, JobRequest};
use serde_json::{Value, json};
use store::audit::AuditRecord;
use testkit::EngineHarness;
use uuid::Uuid;

fn job() -> JobRequest {
    JobRequest::new(JobType::trusted("encode"), "{}")
}

fn caller(harness: &EngineHarness, actor: &str) -> Caller {
    Caller { actor: actor.to_owned(), ..harness.admin() }
}

/// The lines of an action by an actor, the newest first.
async fn lines(harness: &EngineHarness, action: &str, actor: &str) -> Vec<AuditRecord> {
    let log = harness.audit(&harness.admin()).await.into_iter();
    log.filter(|line| line.action == action && line.actor == actor).collect()
}

/// How many jobs, executions or events lines are for.
fn counted(lines: &[AuditRecord]) -> u64 {
    let of = |line: &AuditRecord| match &line.detail {
        None => 1,
        Some(detail) => serde_json::from_str::<Value>(detail).unwrap()["count"].as_u64().unwrap(),
    };
    lines.iter().map(of).sum()
}

async fn what_callers_start_is_in_the_log_when_it_is_answered(harness: EngineHarness) {
    let nodes = json!([{"id": "wait", "type": "SIGNAL", "signal": "go"}]);
    harness.register(&json!({"name": "flow", "version": 1, "nodes": nodes})).await.unwrap();
    let (engine, caller) = (&harness.engine, caller(&harness, "key_1"));
    let one = engine.enqueue(&caller, vec![job()]).await.unwrap();
    let found = lines(&harness, "job.enqueue", "key_1").await;
    assert_eq!((found.len(), &found[0].subject, &found[0].detail), (1, &one[0].id.to_string(), &None));
    engine.enqueue(&caller, vec![job(), job(), job()]).await.unwrap();
    let found = lines(&harness, "job.enqueue", "key_1").await;
    assert_eq!((found.len(), counted(&found)), (2, 4), "a batch has one: {found:?}");

    let flow = || ExecutionRequest::new(WorkflowName::trusted("flow"), "{}");
    let unique = || Some((CallerKey::trusted("order-7"), UniquePolicy::Join));
    for requests in [
        vec![flow()],
        vec![flow(), flow()],
        vec![ExecutionRequest { unique: unique(), ..flow() }],
        // It finds the one before, and changes nothing.
        vec![ExecutionRequest { unique: unique(), ..flow() }],
    ] {
        engine.start_executions(&caller, requests).await.unwrap();
    }
    let found = lines(&harness, "execution.start", "key_1").await;
    assert_eq!((found.len(), counted(&found)), (3, 4), "{found:?}");

    let event = || EventRequest {
        name: EventName::parse("order.paid").unwrap(),
        id: None,
        data: "{}".to_owned(),
        tenant: None,
        traceparent: None,
    };
    for requests in [vec![event()], vec![event(), event()]] {
        engine.send_events(&caller, requests).await.unwrap();
    }
    let found = lines(&harness, "event.send", "key_1").await;
    assert_eq!((found.len(), counted(&found)), (2, 3), "{found:?}");
}

async fn calls_at_once_are_counted_by_caller(harness: EngineHarness) {
    let callers = ["key_1", "key_2"].map(|actor| caller(&harness, actor));
    let calls = (0..60).map(|number: usize| harness.engine.enqueue(&callers[number % 2], vec![job()]));
    for answer in futures::future::join_all(calls).await {
        answer.unwrap();
    }
    for actor in ["key_1", "key_2"] {
        let found = lines(&harness, "job.enqueue", actor).await;
        assert_eq!(counted(&found), 30, "{found:?}");
    }
}

async fn a_repeat_under_an_idempotency_key_has_no_second_line(harness: EngineHarness) {
    let caller = Caller { seed: Some(Uuid::from_u128(7)), ..caller(&harness, "key_1") };
    for _ in 0..2 {
        harness.engine.enqueue(&caller, vec![job()]).await.unwrap();
        assert_eq!(lines(&harness, "job.enqueue", "key_1").await.len(), 1);
    }
}

on_both_databases!(
    what_callers_start_is_in_the_log_when_it_is_answered,
    calls_at_once_are_counted_by_caller,
    a_repeat_under_an_idempotency_key_has_no_second_line,
);
