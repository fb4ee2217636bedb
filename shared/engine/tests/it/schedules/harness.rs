//! What the tests of schedules share: a workflow to start, schedules of it, and short forms of what they became.

use domain::id::{ExecutionId, ScheduleId};
use domain::names::{ScheduleName, WorkflowName};
use domain::schedule::{Misfire, Overlap, SchedulePolicy};
use domain::search::SearchList;
use domain::time::{DurationMs, Timestamp};
use engine::{Checked, ListRequest, ScheduleRequest};
use serde_json::json;
use store::schedules::ScheduleRunRecord;
use testkit::{EngineHarness, FixedClock};

/// A minute.
pub(super) const MINUTE: DurationMs = DurationMs::from_secs(60);
/// An hour.
pub(super) const HOUR: DurationMs = DurationMs::from_secs(3_600);

/// Registers `report`, whose one node runs in place.
pub(super) async fn register(harness: &EngineHarness) {
    let definition = json!({
        "name": "report", "version": 1,
        "input": {"type": "object", "properties": {"of": {"type": "string"}}},
        "nodes": [{"id": "write", "type": "TRANSFORM", "output": {"of": "${input}"}}],
        "output": "${nodes.write.output}"
    });
    harness.register(&definition).await.unwrap();
}

/// A schedule of `report`.
pub(super) fn request(cron: &str) -> ScheduleRequest {
    let (name, workflow) = (ScheduleName::trusted("nightly"), WorkflowName::trusted("report"));
    ScheduleRequest::new(name, workflow, cron)
}

/// The same with other rules.
pub(super) fn with_rules(cron: &str, misfire: Misfire, overlap: Overlap) -> ScheduleRequest {
    let policy = SchedulePolicy { misfire, overlap, ..SchedulePolicy::default() };
    ScheduleRequest { policy, ..request(cron) }
}

/// Registers the workflow and creates a schedule of it.
pub(super) async fn create(harness: &EngineHarness, request: ScheduleRequest) -> ScheduleId {
    register(harness).await;
    let created = harness.engine.create_schedule(&harness.admin(), request).await;
    created.unwrap().record.id
}

/// Moves the clock on and checks.
pub(super) async fn after(harness: &EngineHarness, span: DurationMs) -> Checked {
    harness.clock.advance(span);
    harness.engine.check_schedules().await.unwrap()
}

/// The history, oldest first.
pub(super) async fn history(harness: &EngineHarness, id: ScheduleId) -> Vec<ScheduleRunRecord> {
    let request = ListRequest::all(SearchList::Runs, 1_000);
    let mut runs = harness.engine.search_runs(&harness.admin(), id, &request).await.unwrap().items;
    runs.reverse();
    runs
}

/// The history in words: minutes after the clock's start, and what became of the slot.
pub(super) async fn words(harness: &EngineHarness, id: ScheduleId) -> Vec<String> {
    let word = |run: ScheduleRunRecord| {
        let minutes = (run.nominal.0 - FixedClock::START.0) / MINUTE.0;
        let skipped = run.skip_reason.map(|reason| format!(" {reason}")).unwrap_or_default();
        format!("{minutes} {} {}{skipped}", run.reason, run.status)
    };
    history(harness, id).await.into_iter().map(word).collect()
}

/// So many minutes after the clock's start.
pub(super) fn minute(number: i64) -> Timestamp {
    Timestamp(FixedClock::START.0 + number * MINUTE.0)
}

/// The execution of the only slot at a minute.
pub(super) async fn execution_at(harness: &EngineHarness, id: ScheduleId, nominal: Timestamp) -> ExecutionId {
    let runs = history(harness, id).await;
    let run = runs.iter().find(|run| run.nominal == nominal);
    run.and_then(|run| run.execution_id)
        .unwrap_or_else(|| panic!("nothing was started at {nominal}: {runs:?}"))
}

/// Runs the next execution in the queue to its end.
pub(super) async fn finish_next(harness: &EngineHarness) {
    let owned = harness.own_next().await;
    owned.end.await.unwrap();
}
