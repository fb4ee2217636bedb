//! From the first save to the removal, and what is refused at a save.

use domain::access::Role;
use domain::id::ScheduleId;
use domain::names::{ScheduleName, TenantName, WorkflowName};
use domain::problem::ProblemCode;
use domain::queue::Tier;
use domain::search::SearchList;
use domain::time::DurationMs;
use engine::{Caller, EngineError, ListRequest, ScheduleRequest};
use testkit::EngineHarness;
use uuid::Uuid;

use super::harness::{after, create, execution_at, finish_next, minute, register, request, words};

async fn a_schedule_lives(harness: EngineHarness) {
    let admin = harness.admin();
    let id = create(&harness, request("*/5 * * * *")).await;
    let view = harness.engine.schedule(&admin, id).await.unwrap();
    assert_eq!(view.record.next_run_at, Some(minute(5)));
    assert_eq!((view.record.version, view.record.tier), (1, Tier::Normal));
    assert_eq!(view.description, "Every 5 minutes");
    assert_eq!(view.warnings, Vec::<String>::new());

    let checked = after(&harness, DurationMs::from_secs(299)).await;
    assert_eq!((checked.schedules, checked.executions), (0, 0), "nothing is due yet");
    let checked = after(&harness, DurationMs::from_secs(1)).await;
    assert_eq!((checked.schedules, checked.executions), (1, 1));
    let execution = execution_at(&harness, id, minute(5)).await;
    let record = harness.engine.execution(&admin, execution).await.unwrap();
    assert_eq!((record.trigger.kind.as_str(), record.tier), ("schedule", Tier::Normal));
    let detail: serde_json::Value = serde_json::from_str(record.trigger.detail.as_deref().unwrap()).unwrap();
    assert_eq!(detail["scheduleId"], id.to_string());
    assert_eq!((&detail["scheduledFor"], &detail["reason"]), (&minute(5).to_string().into(), &"tick".into()));
    finish_next(&harness).await;
    assert!(harness.ended(execution).await.status.is_terminal());

    let again = harness.engine.check_schedules().await.unwrap();
    assert_eq!((again.schedules, again.executions), (0, 0));
    assert_eq!(words(&harness, id).await, ["5 tick fired"]);
    let next = harness.engine.schedule(&admin, id).await.unwrap().record.next_run_at;
    assert_eq!(next, Some(minute(10)));

    harness.engine.delete_schedule(&admin, id).await.unwrap();
    let gone = harness.engine.schedule(&admin, id).await;
    assert!(matches!(gone, Err(EngineError::NotFound { what: "schedule", .. })), "{gone:?}");
    assert!(harness.engine.execution(&admin, execution).await.is_ok(), "its executions stay");
    assert_eq!(after(&harness, DurationMs::from_secs(600)).await.executions, 0);
}

async fn every_fault_of_a_save_is_reported_at_once(harness: EngineHarness) {
    register(&harness).await;
    let admin = harness.admin();
    let mut wrong = request("0 0 31 2 *");
    wrong.timezone = "Europe/Nowhere".into();
    wrong.workflow = WorkflowName::trusted("nothing");
    wrong.policy.start_at = Some(minute(2));
    wrong.policy.end_at = Some(minute(1));
    let Err(EngineError::Invalid(faults)) = harness.engine.create_schedule(&admin, wrong).await else {
        panic!("it is invalid")
    };
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["/cron", "/timezone", "/endAt", "/workflow"]);

    let mut input = request("0 0 * * *");
    input.input = r#"{"of": 7}"#.into();
    let Err(EngineError::Invalid(faults)) = harness.engine.create_schedule(&admin, input).await else {
        panic!("the workflow does not take the input")
    };
    assert_eq!(faults[0].pointer, "/input/of");
    assert!(harness.schedules("").await.is_empty(), "nothing is stored");
}

async fn names_are_unique_within_a_tenant(harness: EngineHarness) {
    let first = create(&harness, request("0 0 * * *")).await;
    let admin = harness.admin();
    let taken = |answer: &Result<_, EngineError>| {
        matches!(answer, Err(EngineError::Conflict { code: ProblemCode::ScheduleNameTaken, .. }))
    };
    let again = harness.engine.create_schedule(&admin, request("0 0 * * *")).await;
    assert!(taken(&again), "{again:?}");
    let other = ScheduleRequest { name: ScheduleName::trusted("hourly"), ..request("@hourly") };
    let second = harness.engine.create_schedule(&admin, other).await.unwrap().record.id;
    let renamed = harness.engine.replace_schedule(&admin, second, request("@hourly")).await;
    assert!(taken(&renamed), "{renamed:?}");
    let elsewhere = ScheduleRequest { tenant: Some(TenantName::trusted("acme")), ..request("0 0 * * *") };
    harness.engine.create_schedule(&admin, elsewhere).await.unwrap();

    assert_eq!(harness.schedules("").await.len(), 3);
    let listed = harness.schedules("tenant:default").await;
    let ids: Vec<ScheduleId> = listed.iter().map(|view| view.record.id).collect();
    assert_eq!(ids, [second, first]);
}

async fn a_repeated_request_makes_one_schedule(harness: EngineHarness) {
    register(&harness).await;
    let caller = Caller { seed: Some(Uuid::from_u128(7)), ..harness.admin() };
    let first = harness.engine.create_schedule(&caller, request("@daily")).await.unwrap();
    let second = harness.engine.create_schedule(&caller, request("@daily")).await.unwrap();
    assert_eq!(first.record, second.record);
    let first = harness.engine.run_schedule(&caller, second.record.id).await.unwrap();
    harness.clock.advance(DurationMs(5));
    let again = harness.engine.run_schedule(&caller, second.record.id).await.unwrap();
    assert_eq!(first, again);
    assert_eq!(words(&harness, second.record.id).await, ["0 manual fired"]);
}

async fn i13_schedules_of_others_do_not_exist(harness: EngineHarness) {
    let id = create(&harness, request("@hourly")).await;
    let umbrella = harness.bound("umbrella", Role::Operator);
    let engine = &harness.engine;
    let is_hidden = |error: Option<EngineError>| {
        assert!(matches!(error, Some(EngineError::NotFound { what: "schedule", .. })), "{error:?}");
    };
    is_hidden(engine.schedule(&umbrella, id).await.err());
    is_hidden(engine.preview_schedule(&umbrella, id, 1).await.err());
    is_hidden(engine.search_runs(&umbrella, id, &ListRequest::all(SearchList::Runs, 1)).await.err());
    is_hidden(engine.replace_schedule(&umbrella, id, request("@daily")).await.err());
    is_hidden(engine.pause_schedule(&umbrella, id, true).await.err());
    is_hidden(engine.run_schedule(&umbrella, id).await.err());
    is_hidden(engine.backfill_schedule(&umbrella, id, minute(-60), minute(0)).await.err());
    is_hidden(engine.delete_schedule(&umbrella, id).await.err());
    let listed = engine.search_schedules(&umbrella, &ListRequest::all(SearchList::Schedules, 10)).await;
    assert!(listed.unwrap().items.is_empty());

    let client = harness.bound("default", Role::Client);
    assert!(engine.schedule(&client, id).await.is_ok(), "clients read");
    for refused in [
        engine.create_schedule(&client, request("@daily")).await.err(),
        engine.pause_schedule(&client, id, true).await.err(),
        engine.run_schedule(&client, id).await.map(|_| ()).err(),
        engine.delete_schedule(&client, id).await.err(),
    ] {
        assert!(matches!(refused, Some(EngineError::Forbidden { .. })), "{refused:?}");
    }
}

on_both_databases!(
    a_schedule_lives,
    every_fault_of_a_save_is_reported_at_once,
    names_are_unique_within_a_tenant,
    a_repeated_request_makes_one_schedule,
    i13_schedules_of_others_do_not_exist,
);
