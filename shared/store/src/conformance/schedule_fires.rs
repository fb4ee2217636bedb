//! Firing schedules: each slot once, in one commit with what it starts and with the cursor.

use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::time::Timestamp;

use super::fixture::{after_secs, execution, id, status};
use super::schedules::{ALL, created, due, schedule, stored};
use crate::Store;
use crate::executions::{InboxEntry, NewExecution};
use crate::schedules::{
    DueSchedule, Fired, ScheduleFire, ScheduleRecord, ScheduleRunRecord, SlotAction, SlotDecision,
};

/// The execution of a slot; the same one each time.
fn execution_of(schedule: &ScheduleRecord, nominal: Timestamp) -> NewExecution {
    let nominal_text = nominal.to_string();
    let execution_id = ExecutionId::derive(schedule.id.uuid(), &[&nominal_text]);
    let mut new = execution("w");
    new.id = execution_id;
    new.job.id = JobId::derive(schedule.id.uuid(), &[&nominal_text]);
    new.job.execution_id = Some(execution_id);
    new.job.run_at = nominal;
    new
}

/// A tick that starts its execution.
pub(super) fn start(schedule: &ScheduleRecord, nominal: Timestamp) -> SlotDecision {
    SlotDecision {
        nominal,
        reason: "tick",
        action: SlotAction::Start(Box::new(execution_of(schedule, nominal))),
    }
}

/// A tick that waits.
pub(super) fn waiting(nominal: Timestamp) -> SlotDecision {
    SlotDecision {
        nominal,
        reason: "tick",
        action: SlotAction::Wait,
    }
}

fn skip(nominal: Timestamp, reason: &'static str) -> SlotDecision {
    SlotDecision {
        nominal,
        reason: "tick",
        action: SlotAction::Skip { reason },
    }
}

/// A fire of a schedule in its first version.
pub(super) fn fired(
    schedule: &ScheduleRecord,
    slots: Vec<SlotDecision>,
    advance: Option<(Timestamp, Option<Timestamp>)>,
) -> ScheduleFire {
    ScheduleFire {
        id: schedule.id,
        version: 1,
        slots,
        advance,
        settle_waiting: None,
    }
}

async fn fire(store: &dyn Store, fire: &ScheduleFire, now: Timestamp) -> Fired {
    let mut answers = store.fire_schedules(std::slice::from_ref(fire), now).await.expect("fire works");
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

async fn found(store: &dyn Store, schedule: &ScheduleRecord) -> DueSchedule {
    store.schedule(&ALL, schedule.id).await.expect("read works").expect("the schedule is there")
}

async fn runs(store: &dyn Store, schedule: &ScheduleRecord) -> Vec<ScheduleRunRecord> {
    store.schedule_runs(&ALL, schedule.id, None, 100).await.expect("read works").expect("the schedule is there")
}

/// What became of a slot.
pub(super) async fn run_of(
    store: &dyn Store,
    schedule: &ScheduleRecord,
    nominal: Timestamp,
) -> Option<ScheduleRunRecord> {
    runs(store, schedule).await.into_iter().find(|run| run.nominal == nominal)
}

async fn cancel(store: &dyn Store, execution: ExecutionId) {
    let entry = InboxEntry::Cancel { reason: None };
    store.append_command(&ALL, execution, &entry, after_secs(1)).await.expect("append works");
}

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
    let edited = ScheduleFire {
        version: 7,
        ..tick(&other)
    };
    let fires = [tick(&gone), tick(&one), edited, tick(&other), tick(&one)];
    let answers = store.fire_schedules(&fires, nominal).await.expect("fire works");
    let started = |of: &ScheduleRecord| Fired::Done(vec![execution_of(of, nominal).id]);
    assert_eq!(answers, [Fired::Stale, started(&one), Fired::Stale, started(&other), Fired::Done(Vec::new())]);
    assert!(store.fire_schedules(&[], nominal).await.expect("fire works").is_empty());
}

/// A fire that was decided on another version writes nothing.
pub async fn a_stale_version_fires_nothing(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let edited = ScheduleRecord {
        version: 2,
        next_run_at: Some(after_secs(90)),
        ..one.clone()
    };
    store.replace_schedule(&ALL, &edited).await.expect("replace works");
    let tick = fired(&one, vec![start(&one, after_secs(60))], Some((after_secs(60), Some(after_secs(120)))));
    assert_eq!(fire(store, &tick, after_secs(60)).await, Fired::Stale);
    assert_eq!(stored(store, &one).await, edited);
    assert!(runs(store, &one).await.is_empty());
    let execution = execution_of(&one, after_secs(60)).id;
    assert_eq!(store.execution(&ALL, execution).await.expect("answers"), None);
}

/// The cursor never goes back, and a fire behind it leaves the next instant.
pub async fn a_schedules_cursor_never_goes_back(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let ahead = fired(&one, vec![start(&one, after_secs(120))], Some((after_secs(120), Some(after_secs(180)))));
    fire(store, &ahead, after_secs(120)).await;
    let behind = fired(&one, vec![start(&one, after_secs(60))], Some((after_secs(60), Some(after_secs(120)))));
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
    assert_eq!((run.status.as_str(), run.execution_id, run.decided_at), ("fired", Some(started), after_secs(200)));
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

/// Runs by hand leave the cursor, and are made while the schedule is paused too.
pub async fn a_schedules_runs_by_hand_leave_the_cursor(store: &dyn Store) {
    let one = ScheduleRecord {
        is_paused: true,
        next_run_at: None,
        ..schedule("one")
    };
    created(store, &one).await;
    let by_hand = |reason, nominal| SlotDecision {
        reason,
        ..start(&one, nominal)
    };
    let manual = fired(&one, vec![by_hand("manual", after_secs(31))], None);
    assert_eq!(fire(store, &manual, after_secs(31)).await, Fired::Done(vec![execution_of(&one, after_secs(31)).id]));
    let nominals = [after_secs(-120), after_secs(-60)];
    let backfill = fired(&one, nominals.map(|nominal| by_hand("backfill", nominal)).to_vec(), None);
    let expected = nominals.map(|nominal| execution_of(&one, nominal).id).to_vec();
    assert_eq!(fire(store, &backfill, after_secs(32)).await, Fired::Done(expected));
    assert_eq!(stored(store, &one).await, one);
    let reasons: Vec<_> = runs(store, &one).await.into_iter().map(|run| run.reason).collect();
    assert_eq!(reasons, ["manual", "backfill", "backfill"]);
    let stale = ScheduleFire {
        version: 2,
        ..fired(&one, vec![by_hand("manual", after_secs(40))], None)
    };
    assert_eq!(fire(store, &stale, after_secs(40)).await, Fired::Stale);
}

/// An execution that may start later is scheduled; the slot is recorded at once.
pub async fn a_schedules_jitter_delays_the_job(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let mut new = execution_of(&one, after_secs(60));
    new.job.run_at = after_secs(75);
    let job_id = new.job.id;
    let slot = SlotDecision {
        action: SlotAction::Start(Box::new(new)),
        ..start(&one, after_secs(60))
    };
    fire(store, &fired(&one, vec![slot], None), after_secs(60)).await;
    assert_eq!(status(store, job_id).await, JobStatus::Scheduled);
    assert_eq!(found(store, &one).await.open.len(), 1);
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
    let due = store.due_schedules(after_secs(60), 10).await.expect("read works");
    assert_eq!(due.iter().map(|due| due.open.len()).collect::<Vec<_>>(), [2, 3]);
}

/// The history is latest first and comes in parts.
pub async fn a_schedules_history_is_latest_first(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let nominals = [after_secs(120), after_secs(60), after_secs(180)];
    let slots = nominals.map(|nominal| skip(nominal, "overlap")).to_vec();
    fire(store, &fired(&one, slots, None), after_secs(200)).await;
    let part = async |before, limit| {
        let runs = store.schedule_runs(&ALL, one.id, before, limit).await.expect("read works").expect("there");
        runs.into_iter().map(|run| run.nominal).collect::<Vec<_>>()
    };
    assert_eq!(part(None, 2).await, [after_secs(180), after_secs(120)]);
    assert_eq!(part(Some(after_secs(120)), 2).await, [after_secs(60)]);
    assert_eq!(store.schedule_runs(&ALL, id(), None, 10).await.expect("answers"), None);
}

/// Recorded slots are told from others, in order.
pub async fn a_schedules_recorded_slots_are_known(store: &dyn Store) {
    let (one, other) = (schedule("one"), schedule("other"));
    created(store, &one).await;
    created(store, &other).await;
    let slots = vec![skip(after_secs(120), "overlap"), start(&one, after_secs(60)), waiting(after_secs(180))];
    fire(store, &fired(&one, slots, None), after_secs(200)).await;
    fire(store, &fired(&other, vec![start(&other, after_secs(240))], None), after_secs(240)).await;
    let asked = [after_secs(240), after_secs(180), after_secs(120), after_secs(60), after_secs(61)];
    let recorded = store.recorded_slots(one.id, &asked).await.expect("read works");
    assert_eq!(recorded, [after_secs(60), after_secs(120), after_secs(180)]);
    assert!(store.recorded_slots(one.id, &[]).await.expect("read works").is_empty());
}
