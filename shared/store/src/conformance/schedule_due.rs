//! Schedules that something is to be decided about: due ones, and those with a slot that waits.

use domain::schedule::{Overlap, SchedulePolicy};

use super::fixture::{after_secs, execution, tenant};
use super::schedule_fixture::{
    ALL, cancel, created, due, execution_of, fire, fired, found, run_of, schedule, skip, start, waiting,
};
use crate::Store;
use crate::schedules::{Fired, ScheduleFire, ScheduleRecord};

/// What is due comes longest overdue first, at most as much as is asked for.
pub async fn due_schedules_come_longest_overdue_first(store: &dyn Store) {
    for (name, at) in [("late", 30), ("later", 20), ("latest", 10), ("at once", 60), ("not yet", 61)] {
        let one = ScheduleRecord { next_run_at: Some(after_secs(at)), ..schedule(name) };
        created(store, &one).await;
    }
    let ended = ScheduleRecord { next_run_at: None, ..schedule("ended") };
    created(store, &ended).await;
    assert_eq!(due(store, after_secs(60), 10).await, ["latest", "later", "late", "at once"]);
    assert_eq!(due(store, after_secs(60), 2).await, ["latest", "later"]);
    assert!(due(store, after_secs(9), 10).await.is_empty());
}

/// The inputs of what is due are read up to a size, and of the longest overdue whatever its size is.
pub async fn due_schedules_are_bounded_in_bytes(store: &dyn Store) {
    let input = format!(r#"{{"text": "{}"}}"#, "ä".repeat(500));
    for secs in 1..=4 {
        let next_run_at = Some(after_secs(secs));
        let one = ScheduleRecord { next_run_at, input: input.clone(), ..schedule(&format!("s{secs}")) };
        created(store, &one).await;
    }
    let bytes = input.len() as u64;
    for (bytes_max, expected) in [(1, 1), (bytes, 1), (bytes + 1, 2), (3 * bytes, 3), (u64::MAX, 4)] {
        let due = store.due_schedules(after_secs(60), 10, bytes_max, &[]).await.expect("read works");
        let names: Vec<String> = due.into_iter().map(|due| due.record.name).collect();
        let first: Vec<String> = (1..=expected).map(|number| format!("s{number}")).collect();
        assert_eq!(names, first, "{bytes_max} bytes");
    }
}

/// Tenants are left out, with what is due of them and what waits, and the others' comes instead of it.
pub async fn due_schedules_are_read_without_tenants(store: &dyn Store) {
    for (name, of, at) in [("first", "a", 10), ("second", "b", 20), ("third", "a", 30), ("fourth", "c", 40)] {
        let next_run_at = Some(after_secs(at));
        let one = ScheduleRecord { next_run_at, tenant: tenant(of), ..schedule(name) };
        created(store, &one).await;
    }
    for of in ["a", "b"] {
        let one = ScheduleRecord { tenant: tenant(of), ..schedule(&format!("waits of {of}")) };
        created(store, &one).await;
        let waits = fired(&one, vec![waiting(after_secs(50))], Some((after_secs(50), None)));
        fire(store, &waits, after_secs(50)).await;
    }
    let cases: [(&[&str], u32, &[&str]); 4] = [
        (&[], 10, &["first", "second", "third", "fourth", "waits of a", "waits of b"]),
        (&["a"], 10, &["second", "fourth", "waits of b"]),
        (&["a"], 2, &["second", "fourth"]),
        (&["a", "b", "unknown"], 10, &["fourth"]),
    ];
    for (without, limit, expected) in cases {
        let without: Vec<_> = without.iter().map(|name| tenant(name)).collect();
        let due = store.due_schedules(after_secs(60), limit, u64::MAX, &without).await.expect("read works");
        let mut names: Vec<String> = due.into_iter().map(|due| due.record.name).collect();
        // Those that wait since the same instant come in the order of their ids.
        names.sort_by_key(|name| name.starts_with("waits").then(|| name.clone()));
        assert_eq!(names, expected, "without {without:?}");
    }
}

/// A paused schedule is not due, whatever its next instant says.
pub async fn a_paused_schedule_is_not_due(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let paused = ScheduleRecord { is_paused: true, version: 2, ..one.clone() };
    store.replace_schedule(&ALL, &paused).await.expect("answers");
    assert!(due(store, after_secs(600), 10).await.is_empty());
    let tick = fired(&one, vec![start(&one, after_secs(60))], Some((after_secs(60), None)));
    let tick = ScheduleFire { version: 2, ..tick };
    let answers = store.fire_schedules(&[tick], after_secs(60)).await.expect("answers");
    assert_eq!(answers, [Fired::Stale]);
    let resumed = ScheduleRecord { is_paused: false, version: 3, ..paused };
    store.replace_schedule(&ALL, &resumed).await.expect("answers");
    assert_eq!(due(store, after_secs(600), 10).await, ["one"]);
}

/// One slot waits at most; it is found when nothing runs any more, and starts once.
pub async fn a_schedules_waiting_slot_starts_when_nothing_runs(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let slots = vec![start(&one, after_secs(60)), waiting(after_secs(120)), waiting(after_secs(180))];
    let first = fired(&one, slots, Some((after_secs(180), Some(after_secs(240)))));
    fire(store, &first, after_secs(180)).await;
    fire(store, &first, after_secs(181)).await;
    assert_eq!(found(store, &one).await.waiting, Some(after_secs(120)));
    let second = run_of(store, &one, after_secs(180)).await.expect("recorded");
    assert_eq!((second.status.as_str(), second.skip_reason.as_deref()), ("skipped", Some("overlap")));
    assert!(due(store, after_secs(200), 10).await.is_empty(), "one runs");
    let waits = store.waiting_schedules(10).await.expect("read works");
    let waits: Vec<_> = waits.iter().map(|found| (found.record.id, found.waiting)).collect();
    assert_eq!(waits, [(one.id, Some(after_secs(120)))], "it waits all the same");
    cancel(store, execution_of(&one, after_secs(60)).id).await;
    assert_eq!(due(store, after_secs(200), 10).await, ["one"]);
    let settle = ScheduleFire {
        settle_waiting: Some(after_secs(120)),
        ..fired(&one, vec![start(&one, after_secs(120))], None)
    };
    let started = execution_of(&one, after_secs(120)).id;
    assert_eq!(fire(store, &settle, after_secs(200)).await, Fired::Done(vec![started]));
    assert_eq!(fire(store, &settle, after_secs(201)).await, Fired::Done(Vec::new()));
    let found = found(store, &one).await;
    assert_eq!((found.open, found.waiting), (vec![started], None));
    let run = run_of(store, &one, after_secs(120)).await.expect("recorded");
    assert_eq!(
        (run.status.as_str(), run.execution_id, run.decided_at),
        ("fired", Some(started), after_secs(200))
    );
    assert!(due(store, after_secs(200), 10).await.is_empty());
}

/// A waiting slot can be given up, and makes room for another one in the same commit.
pub async fn a_schedules_waiting_slot_can_be_given_up(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    fire(store, &fired(&one, vec![waiting(after_secs(60))], None), after_secs(60)).await;
    let replace = ScheduleFire {
        settle_waiting: Some(after_secs(60)),
        ..fired(&one, vec![waiting(after_secs(120))], None)
    };
    assert_eq!(fire(store, &replace, after_secs(120)).await, Fired::Done(Vec::new()));
    assert_eq!(found(store, &one).await.waiting, Some(after_secs(120)));
    let given_up = run_of(store, &one, after_secs(60)).await.expect("recorded");
    assert_eq!((given_up.status.as_str(), given_up.skip_reason.as_deref()), ("skipped", Some("overlap")));
    let refuse = ScheduleFire {
        settle_waiting: Some(after_secs(120)),
        ..fired(&one, vec![skip(after_secs(120), "refused")], None)
    };
    fire(store, &refuse, after_secs(130)).await;
    let refused = run_of(store, &one, after_secs(120)).await.expect("recorded");
    assert_eq!((refused.status.as_str(), refused.skip_reason.as_deref()), ("skipped", Some("refused")));
    assert_eq!(found(store, &one).await.waiting, None);
}

/// What runs is known, oldest first: it leaves the list when it ends.
pub async fn a_schedules_open_executions_have_not_ended(store: &dyn Store) {
    let (one, other) = (schedule("one"), schedule("other"));
    created(store, &one).await;
    created(store, &other).await;
    for secs in [180, 60, 120] {
        let fires = [
            fired(&one, vec![start(&one, after_secs(secs))], None),
            fired(&other, vec![start(&other, after_secs(secs))], None),
        ];
        store.fire_schedules(&fires, after_secs(secs)).await.expect("fire works");
    }
    store.create_executions(&[execution("w")], after_secs(1)).await.expect("create works");
    let of = |secs| execution_of(&one, after_secs(secs)).id;
    assert_eq!(found(store, &one).await.open, [of(60), of(120), of(180)]);
    cancel(store, of(120)).await;
    assert_eq!(found(store, &one).await.open, [of(60), of(180)]);
    let due = store.due_schedules(after_secs(60), 10, u64::MAX, &[]).await.expect("read works");
    assert_eq!(due.iter().map(|due| due.open.len()).collect::<Vec<_>>(), [2, 3]);
    let overlapping = SchedulePolicy { overlap: Overlap::Allow, ..one.policy };
    let edited = ScheduleRecord { policy: overlapping, version: 2, ..one.clone() };
    store.replace_schedule(&ALL, &edited).await.expect("answers");
    assert!(found(store, &one).await.open.is_empty(), "nobody asks");
    let wait = ScheduleFire { version: 2, ..fired(&one, vec![waiting(after_secs(240))], None) };
    fire(store, &wait, after_secs(240)).await;
    assert_eq!(found(store, &one).await.open, [of(60), of(180)], "a slot waits for them");
}
