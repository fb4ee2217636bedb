//! What became of the slots of schedules, and how long it is known.

use domain::search::Order;

use super::fixture::after_secs;
use super::operations::keep_all;
use super::schedule_fixture::{
    ALL, created, execution_of, fire, fired, run_of, runs_found, schedule, skip, start, waiting,
};
use crate::Store;
use crate::operations::Retention;
use crate::schedules::{Fired, ScheduleRecord};

/// A skipped slot is recorded with its reason, and is as final as one that fired.
pub async fn a_schedules_skipped_slot_stays_skipped(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let skipped = fired(&one, vec![skip(after_secs(60), "misfire")], Some((after_secs(60), None)));
    assert_eq!(fire(store, &skipped, after_secs(90)).await, Fired::Done(Vec::new()));
    let again = fired(&one, vec![start(&one, after_secs(60))], None);
    assert_eq!(fire(store, &again, after_secs(91)).await, Fired::Done(Vec::new()));
    let run = run_of(store, &one, after_secs(60)).await.expect("recorded");
    assert_eq!((run.status.as_str(), run.skip_reason.as_deref()), ("skipped", Some("misfire")));
    assert_eq!((run.execution_id, run.decided_at), (None, after_secs(90)));
}

/// A backfill runs a slot that was skipped, once.
pub async fn i07_a_backfill_runs_a_skipped_slot_once(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let skipped = fired(&one, vec![skip(after_secs(60), "misfire")], Some((after_secs(60), None)));
    fire(store, &skipped, after_secs(90)).await;
    let mut slot = start(&one, after_secs(60));
    slot.reason = "backfill";
    let backfill = fired(&one, vec![slot], None);
    assert!(matches!(fire(store, &backfill, after_secs(91)).await, Fired::Done(ids) if ids.len() == 1));
    assert_eq!(fire(store, &backfill, after_secs(92)).await, Fired::Done(Vec::new()));
    let run = run_of(store, &one, after_secs(60)).await.expect("recorded");
    assert_eq!((run.status.as_str(), run.reason.as_str(), run.skip_reason), ("fired", "backfill", None));
}

/// Slots of a schedule are found by each filter, in both orders, and no other schedule's.
pub async fn slots_are_found_by_each_filter(store: &dyn Store) {
    let (one, other) = (schedule("one"), schedule("other"));
    created(store, &one).await;
    created(store, &other).await;
    let slots = vec![skip(after_secs(120), "overlap"), start(&one, after_secs(60)), waiting(after_secs(180))];
    fire(store, &fired(&one, slots, None), after_secs(200)).await;
    fire(store, &fired(&other, vec![skip(after_secs(60), "misfire")], None), after_secs(200)).await;
    let started = execution_of(&one, after_secs(60)).id;
    for (query, expected) in [
        ("", vec![180, 120, 60]),
        ("status:skipped", vec![120]),
        ("status:fired,waiting", vec![180, 60]),
        ("skipReason:misfire", vec![]),
        ("skipReason:overlap,misfire", vec![120]),
        ("reason:tick", vec![180, 120, 60]),
        (format!("executionId:{started}").as_str(), vec![60]),
        ("fired:*", vec![60]),
        ("scheduled:now..now+2m", vec![120, 60]),
    ] {
        let nominals = async |order| {
            let runs = runs_found(store, &one, query, order).await;
            runs.into_iter().map(|run| run.nominal).collect::<Vec<_>>()
        };
        let mut expected: Vec<_> = expected.into_iter().map(after_secs).collect();
        assert_eq!(nominals(Order::Desc).await, expected, "{query}");
        expected.reverse();
        assert_eq!(nominals(Order::Asc).await, expected, "{query}");
    }
}

/// Recorded slots are answered in order, without the others.
pub async fn a_schedules_recorded_slots_are_known(store: &dyn Store) {
    let (one, other) = (schedule("one"), schedule("other"));
    created(store, &one).await;
    created(store, &other).await;
    let slots = vec![skip(after_secs(120), "overlap"), start(&one, after_secs(60)), waiting(after_secs(180))];
    fire(store, &fired(&one, slots, None), after_secs(200)).await;
    fire(store, &fired(&other, vec![start(&other, after_secs(240))], None), after_secs(240)).await;
    let asked = [after_secs(240), after_secs(180), after_secs(120), after_secs(60), after_secs(61)];
    let recorded = store.recorded_slots(one.id, &asked).await.expect("read works");
    assert_eq!(recorded, [after_secs(60), after_secs(180)]);
    assert!(store.recorded_slots(one.id, &[]).await.expect("read works").is_empty());
}

/// Pruning leaves the newest slot of each schedule, and those that wait.
pub async fn pruning_leaves_the_newest_slot_of_schedules(store: &dyn Store) {
    let (one, other) = (schedule("one"), schedule("other"));
    created(store, &one).await;
    created(store, &other).await;
    let slots = |of: &ScheduleRecord| {
        vec![waiting(after_secs(60)), start(of, after_secs(120)), start(of, after_secs(180))]
    };
    let fires = [fired(&one, slots(&one), None), fired(&other, vec![start(&other, after_secs(60))], None)];
    store.fire_schedules(&fires, after_secs(180)).await.expect("fire works");
    let retention = Retention { schedule_runs_before: after_secs(180), ..keep_all() };
    assert_eq!(store.prune(&retention, 10).await.expect("prune works"), 0, "not old enough");
    let later = Retention { schedule_runs_before: after_secs(181), ..retention };
    assert_eq!(store.prune(&later, 10).await.expect("prune works"), 1);
    assert_eq!(store.prune(&later, 10).await.expect("prune works"), 0);
    assert_eq!(run_of(store, &one, after_secs(60)).await.map(|run| run.status), Some("waiting".to_owned()));
    assert_eq!(run_of(store, &one, after_secs(120)).await, None);
    assert!(run_of(store, &one, after_secs(180)).await.is_some());
    assert!(run_of(store, &other, after_secs(60)).await.is_some());
}

/// A deleted schedule takes its history along; its executions stay.
pub async fn a_deleted_schedule_leaves_its_executions(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let fire = fired(&one, vec![start(&one, after_secs(60))], None);
    store.fire_schedules(std::slice::from_ref(&fire), after_secs(60)).await.expect("fire works");
    let open = store.schedule(&ALL, one.id).await.expect("read works").expect("there").open;
    assert_eq!(open.len(), 1);
    assert!(store.delete_schedule(&ALL, one.id).await.expect("delete works"));
    assert!(!store.delete_schedule(&ALL, one.id).await.expect("delete works"));
    assert_eq!(store.schedule(&ALL, one.id).await.expect("answers"), None);
    assert!(runs_found(store, &one, "", Order::Desc).await.is_empty());
    assert!(store.recorded_slots(one.id, &[after_secs(60)]).await.expect("answers").is_empty());
    assert!(store.execution(&ALL, open[0]).await.expect("read works").is_some());
    let answers = store.fire_schedules(&[fire], after_secs(61)).await.expect("answers");
    assert_eq!(answers, [Fired::Stale]);
}
