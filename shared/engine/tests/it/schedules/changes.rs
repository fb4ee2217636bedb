//! Edits, pauses and resumes: nothing that is past fires, and nothing of the old definition.

use domain::schedule::{Misfire, Overlap};
use domain::time::DurationMs;
use engine::ScheduleRequest;
use serde_json::json;
use testkit::EngineHarness;

use super::harness::{
    HOUR, MINUTE, after, create, execution_at, finish_next, minute, request, with_rules, words,
};

async fn an_edit_never_fires_what_is_past(harness: EngineHarness) {
    let id = create(&harness, with_rules("0 * * * *", Misfire::All, Overlap::Allow)).await;
    // Two slots pass without a check; then somebody edits.
    harness.clock.advance(DurationMs(2 * HOUR.0 + 5 * MINUTE.0));
    let edited = with_rules("*/30 * * * *", Misfire::All, Overlap::Allow);
    let view = harness.engine.replace_schedule(&harness.admin(), id, edited).await.unwrap();
    assert_eq!((view.record.version, view.record.next_run_at), (2, Some(minute(150))));
    assert_eq!(harness.engine.check_schedules().await.unwrap().executions, 0);
    after(&harness, DurationMs(25 * MINUTE.0)).await;
    assert_eq!(words(&harness, id).await, ["150 tick fired"]);
}

async fn a_resume_never_fires_what_is_past(harness: EngineHarness) {
    let id = create(&harness, with_rules("0 * * * *", Misfire::All, Overlap::Allow)).await;
    let admin = harness.admin();
    let paused = harness.engine.pause_schedule(&admin, id, true).await.unwrap();
    assert_eq!((paused.record.is_paused, paused.record.next_run_at), (true, None));
    assert_eq!(after(&harness, DurationMs(3 * HOUR.0)).await.executions, 0);
    let resumed = harness.engine.pause_schedule(&admin, id, false).await.unwrap();
    assert_eq!(resumed.record.next_run_at, Some(minute(240)));
    assert_eq!(harness.engine.check_schedules().await.unwrap().executions, 0);
    let version = resumed.record.version;
    let again = harness.engine.pause_schedule(&admin, id, false).await.unwrap();
    assert_eq!(again.record.version, version, "it was not paused: nothing changes");
    after(&harness, HOUR).await;
    assert_eq!(words(&harness, id).await, ["240 tick fired"]);
}

async fn an_edit_keeps_the_pause_unless_it_says_otherwise(harness: EngineHarness) {
    let id = create(&harness, request("0 * * * *")).await;
    let admin = harness.admin();
    harness.engine.pause_schedule(&admin, id, true).await.unwrap();
    let view = harness.engine.replace_schedule(&admin, id, request("@daily")).await.unwrap();
    assert!(view.record.is_paused);
    let unpaused = ScheduleRequest { is_paused: Some(false), ..request("@daily") };
    let view = harness.engine.replace_schedule(&admin, id, unpaused).await.unwrap();
    assert_eq!((view.record.is_paused, view.record.next_run_at), (false, Some(minute(720))));
}

async fn what_waited_is_given_up(harness: EngineHarness) {
    for is_edit in [true, false] {
        let mut request = with_rules("* * * * *", Misfire::Latest, Overlap::QueueOne);
        request.name = domain::names::ScheduleName::trusted(format!("edit {is_edit}"));
        let id = create(&harness, request.clone()).await;
        let started = after(&harness, MINUTE).await.executions;
        assert_eq!(started, 1);
        after(&harness, MINUTE).await;
        let runs = words(&harness, id).await;
        assert!(runs[1].ends_with("tick waiting"), "{runs:?}");
        let admin = harness.admin();
        if is_edit {
            harness.engine.replace_schedule(&admin, id, request).await.unwrap();
        } else {
            harness.engine.pause_schedule(&admin, id, true).await.unwrap();
            harness.engine.pause_schedule(&admin, id, false).await.unwrap();
        }
        finish_next(&harness).await;
        assert_eq!(harness.engine.check_schedules().await.unwrap().executions, 0);
        let runs = words(&harness, id).await;
        assert!(runs[1].ends_with("tick skipped changed"), "{runs:?}");
        harness.engine.delete_schedule(&admin, id).await.unwrap();
    }
}

async fn a_slot_runs_the_latest_version_and_checks_the_input_again(harness: EngineHarness) {
    let mut request = with_rules("* * * * *", Misfire::Latest, Overlap::Allow);
    request.input = r#"{"of": "sales"}"#.into();
    let id = create(&harness, request).await;
    let version = |number: u32, of: &str| {
        json!({
            "name": "report", "version": number,
            "input": {"type": "object", "properties": {"of": {"type": of}}},
            "nodes": [{"id": "write", "type": "TRANSFORM", "output": 1}],
        })
    };
    harness.register(&version(2, "string")).await.unwrap();
    after(&harness, MINUTE).await;
    let execution = execution_at(&harness, id, minute(1)).await;
    let record = harness.engine.execution(&harness.admin(), execution).await.unwrap();
    assert_eq!((record.version, record.input.as_str()), (2, r#"{"of": "sales"}"#));
    harness.register(&version(3, "number")).await.unwrap();
    assert_eq!(after(&harness, MINUTE).await.executions, 0);
    assert_eq!(words(&harness, id).await, ["1 tick fired", "2 tick skipped input_invalid"]);
}

on_both_databases!(
    an_edit_never_fires_what_is_past,
    a_resume_never_fires_what_is_past,
    an_edit_keeps_the_pause_unless_it_says_otherwise,
    what_waited_is_given_up,
    a_slot_runs_the_latest_version_and_checks_the_input_again,
);
