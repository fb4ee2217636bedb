//! What happens to a slot while an execution of the same schedule has not ended.

use domain::names::WorkerId;
use domain::queue::QueueName;
use domain::schedule::{Misfire, Overlap};
use domain::workflow::execution::{ExecutionError, ExecutionStatus};
use engine::PoolClaim;
use store::executions::InboxEntry;
use testkit::EngineHarness;

use super::harness::{MINUTE, after, create, execution_at, finish_next, minute, with_rules, words};

async fn allow_starts_beside_it(harness: EngineHarness) {
    let id = create(&harness, with_rules("* * * * *", Misfire::Latest, Overlap::Allow)).await;
    after(&harness, MINUTE).await;
    assert_eq!(after(&harness, MINUTE).await.executions, 1);
    assert_eq!(words(&harness, id).await, ["1 tick fired", "2 tick fired"]);
}

async fn skip_is_seen_and_does_not_consume_the_next_slot(harness: EngineHarness) {
    let id = create(&harness, with_rules("* * * * *", Misfire::Latest, Overlap::Skip)).await;
    after(&harness, MINUTE).await;
    assert_eq!(after(&harness, MINUTE).await.executions, 0);
    finish_next(&harness).await;
    assert_eq!(after(&harness, MINUTE).await.executions, 1);
    let expected = ["1 tick fired", "2 tick skipped overlap", "3 tick fired"];
    assert_eq!(words(&harness, id).await, expected);
}

async fn queue_one_keeps_one_waiting(harness: EngineHarness) {
    let id = create(&harness, with_rules("* * * * *", Misfire::Latest, Overlap::QueueOne)).await;
    for _ in 0..3 {
        after(&harness, MINUTE).await;
    }
    let waiting = ["1 tick fired", "2 tick waiting", "3 tick skipped overlap"];
    assert_eq!(words(&harness, id).await, waiting);
    assert!(!harness.engine.announce_overdue().await.unwrap(), "what waits cannot start yet");
    finish_next(&harness).await;
    assert!(harness.engine.announce_overdue().await.unwrap(), "the end lets the next one start");
    assert!(!harness.engine.announce_overdue().await.unwrap(), "one check is enough");
    assert_eq!(harness.engine.check_schedules().await.unwrap().executions, 1);
    let started = ["1 tick fired", "2 tick fired", "3 tick skipped overlap"];
    assert_eq!(words(&harness, id).await, started);
    // The one that waited runs now, and the next slot waits behind it.
    assert_eq!(after(&harness, MINUTE).await.executions, 0);
    assert_eq!(words(&harness, id).await[3], "4 tick waiting");
}

/// The moment to which a database was restored is one at which a slot waited: it may have fired since, and does not when what runs
/// ends once more.
async fn what_waits_is_given_up_after_a_restore(harness: EngineHarness) {
    let id = create(&harness, with_rules("* * * * *", Misfire::Latest, Overlap::QueueOne)).await;
    after(&harness, MINUTE).await;
    after(&harness, MINUTE).await;
    assert_eq!(words(&harness, id).await, ["1 tick fired", "2 tick waiting"]);
    let found = harness.engine.restored(10).await.unwrap();
    let listed: Vec<_> = found.schedules.iter().map(|one| (one.id, one.first_slot, one.waiting)).collect();
    assert_eq!(listed, [(id, minute(2), Some(minute(2)))]);
    assert_eq!(harness.engine.mend_restored(&harness.admin()).await.unwrap().schedules_advanced, 1);
    assert_eq!(words(&harness, id).await, ["1 tick fired", "2 tick skipped restored"]);
    assert!(harness.engine.restored(10).await.unwrap().schedules.is_empty());
    // The next slot comes as usual.
    assert_eq!(after(&harness, MINUTE).await.executions, 0);
    assert_eq!(words(&harness, id).await[2], "3 tick waiting");
}

async fn cancel_previous_makes_room(harness: EngineHarness) {
    let id = create(&harness, with_rules("* * * * *", Misfire::All, Overlap::CancelPrevious)).await;
    after(&harness, MINUTE).await;
    let first = execution_at(&harness, id, minute(1)).await;
    assert_eq!(after(&harness, MINUTE).await.executions, 1);
    let second = execution_at(&harness, id, minute(2)).await;
    let status =
        async |execution| harness.engine.execution(&harness.admin(), execution).await.unwrap().status;
    assert_eq!(status(first).await, ExecutionStatus::Cancelled);
    assert_eq!(status(second).await, ExecutionStatus::Pending);
    // Of several that are due together only the last would be left: the others are not started at all.
    after(&harness, domain::time::DurationMs(3 * MINUTE.0)).await;
    let expected = [
        "1 tick fired",
        "2 tick fired",
        "3 catchup skipped overlap",
        "4 tick skipped overlap",
        "5 tick fired",
    ];
    assert_eq!(words(&harness, id).await, expected);
    assert_eq!(status(second).await, ExecutionStatus::Cancelled);
}

/// One that failed before it read that it is cancelled, and runs again, is cancelled for the next slot.
async fn cancel_previous_cancels_what_was_retried(harness: EngineHarness) {
    let id = create(&harness, with_rules("* * * * *", Misfire::All, Overlap::CancelPrevious)).await;
    after(&harness, MINUTE).await;
    let first = execution_at(&harness, id, minute(1)).await;
    let claim = PoolClaim {
        queue: QueueName::Execution,
        jobs_max: 1,
        worker_id: WorkerId::trusted("gone"),
        job_types: None,
    };
    assert_eq!(harness.engine.claim(claim).await.unwrap().len(), 1, "its owner does not read its inbox");
    after(&harness, MINUTE).await;
    let error = ExecutionError { node: None, message: "its owner was lost".to_owned(), code: None };
    assert!(harness.store.fail_execution(first, &error, harness.engine.now()).await.unwrap());
    harness.engine.retry_execution(&harness.admin(), first).await.unwrap();
    after(&harness, MINUTE).await;
    let inbox = harness.store.inboxes(&[first], 10).await.unwrap().remove(0);
    let cancels = inbox.iter().filter(|row| matches!(row.entry, InboxEntry::Cancel { .. })).count();
    assert_eq!(cancels, 1, "{inbox:?}");
}

on_both_databases!(
    allow_starts_beside_it,
    skip_is_seen_and_does_not_consume_the_next_slot,
    queue_one_keeps_one_waiting,
    what_waits_is_given_up_after_a_restore,
    cancel_previous_makes_room,
    cancel_previous_cancels_what_was_retried,
);
