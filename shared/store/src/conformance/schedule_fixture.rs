//! What cases about schedules share: one of each minute, its slots, and calls that are expected to work.

use domain::access::TenantScope;
use domain::id::{ExecutionId, JobId};
use domain::queue::Tier;
use domain::schedule::SchedulePolicy;
use domain::search::{Order, Search, SearchList, Term, TermValue};
use domain::time::Timestamp;

use super::fixture::{T0, after_secs, execution, id, tenant, version, workflow};
use super::search;
use crate::Store;
use crate::executions::{InboxEntry, NewExecution};
use crate::schedules::{
    DueSchedule, Fired, ScheduleFire, ScheduleRecord, ScheduleRunRecord, ScheduleSaved, SlotAction,
    SlotDecision,
};
use crate::search::Counted;

/// Everybody's schedules.
pub(super) const ALL: TenantScope = TenantScope::All;

/// A schedule of tenant `a`, each minute, next due a minute after the beginning.
pub fn schedule(name: &str) -> ScheduleRecord {
    ScheduleRecord {
        id: id(),
        tenant: tenant("a"),
        name: name.to_owned(),
        workflow: workflow("w"),
        cron: "* * * * *".to_owned(),
        interval: None,
        timezone: "UTC".to_owned(),
        input: r#"{"x":1}"#.to_owned(),
        tier: Tier::Normal,
        policy: SchedulePolicy::default(),
        is_paused: false,
        version: 1,
        cursor: T0,
        next_run_at: Some(after_secs(60)),
        tzdb_version: "2026a".to_owned(),
        created_at: T0,
        updated_at: T0,
    }
}

/// Stores a schedule and the workflow that it starts.
pub async fn created(store: &dyn Store, schedule: &ScheduleRecord) {
    store.register_workflow(&version("w")).await.expect("register works");
    let saved = store.create_schedule(schedule).await.expect("create works");
    assert_eq!(saved, ScheduleSaved::Saved);
}

/// A schedule as it is stored.
pub async fn stored(store: &dyn Store, schedule: &ScheduleRecord) -> ScheduleRecord {
    let found = store.schedule(&ALL, schedule.id).await.expect("read works");
    found.expect("the schedule is there").record
}

/// The names of what is due.
pub(super) async fn due(store: &dyn Store, now: Timestamp, limit: u32) -> Vec<String> {
    let due = store.due_schedules(now, limit, u64::MAX, &[]).await.expect("read works");
    due.into_iter().map(|schedule| schedule.record.name).collect()
}

/// The execution of a slot; the same one each time.
pub fn execution_of(schedule: &ScheduleRecord, nominal: Timestamp) -> NewExecution {
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
pub fn start(schedule: &ScheduleRecord, nominal: Timestamp) -> SlotDecision {
    SlotDecision {
        nominal,
        reason: "tick",
        action: SlotAction::Start(Box::new(execution_of(schedule, nominal))),
    }
}

/// A tick that waits.
pub(super) fn waiting(nominal: Timestamp) -> SlotDecision {
    SlotDecision { nominal, reason: "tick", action: SlotAction::Wait }
}

/// A tick that is given up.
pub(super) fn skip(nominal: Timestamp, reason: &'static str) -> SlotDecision {
    SlotDecision { nominal, reason: "tick", action: SlotAction::Skip { reason } }
}

/// A fire of a schedule in its first version.
pub fn fired(
    schedule: &ScheduleRecord,
    slots: Vec<SlotDecision>,
    advance: Option<(Timestamp, Option<Timestamp>)>,
) -> ScheduleFire {
    ScheduleFire { id: schedule.id, version: 1, planned_from: None, slots, advance, settle_waiting: None }
}

/// Commits one fire.
pub(super) async fn fire(store: &dyn Store, fire: &ScheduleFire, now: Timestamp) -> Fired {
    let mut answers = store.fire_schedules(std::slice::from_ref(fire), now).await.expect("fire works");
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

/// A schedule with what runs and waits of it.
pub(super) async fn found(store: &dyn Store, schedule: &ScheduleRecord) -> DueSchedule {
    store.schedule(&ALL, schedule.id).await.expect("read works").expect("the schedule is there")
}

/// The history of a schedule.
pub(super) async fn runs(store: &dyn Store, schedule: &ScheduleRecord) -> Vec<ScheduleRunRecord> {
    runs_found(store, schedule, "", Order::Desc).await
}

/// The slots of a schedule that a query finds.
pub(super) async fn runs_found(
    store: &dyn Store,
    schedule: &ScheduleRecord,
    query: &str,
    order: Order,
) -> Vec<ScheduleRunRecord> {
    let mut search = Search { order, ..search::search(SearchList::Runs, query) };
    search.terms.push(Term::is("scheduleId", TermValue::Id(schedule.id.uuid())));
    let ids = search::found(store, &ALL, &search).await;
    let counted = store.count_found(&ALL, &search, 100).await.expect("counting works");
    assert_eq!(counted, Counted::exactly(ids.len() as u64), "{query}");
    let runs = store.runs_of(schedule.id, &ids).await.expect("they can be read");
    assert_eq!(runs.len(), ids.len());
    runs
}

/// What became of a slot.
pub(super) async fn run_of(
    store: &dyn Store,
    schedule: &ScheduleRecord,
    nominal: Timestamp,
) -> Option<ScheduleRunRecord> {
    runs(store, schedule).await.into_iter().find(|run| run.nominal == nominal)
}

/// Ends an execution that nobody took up.
pub(super) async fn cancel(store: &dyn Store, execution: ExecutionId) {
    let entry = InboxEntry::Cancel { reason: None, compensate: false };
    store
        .append_command(&ALL, execution, super::fixture::id(), &entry, after_secs(1))
        .await
        .expect("append works");
}
