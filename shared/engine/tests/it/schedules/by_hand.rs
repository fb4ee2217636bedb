//! Runs by hand, and backfills.

use domain::schedule::{Misfire, Overlap};
use domain::time::DurationMs;
use engine::{Backfilled, EngineError};
use testkit::EngineHarness;

use super::harness::{HOUR, MINUTE, after, create, history, minute, request, with_rules, words};

/// What lines of the audit log with an action say, the newest first.
async fn lines(harness: &EngineHarness, action: &str) -> Vec<String> {
    let log = harness.audit(&harness.admin()).await.into_iter();
    log.filter(|line| line.action == action).map(|line| line.detail.unwrap_or_default()).collect()
}

async fn a_run_by_hand_works_while_paused_and_beside_slots(harness: EngineHarness) {
    let id = create(&harness, request("* * * * *")).await;
    let admin = harness.admin();
    harness.engine.pause_schedule(&admin, id, true).await.unwrap();
    harness.clock.advance(MINUTE);
    let first = harness.engine.run_schedule(&admin, id).await.unwrap();
    let second = harness.engine.run_schedule(&admin, id).await.unwrap();
    assert_ne!(first.execution_id, second.execution_id);
    assert_eq!(words(&harness, id).await, ["1 manual fired", "1 manual fired"]);
    assert_eq!(lines(&harness, "schedule.run").await.len(), 2);
    let execution = harness.engine.execution(&admin, first.execution_id).await.unwrap();
    assert_eq!(execution.trigger.kind, "schedule");
    assert!(execution.trigger.detail.unwrap().contains("manual"));
    let view = harness.engine.schedule(&admin, id).await.unwrap();
    assert_eq!((view.record.is_paused, view.record.next_run_at), (true, None), "it stays paused");
    assert!(first.scheduled_for.0 % MINUTE.0 != 0, "the slot of this minute is still free");
}

async fn a_backfill_leaves_out_recorded_slots(harness: EngineHarness) {
    let id = create(&harness, with_rules("0 * * * *", Misfire::Latest, Overlap::Allow)).await;
    after(&harness, HOUR).await;
    let admin = harness.admin();
    let backfill =
        async |from, to| harness.engine.backfill_schedule(&admin, id, minute(from), minute(to)).await;
    let done = backfill(-120, 60).await.unwrap();
    assert_eq!(done, Backfilled { slots: 4, started: 3, skipped: 1 });
    let expected = ["-120 backfill fired", "-60 backfill fired", "0 backfill fired", "60 tick fired"];
    assert_eq!(words(&harness, id).await, expected);
    let again = backfill(-120, 60).await.unwrap();
    assert_eq!((again.started, again.skipped), (0, 4));
    let said = lines(&harness, "schedule.backfill").await;
    assert!(said.len() == 2 && said.iter().all(|line| line.contains("\"slots\":4")), "{said:?}");
    assert_eq!(history(&harness, id).await.len(), 4);
    let next = harness.engine.schedule(&admin, id).await.unwrap().record.next_run_at;
    assert_eq!(next, Some(minute(120)), "the clock goes on as before");
}

async fn a_backfill_is_bounded(harness: EngineHarness) {
    let id = create(&harness, request("* * * * *")).await;
    let admin = harness.admin();
    let fault = async |from, to| {
        let answer = harness.engine.backfill_schedule(&admin, id, minute(from), minute(to)).await;
        let Err(EngineError::Invalid(faults)) = answer else { panic!("{answer:?}") };
        (faults[0].pointer.clone(), faults[0].message.clone())
    };
    assert_eq!(fault(-10, -20).await.0, "/to");
    assert_eq!(fault(-10, 1).await.0, "/to");
    let (pointer, message) = fault(-1_001, -1).await;
    assert_eq!(pointer, "/to");
    assert!(message.contains("1000"), "{message}");
    let most = harness.engine.backfill_schedule(&admin, id, minute(-1_000), minute(-1)).await.unwrap();
    assert_eq!((most.slots, most.started), (1_000, 1_000));
    harness.clock.advance(DurationMs(1));
}

on_both_databases!(
    a_run_by_hand_works_while_paused_and_beside_slots,
    a_backfill_leaves_out_recorded_slots,
    a_backfill_is_bounded,
);
