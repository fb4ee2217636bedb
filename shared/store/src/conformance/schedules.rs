//! Schedules: stored, edited, listed, found when they are due.

use domain::access::TenantScope;
use domain::lane::WorkflowRef;
use domain::queue::Tier;
use domain::schedule::{Misfire, Overlap, SchedulePolicy};
use domain::time::{DurationMs, Timestamp};

use super::fixture::{T0, after_secs, id, tenant, version, workflow};
use super::schedule_fires::{fired, start};
use crate::Store;
use crate::operations::Retention;
use crate::page::PageRequest;
use crate::schedules::{ScheduleFilter, ScheduleFire, ScheduleRecord, ScheduleSaved};

pub(super) const ALL: TenantScope = TenantScope::All;

/// A schedule of tenant `a`, each minute, next due a minute after the beginning.
pub(super) fn schedule(name: &str) -> ScheduleRecord {
    ScheduleRecord {
        id: id(),
        tenant: tenant("a"),
        name: name.to_owned(),
        workflow: workflow("w"),
        cron: "* * * * *".to_owned(),
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
pub(super) async fn created(store: &dyn Store, schedule: &ScheduleRecord) {
    store.register_workflow(&version("w")).await.expect("register works");
    let saved = store.create_schedule(schedule).await.expect("create works");
    assert_eq!(saved, ScheduleSaved::Saved);
}

/// A schedule as it is stored.
pub(super) async fn stored(store: &dyn Store, schedule: &ScheduleRecord) -> ScheduleRecord {
    let found = store.schedule(&ALL, schedule.id).await.expect("read works");
    found.expect("the schedule is there").record
}

/// The names of what is due.
pub(super) async fn due(store: &dyn Store, now: Timestamp, limit: u32) -> Vec<String> {
    let due = store.due_schedules(now, limit).await.expect("read works");
    due.into_iter().map(|schedule| schedule.record.name).collect()
}

/// Every field is kept, and creating again changes nothing.
pub async fn a_schedule_is_stored_with_every_field(store: &dyn Store) {
    let full = ScheduleRecord {
        workflow: WorkflowRef {
            owner: Some(tenant("a")),
            name: workflow("w").name,
        },
        cron: "0 9 * * MON-FRI".to_owned(),
        timezone: "Europe/Berlin".to_owned(),
        tier: Tier::High,
        policy: SchedulePolicy {
            misfire: Misfire::All,
            catch_up_window: DurationMs::from_secs(3_600),
            catch_up_max: 7,
            overlap: Overlap::QueueOne,
            jitter: DurationMs::from_secs(30),
            start_at: Some(after_secs(1)),
            end_at: Some(after_secs(9_000)),
        },
        is_paused: true,
        next_run_at: None,
        updated_at: after_secs(2),
        ..schedule("full")
    };
    created(store, &full).await;
    let again = ScheduleRecord {
        cron: "1 1 1 1 *".to_owned(),
        ..full.clone()
    };
    assert_eq!(store.create_schedule(&again).await.expect("answers"), ScheduleSaved::Saved);
    let found = store.schedule(&ALL, full.id).await.expect("read works").expect("there");
    assert_eq!((found.record, found.open.len(), found.waiting), (full, 0, None));
}

/// A name is one schedule's within a tenant.
pub async fn a_schedules_name_can_be_taken(store: &dyn Store) {
    let (first, second) = (schedule("one"), schedule("two"));
    created(store, &first).await;
    created(store, &second).await;
    let same = schedule("one");
    assert_eq!(store.create_schedule(&same).await.expect("answers"), ScheduleSaved::NameTaken);
    assert_eq!(store.schedule(&ALL, same.id).await.expect("answers"), None);
    let other_tenant = ScheduleRecord {
        tenant: tenant("b"),
        ..schedule("one")
    };
    created(store, &other_tenant).await;
    let renamed = ScheduleRecord {
        name: "one".to_owned(),
        version: 2,
        ..second.clone()
    };
    let saved = store.replace_schedule(&ALL, &renamed).await.expect("answers");
    assert_eq!(saved, ScheduleSaved::NameTaken);
    assert_eq!(stored(store, &second).await, second);
}

/// An edit is refused when there was another one, and never moves the cursor back.
pub async fn a_schedules_edit_needs_the_version_it_saw(store: &dyn Store) {
    let first = schedule("one");
    created(store, &first).await;
    let edited = ScheduleRecord {
        name: "uno".to_owned(),
        workflow: workflow("other"),
        cron: "*/5 * * * *".to_owned(),
        policy: SchedulePolicy {
            overlap: Overlap::Allow,
            ..SchedulePolicy::default()
        },
        is_paused: true,
        version: 2,
        cursor: after_secs(10),
        next_run_at: None,
        updated_at: after_secs(10),
        ..first.clone()
    };
    assert_eq!(store.replace_schedule(&ALL, &edited).await.expect("answers"), ScheduleSaved::Saved);
    assert_eq!(stored(store, &first).await, edited);
    assert_eq!(store.replace_schedule(&ALL, &edited).await.expect("answers"), ScheduleSaved::Stale);
    let behind = ScheduleRecord {
        version: 3,
        cursor: after_secs(5),
        ..edited.clone()
    };
    assert_eq!(store.replace_schedule(&ALL, &behind).await.expect("answers"), ScheduleSaved::Saved);
    assert_eq!(stored(store, &first).await, ScheduleRecord { cursor: after_secs(10), ..behind });
    let unknown = ScheduleRecord {
        version: 2,
        ..schedule("unknown")
    };
    assert_eq!(store.replace_schedule(&ALL, &unknown).await.expect("answers"), ScheduleSaved::NotFound);
}

/// What is due comes longest overdue first, at most as much as is asked for.
pub async fn due_schedules_come_longest_overdue_first(store: &dyn Store) {
    for (name, at) in [("late", 30), ("later", 20), ("latest", 10), ("at once", 60), ("not yet", 61)] {
        let one = ScheduleRecord {
            next_run_at: Some(after_secs(at)),
            ..schedule(name)
        };
        created(store, &one).await;
    }
    let ended = ScheduleRecord {
        next_run_at: None,
        ..schedule("ended")
    };
    created(store, &ended).await;
    assert_eq!(due(store, after_secs(60), 10).await, ["latest", "later", "late", "at once"]);
    assert_eq!(due(store, after_secs(60), 2).await, ["latest", "later"]);
    assert!(due(store, after_secs(9), 10).await.is_empty());
}

/// A paused schedule is not due, whatever its next instant says.
pub async fn a_paused_schedule_is_not_due(store: &dyn Store) {
    let one = schedule("one");
    created(store, &one).await;
    let paused = ScheduleRecord {
        is_paused: true,
        version: 2,
        ..one.clone()
    };
    store.replace_schedule(&ALL, &paused).await.expect("answers");
    assert!(due(store, after_secs(600), 10).await.is_empty());
    let tick = fired(&one, vec![start(&one, after_secs(60))], Some((after_secs(60), None)));
    let tick = ScheduleFire { version: 2, ..tick };
    let answers = store.fire_schedules(&[tick], after_secs(60)).await.expect("answers");
    assert_eq!(answers, [crate::schedules::Fired::Stale]);
    let resumed = ScheduleRecord {
        is_paused: false,
        version: 3,
        ..paused
    };
    store.replace_schedule(&ALL, &resumed).await.expect("answers");
    assert_eq!(due(store, after_secs(600), 10).await, ["one"]);
}

/// A tenant sees and changes its own schedules only.
pub async fn i13_schedules_stay_within_the_tenant(store: &dyn Store) {
    let own = schedule("own");
    let other = ScheduleRecord {
        tenant: tenant("b"),
        ..schedule("other")
    };
    created(store, &own).await;
    created(store, &other).await;
    let scope = TenantScope::One(tenant("a"));
    assert_eq!(store.schedule(&scope, other.id).await.expect("answers"), None);
    assert_eq!(store.schedule_runs(&scope, other.id, None, 10).await.expect("answers"), None);
    assert!(!store.delete_schedule(&scope, other.id).await.expect("answers"));
    let edited = ScheduleRecord {
        version: 2,
        ..other.clone()
    };
    assert_eq!(store.replace_schedule(&scope, &edited).await.expect("answers"), ScheduleSaved::NotFound);
    assert_eq!(stored(store, &other).await, other);
    let page = PageRequest { limit: 10, after: None };
    let listed = store.list_schedules(&scope, &ScheduleFilter::default(), page).await.expect("list works");
    assert_eq!(listed.items, [own]);
}

/// Lists are newest first, filtered and paged.
pub async fn schedules_are_listed_newest_first(store: &dyn Store) {
    let first = schedule("first");
    let second = ScheduleRecord {
        is_paused: true,
        workflow: workflow("v"),
        ..schedule("second")
    };
    let third = ScheduleRecord {
        tenant: tenant("b"),
        ..schedule("third")
    };
    for one in [&first, &second, &third] {
        created(store, one).await;
    }
    let listed = async |filter: ScheduleFilter, page: PageRequest| {
        let page = store.list_schedules(&ALL, &filter, page).await.expect("list works");
        let names: Vec<String> = page.items.into_iter().map(|schedule| schedule.name).collect();
        (names, page.next)
    };
    let page = PageRequest { limit: 2, after: None };
    let (names, next) = listed(ScheduleFilter::default(), page).await;
    assert_eq!((names, next), (vec!["third".to_owned(), "second".to_owned()], Some(second.id.uuid())));
    let (names, next) = listed(ScheduleFilter::default(), PageRequest { after: next, ..page }).await;
    assert_eq!((names, next), (vec!["first".to_owned()], None));
    let by_tenant = ScheduleFilter {
        tenant: Some(tenant("b")),
        ..ScheduleFilter::default()
    };
    assert_eq!(listed(by_tenant, page).await.0, ["third"]);
    let by_workflow = ScheduleFilter {
        workflow: Some(workflow("v").name),
        ..ScheduleFilter::default()
    };
    assert_eq!(listed(by_workflow, page).await.0, ["second"]);
    let running = ScheduleFilter {
        is_paused: Some(false),
        ..ScheduleFilter::default()
    };
    assert_eq!(listed(running, page).await.0, ["third", "first"]);
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
    assert_eq!(store.schedule_runs(&ALL, one.id, None, 10).await.expect("answers"), None);
    assert!(store.recorded_slots(one.id, &[after_secs(60)]).await.expect("answers").is_empty());
    assert!(store.execution(&ALL, open[0]).await.expect("read works").is_some());
    let answers = store.fire_schedules(&[fire], after_secs(61)).await.expect("answers");
    assert_eq!(answers, [crate::schedules::Fired::Stale]);
}

/// Schedules that were computed with other time zone data are found, where they have a next instant.
pub async fn schedules_of_other_time_zone_data_are_found(store: &dyn Store) {
    let old = schedule("old");
    let ended = ScheduleRecord {
        next_run_at: None,
        ..schedule("ended")
    };
    let new = ScheduleRecord {
        tzdb_version: "2026b".to_owned(),
        ..schedule("new")
    };
    for one in [&old, &ended, &new] {
        created(store, one).await;
    }
    assert_eq!(store.schedules_of_other_tzdb("2026b", 10).await.expect("read works"), [old]);
    assert!(store.schedules_of_other_tzdb("2026b", 0).await.expect("read works").is_empty());
}

/// Pruning leaves the newest slot of each schedule, and those that wait.
pub async fn pruning_leaves_the_newest_slot_of_schedules(store: &dyn Store) {
    use super::schedule_fires::{run_of, waiting};
    let (one, other) = (schedule("one"), schedule("other"));
    created(store, &one).await;
    created(store, &other).await;
    let slots = |of: &ScheduleRecord| vec![waiting(after_secs(60)), start(of, after_secs(120)), start(of, after_secs(180))];
    let fires = [fired(&one, slots(&one), None), fired(&other, vec![start(&other, after_secs(60))], None)];
    store.fire_schedules(&fires, after_secs(180)).await.expect("fire works");
    let never = Timestamp(0);
    let retention = Retention {
        completed_before: never,
        failed_before: never,
        cancelled_before: never,
        archive_before: never,
        executions_before: never,
        schedule_runs_before: after_secs(180),
        idempotency_before: never,
        audit_before: never,
        workers_before: never,
    };
    assert_eq!(store.prune(&retention, 10).await.expect("prune works"), 0, "not old enough");
    let later = Retention {
        schedule_runs_before: after_secs(181),
        ..retention
    };
    assert_eq!(store.prune(&later, 10).await.expect("prune works"), 1);
    assert_eq!(store.prune(&later, 10).await.expect("prune works"), 0);
    assert_eq!(run_of(store, &one, after_secs(60)).await.map(|run| run.status), Some("waiting".to_owned()));
    assert_eq!(run_of(store, &one, after_secs(120)).await, None);
    assert!(run_of(store, &one, after_secs(180)).await.is_some());
    assert!(run_of(store, &other, after_secs(60)).await.is_some());
}
