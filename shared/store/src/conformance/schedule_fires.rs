//! Firing schedules: each slot once, in one commit with what it starts and with the cursor.

use domain::job::JobStatus;
use domain::time::Timestamp;

use super::fixture::{after_secs, status};
use super::schedule_fixture::{
    ALL, created, due, execution_of, fire, fired, found, runs, schedule, start, stored,
};
use crate::Store;
use crate::schedules::{Fired, ScheduleFire, ScheduleRecord, ScheduleRunRecord, SlotAction, SlotDecision};

/// A slot starts one execution, in one commit with the cursor; firing it again starts nothing.
pub async fn i07_a_slot_fires_once(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let (nominal, next) = (after_secs(60), after_secs(120));
    let tick = fired(&one, vec![start(&one, nominal)], Some((nominal, Some(next))));
    let expected = execution_of(&one, nominal);
    assert_eq!(fire(store, &tick, after_secs(61)).await, Fired::Done(vec![expected.id]));
    assert_eq!(fire(store, &tick, after_secs(62)).await, Fired::Done(Vec::new()));
    let found = found(store, &one).await;
    assert_eq!((found.record.cursor, found.record.next_run_at), (nominal, Some(next)));
    assert_eq!((found.open, found.waiting), (vec![expected.id], None));
    let record = store.execution(&ALL, expected.id).await.expect("read works").expect("there");
    assert_eq!((record.job_id, record.input.as_str()), (expected.job.id, r#"{"x":1}"#));
    assert_eq!(status(store, expected.job.id).await, JobStatus::Queued);
    let run = ScheduleRunRecord {
        schedule_id: one.id,
        nominal,
        reason: "tick".to_owned(),
        status: "fired".to_owned(),
        skip_reason: None,
        execution_id: Some(expected.id),
        decided_at: after_secs(61),
    };
    assert_eq!(runs(store, &one).await, [run]);
    assert!(due(store, after_secs(119), 10).await.is_empty());
    assert_eq!(due(store, next, 10).await, ["one"]);
}

/// The schedules of a batch do not hold each other up, and the same one twice is fired once.
pub async fn i07_a_batch_fires_each_schedule_by_itself(store: &dyn Store) {
    let (one, other, gone) = (schedule("one"), schedule("other"), schedule("gone"));
    created(store, &one).await;
    created(store, &other).await;
    let nominal = after_secs(60);
    let tick = |of: &ScheduleRecord| fired(of, vec![start(of, nominal)], Some((nominal, None)));
    let edited = ScheduleFire { version: 7, ..tick(&other) };
    let fires = [tick(&gone), tick(&one), edited, tick(&other), tick(&one)];
    let answers = store.fire_schedules(&fires, nominal).await.expect("fire works");
    let started = |of: &ScheduleRecord| Fired::Done(vec![execution_of(of, nominal).id]);
    assert_eq!(
        answers,
        [Fired::Stale, started(&one), Fired::Stale, started(&other), Fired::Done(Vec::new())]
    );
    assert!(store.fire_schedules(&[], nominal).await.expect("fire works").is_empty());
}

/// A fire that was decided on another version writes nothing.
pub async fn a_stale_version_fires_nothing(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let edited = ScheduleRecord { version: 2, next_run_at: Some(after_secs(90)), ..one.clone() };
    store.replace_schedule(&ALL, &edited).await.expect("replace works");
    let tick = fired(&one, vec![start(&one, after_secs(60))], Some((after_secs(60), Some(after_secs(120)))));
    assert_eq!(fire(store, &tick, after_secs(60)).await, Fired::Stale);
    assert_eq!(stored(store, &one).await, edited);
    assert!(runs(store, &one).await.is_empty());
    let execution = execution_of(&one, after_secs(60)).id;
    assert_eq!(store.execution(&ALL, execution).await.expect("answers"), None);
}

/// Two checks read the same schedule, and the second one is slower: what it decided about a later slot rests on what ran
/// before the first one's fire, and would break the overlap rule.
pub async fn i07_a_plan_from_an_old_cursor_fires_nothing(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let found = found(store, &one).await;
    assert!(found.open.is_empty(), "nothing runs, says the second check");
    let plan = |nominal: Timestamp, next: Timestamp| ScheduleFire {
        planned_from: Some(found.record.cursor),
        ..fired(&one, vec![start(&one, nominal)], Some((nominal, Some(next))))
    };
    let first = plan(after_secs(60), after_secs(120));
    let second = plan(after_secs(120), after_secs(180));
    let started = execution_of(&one, after_secs(60)).id;
    assert_eq!(fire(store, &first, after_secs(60)).await, Fired::Done(vec![started]));
    assert_eq!(fire(store, &second, after_secs(121)).await, Fired::Stale);
    assert_eq!(fire(store, &first, after_secs(121)).await, Fired::Stale, "also the same one");
    assert_eq!(runs(store, &one).await.len(), 1);
    let record = stored(store, &one).await;
    assert_eq!((record.cursor, record.next_run_at), (after_secs(60), Some(after_secs(120))));
}

/// The cursor never goes back, and a fire behind it leaves the next instant.
pub async fn a_schedules_cursor_never_goes_back(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let ahead =
        fired(&one, vec![start(&one, after_secs(120))], Some((after_secs(120), Some(after_secs(180)))));
    fire(store, &ahead, after_secs(120)).await;
    let behind =
        fired(&one, vec![start(&one, after_secs(60))], Some((after_secs(60), Some(after_secs(120)))));
    let late = execution_of(&one, after_secs(60)).id;
    assert_eq!(fire(store, &behind, after_secs(121)).await, Fired::Done(vec![late]), "a slot is a slot");
    let record = stored(store, &one).await;
    assert_eq!((record.cursor, record.next_run_at), (after_secs(120), Some(after_secs(180))));
    // Nothing was to be decided where something was due: it must not stay due.
    let nothing = fired(&one, Vec::new(), Some((after_secs(120), Some(after_secs(240)))));
    fire(store, &nothing, after_secs(180)).await;
    let record = stored(store, &one).await;
    assert_eq!((record.cursor, record.next_run_at), (after_secs(120), Some(after_secs(240))));
}

/// Runs by hand leave the cursor, and are made while the schedule is paused too.
pub async fn a_schedules_runs_by_hand_leave_the_cursor(store: &dyn Store) {
    let one = ScheduleRecord { is_paused: true, next_run_at: None, ..schedule("one") };
    created(store, &one).await;
    let by_hand = |reason, nominal| SlotDecision { reason, ..start(&one, nominal) };
    let manual = fired(&one, vec![by_hand("manual", after_secs(31))], None);
    assert_eq!(
        fire(store, &manual, after_secs(31)).await,
        Fired::Done(vec![execution_of(&one, after_secs(31)).id])
    );
    let nominals = [after_secs(-120), after_secs(-60)];
    let backfill = fired(&one, nominals.map(|nominal| by_hand("backfill", nominal)).to_vec(), None);
    let expected = nominals.map(|nominal| execution_of(&one, nominal).id).to_vec();
    assert_eq!(fire(store, &backfill, after_secs(32)).await, Fired::Done(expected));
    assert_eq!(stored(store, &one).await, one);
    let reasons: Vec<_> = runs(store, &one).await.into_iter().map(|run| run.reason).collect();
    assert_eq!(reasons, ["manual", "backfill", "backfill"]);
    let stale = ScheduleFire { version: 2, ..fired(&one, vec![by_hand("manual", after_secs(40))], None) };
    assert_eq!(fire(store, &stale, after_secs(40)).await, Fired::Stale);
}

/// An execution that may start later is scheduled; the slot is recorded at once.
pub async fn a_schedules_jitter_delays_the_job(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let mut new = execution_of(&one, after_secs(60));
    new.job.run_at = after_secs(75);
    let job_id = new.job.id;
    let slot = SlotDecision { action: SlotAction::Start(Box::new(new)), ..start(&one, after_secs(60)) };
    fire(store, &fired(&one, vec![slot], None), after_secs(60)).await;
    assert_eq!(status(store, job_id).await, JobStatus::Scheduled);
    assert_eq!(found(store, &one).await.open.len(), 1);
}
