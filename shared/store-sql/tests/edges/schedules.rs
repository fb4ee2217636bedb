//! Schedules that several nodes fire, edit and delete at the same time.

use std::sync::Arc;

use domain::id::{ExecutionId, JobId, ScheduleId};
use domain::queue::Tier;
use domain::schedule::SchedulePolicy;
use domain::time::Timestamp;
use store::conformance::fixture::{T0, after_secs, execution, id, tenant, workflow};
use store::executions::ExecutionStore as _;
use store::schedules::{
    Fired, ScheduleFire, ScheduleRecord, ScheduleSaved, ScheduleStore as _, SlotAction, SlotDecision,
};
use store_sql::SqlStore;
use testkit::database::TestStore;

use crate::fixture::ALL;

const SCHEDULES: usize = 30;
const NOMINALS: [Timestamp; 2] = [Timestamp(T0.0 + 60_000), Timestamp(T0.0 + 120_000)];

fn schedule(number: usize) -> ScheduleRecord {
    ScheduleRecord {
        id: id(),
        tenant: tenant("a"),
        name: format!("schedule {number}"),
        workflow: workflow("w"),
        cron: "* * * * *".to_owned(),
        interval: None,
        timezone: "UTC".to_owned(),
        input: "{}".to_owned(),
        tier: Tier::Normal,
        policy: SchedulePolicy::default(),
        is_paused: false,
        version: 1,
        cursor: T0,
        next_run_at: Some(NOMINALS[0]),
        tzdb_version: "2026a".to_owned(),
        created_at: T0,
        updated_at: T0,
    }
}

async fn created(store: &SqlStore) -> Vec<ScheduleRecord> {
    let schedules: Vec<ScheduleRecord> = (0..SCHEDULES).map(schedule).collect();
    for schedule in &schedules {
        let saved = store.create_schedule(schedule).await.expect("create works");
        assert_eq!(saved, ScheduleSaved::Saved);
    }
    schedules
}

/// A fire of both slots; the executions are the same whoever makes it.
fn fire(id: ScheduleId) -> ScheduleFire {
    let slots = NOMINALS.map(|nominal| {
        let mut new = execution("w");
        let part = nominal.to_string();
        new.id = ExecutionId::derive(id.uuid(), &[&part]);
        new.job.id = JobId::derive(id.uuid(), &[&part]);
        new.job.execution_id = Some(new.id);
        SlotDecision { nominal, reason: "tick", action: SlotAction::Start(Box::new(new)) }
    });
    ScheduleFire {
        id,
        version: 1,
        planned_from: None,
        slots: slots.to_vec(),
        advance: Some((NOMINALS[1], None)),
        settle_waiting: None,
    }
}

/// Another store on the same database: another node's on PostgreSQL, a companion on SQLite.
async fn second(test: &TestStore) -> Arc<SqlStore> {
    if test.store.is_postgres() {
        test.another().await
    } else {
        let companion = test.store.connect_companion(1).await;
        companion.expect("the database can be opened again")
    }
}

fn started(answers: &[Fired]) -> Vec<ExecutionId> {
    let executions = answers.iter().flat_map(|answer| match answer {
        Fired::Done(executions) => executions.clone(),
        Fired::Stale => Vec::new(),
    });
    executions.collect()
}

pub(crate) async fn i07_a_slot_fires_once_whoever_tries(test: &TestStore) {
    let schedules = created(&test.store).await;
    let stores = [Arc::clone(&test.store), second(test).await];
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..8 {
        let store = Arc::clone(&stores[task % 2]);
        let mut ids: Vec<ScheduleId> = schedules.iter().map(|schedule| schedule.id).collect();
        // Each in another order, and each with another part of the whole.
        ids.rotate_left(task * 7 % SCHEDULES);
        if task % 3 == 0 {
            ids.reverse();
        }
        ids.truncate(SCHEDULES - task);
        let fires: Vec<ScheduleFire> = ids.into_iter().map(fire).collect();
        tasks.spawn(async move {
            let answers = store.fire_schedules(&fires, NOMINALS[1]).await;
            started(&answers.expect("fire works"))
        });
    }
    let mut executions: Vec<ExecutionId> = tasks.join_all().await.into_iter().flatten().collect();
    assert_eq!(executions.len(), SCHEDULES * NOMINALS.len());
    executions.sort_unstable();
    executions.dedup();
    assert_eq!(executions.len(), SCHEDULES * NOMINALS.len());
    for schedule in &schedules {
        let found = test.store.schedule(&ALL, schedule.id).await.expect("read works");
        let found = found.expect("the schedule is there");
        assert_eq!(found.open.len(), NOMINALS.len());
        assert_eq!((found.record.cursor, found.record.next_run_at), (NOMINALS[1], None));
    }
}

pub(crate) async fn an_edit_and_a_fire_at_once_agree(test: &TestStore) {
    let schedules = created(&test.store).await;
    let fires: Vec<ScheduleFire> = schedules.iter().map(|schedule| fire(schedule.id)).collect();
    let (firing, editing) = (Arc::clone(&test.store), second(test).await);
    let (edited, deleted) = schedules.split_at(SCHEDULES / 2);
    let fired = async { firing.fire_schedules(&fires, NOMINALS[1]).await };
    let changed = async {
        for (edited, deleted) in edited.iter().zip(deleted) {
            let next = ScheduleRecord { version: 2, cursor: after_secs(1), ..edited.clone() };
            let saved = editing.replace_schedule(&ALL, &next).await.expect("replace works");
            assert_eq!(saved, ScheduleSaved::Saved);
            assert!(editing.delete_schedule(&ALL, deleted.id).await.expect("delete works"));
        }
    };
    let (answers, ()) = tokio::join!(fired, changed);
    let answers = answers.expect("fire works");
    for (schedule, answer) in edited.iter().zip(&answers) {
        let found = test.store.schedule(&ALL, schedule.id).await.expect("read works");
        let found = found.expect("the schedule is there");
        let runs = test.store.recorded_slots(schedule.id, &NOMINALS).await;
        let expected = if *answer == Fired::Stale { 0 } else { NOMINALS.len() };
        assert_eq!(runs.expect("read works").len(), expected);
        assert_eq!((found.record.version, found.open.len()), (2, expected));
        let cursor = if *answer == Fired::Stale { after_secs(1) } else { NOMINALS[1] };
        assert_eq!(found.record.cursor, cursor);
    }
    for schedule in deleted {
        let runs = test.store.recorded_slots(schedule.id, &NOMINALS).await;
        assert!(runs.expect("read works").is_empty(), "no history without a schedule");
    }
    for execution in started(&answers) {
        let found = test.store.execution(&ALL, execution).await.expect("read works");
        assert!(found.is_some(), "executions stay");
    }
}
