//! Edits, pauses and resumes: nothing that is past fires, and nothing of the old definition.

use domain::schedule::{Misfire, Overlap};
use domain::time::DurationMs;
use engine::ScheduleRequest;
use serde_json::json;
use testkit::EngineBench;

use super::bench::{
    HOUR, MINUTE, after, create, execution_at, finish_next, minute, request, with_rules, words,
};

async fn an_edit_never_fires_what_is_past(bench: EngineBench) {
    let id = create(&bench, with_rules("0 * * * *", Misfire::All, Overlap::Allow)).await;
    // Two slots pass without a check; then somebody edits.
    bench.clock.advance(DurationMs(2 * HOUR.0 + 5 * MINUTE.0));
    let edited = with_rules("*/30 * * * *", Misfire::All, Overlap::Allow);
    let view = bench.engine.replace_schedule(&bench.admin(), id, edited).await.unwrap();
    assert_eq!((view.record.version, view.record.next_run_at), (2, Some(minute(150))));
    assert_eq!(bench.engine.check_schedules().await.unwrap().executions, 0);
    after(&bench, DurationMs(25 * MINUTE.0)).await;
    assert_eq!(words(&bench, id).await, ["150 tick fired"]);
}

async fn a_resume_never_fires_what_is_past(bench: EngineBench) {
    let id = create(&bench, with_rules("0 * * * *", Misfire::All, Overlap::Allow)).await;
    let admin = bench.admin();
    let paused = bench.engine.pause_schedule(&admin, id, true).await.unwrap();
    assert_eq!((paused.record.is_paused, paused.record.next_run_at), (true, None));
    assert_eq!(after(&bench, DurationMs(3 * HOUR.0)).await.executions, 0);
    let resumed = bench.engine.pause_schedule(&admin, id, false).await.unwrap();
    assert_eq!(resumed.record.next_run_at, Some(minute(240)));
    assert_eq!(bench.engine.check_schedules().await.unwrap().executions, 0);
    let version = resumed.record.version;
    let again = bench.engine.pause_schedule(&admin, id, false).await.unwrap();
    assert_eq!(again.record.version, version, "it was not paused: nothing changes");
    after(&bench, HOUR).await;
    assert_eq!(words(&bench, id).await, ["240 tick fired"]);
}

async fn an_edit_keeps_the_pause_unless_told(bench: EngineBench) {
    let id = create(&bench, request("0 * * * *")).await;
    let admin = bench.admin();
    bench.engine.pause_schedule(&admin, id, true).await.unwrap();
    let view = bench.engine.replace_schedule(&admin, id, request("@daily")).await.unwrap();
    assert!(view.record.is_paused);
    let told = ScheduleRequest { is_paused: Some(false), ..request("@daily") };
    let view = bench.engine.replace_schedule(&admin, id, told).await.unwrap();
    assert_eq!((view.record.is_paused, view.record.next_run_at), (false, Some(minute(720))));
}

async fn what_waited_is_given_up(bench: EngineBench) {
    for is_edit in [true, false] {
        let mut request = with_rules("* * * * *", Misfire::Latest, Overlap::QueueOne);
        request.name = domain::names::ScheduleName::trusted(format!("edit {is_edit}"));
        let id = create(&bench, request.clone()).await;
        let started = after(&bench, MINUTE).await.executions;
        assert_eq!(started, 1);
        after(&bench, MINUTE).await;
        let runs = words(&bench, id).await;
        assert!(runs[1].ends_with("tick waiting"), "{runs:?}");
        let admin = bench.admin();
        if is_edit {
            bench.engine.replace_schedule(&admin, id, request).await.unwrap();
        } else {
            bench.engine.pause_schedule(&admin, id, true).await.unwrap();
            bench.engine.pause_schedule(&admin, id, false).await.unwrap();
        }
        finish_next(&bench).await;
        assert_eq!(bench.engine.check_schedules().await.unwrap().executions, 0);
        let runs = words(&bench, id).await;
        assert!(runs[1].ends_with("tick skipped changed"), "{runs:?}");
        bench.engine.delete_schedule(&admin, id).await.unwrap();
    }
}

async fn a_slot_runs_the_latest_version_and_checks_the_input_again(bench: EngineBench) {
    let mut request = with_rules("* * * * *", Misfire::Latest, Overlap::Allow);
    request.input = r#"{"of": "sales"}"#.into();
    let id = create(&bench, request).await;
    let version = |number: u32, of: &str| {
        json!({
            "name": "report", "version": number,
            "input": {"type": "object", "properties": {"of": {"type": of}}},
            "nodes": [{"id": "write", "type": "TRANSFORM", "output": 1}],
        })
    };
    bench.register(&version(2, "string")).await.unwrap();
    after(&bench, MINUTE).await;
    let execution = execution_at(&bench, id, minute(1)).await;
    let record = bench.engine.execution(&bench.admin(), execution).await.unwrap();
    assert_eq!((record.version, record.input.as_str()), (2, r#"{"of": "sales"}"#));
    bench.register(&version(3, "number")).await.unwrap();
    assert_eq!(after(&bench, MINUTE).await.executions, 0);
    assert_eq!(words(&bench, id).await, ["1 tick fired", "2 tick skipped input_invalid"]);
}

on_both_databases!(
    an_edit_never_fires_what_is_past,
    a_resume_never_fires_what_is_past,
    an_edit_keeps_the_pause_unless_told,
    what_waited_is_given_up,
    a_slot_runs_the_latest_version_and_checks_the_input_again,
);
