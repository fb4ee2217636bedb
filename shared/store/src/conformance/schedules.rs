//! Schedules: stored, edited, listed.

use domain::access::TenantScope;
use domain::queue::{Tier, WorkflowRef};
use domain::schedule::{Interval, Misfire, Overlap, SchedulePolicy};
use domain::search::SearchList;
use domain::time::DurationMs;

use super::fixture::{after_secs, tenant, workflow};
use super::schedule_fixture::{ALL, created, schedule, stored};
use super::search::{found, search};
use crate::Store;
use crate::schedules::{ScheduleRecord, ScheduleSaved};

/// Every field is kept, and creating again changes nothing.
pub async fn a_schedule_is_stored_with_every_field(store: &dyn Store) {
    let full = ScheduleRecord {
        workflow: WorkflowRef { owner: Some(tenant("a")), name: workflow("w").name },
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
    let again = ScheduleRecord { cron: "1 1 1 1 *".to_owned(), ..full.clone() };
    assert_eq!(store.create_schedule(&again).await.expect("answers"), ScheduleSaved::Saved);
    let found = store.schedule(&ALL, full.id).await.expect("read works").expect("there");
    assert_eq!((found.record, found.open.len(), found.waiting), (full, 0, None));
}

/// An interval is kept, edited and given up, and a look finds one that is due.
pub async fn a_schedule_by_interval_is_kept_and_found(store: &dyn Store) {
    let interval = Interval { every: DurationMs::from_secs(10), anchor: after_secs(3) };
    let by_interval = ScheduleRecord {
        cron: String::new(),
        interval: Some(interval),
        next_run_at: Some(after_secs(13)),
        ..schedule("often")
    };
    created(store, &schedule("by cron")).await;
    created(store, &by_interval).await;
    assert_eq!(stored(store, &by_interval).await, by_interval);
    let is_due = async |now| store.is_interval_due(now).await.expect("look works");
    assert!(!is_due(after_secs(12)).await);
    assert!(is_due(after_secs(13)).await);
    let moved = Interval { every: DurationMs::from_secs(20), anchor: after_secs(4) };
    let edited = ScheduleRecord { interval: Some(moved), version: 2, ..by_interval.clone() };
    assert_eq!(store.replace_schedule(&ALL, &edited).await.expect("answers"), ScheduleSaved::Saved);
    assert_eq!(stored(store, &by_interval).await.interval, Some(moved));
    let by_cron = ScheduleRecord { interval: None, cron: "* * * * *".into(), version: 3, ..edited };
    assert_eq!(store.replace_schedule(&ALL, &by_cron).await.expect("answers"), ScheduleSaved::Saved);
    assert_eq!(stored(store, &by_interval).await.interval, None);
    assert!(!is_due(after_secs(99)).await, "those by expression have their minutes");
}

/// A name is one schedule's within a tenant.
pub async fn a_schedules_name_can_be_taken(store: &dyn Store) {
    let (first, second) = (schedule("one"), schedule("two"));
    created(store, &first).await;
    created(store, &second).await;
    let same = schedule("one");
    assert_eq!(store.create_schedule(&same).await.expect("answers"), ScheduleSaved::NameTaken);
    assert_eq!(store.schedule(&ALL, same.id).await.expect("answers"), None);
    let other_tenant = ScheduleRecord { tenant: tenant("b"), ..schedule("one") };
    created(store, &other_tenant).await;
    let renamed = ScheduleRecord { name: "one".to_owned(), version: 2, ..second.clone() };
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
        policy: SchedulePolicy { overlap: Overlap::Allow, ..SchedulePolicy::default() },
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
    let behind = ScheduleRecord { version: 3, cursor: after_secs(5), ..edited.clone() };
    assert_eq!(store.replace_schedule(&ALL, &behind).await.expect("answers"), ScheduleSaved::Saved);
    assert_eq!(stored(store, &first).await, ScheduleRecord { cursor: after_secs(10), ..behind });
    let unknown = ScheduleRecord { version: 2, ..schedule("unknown") };
    assert_eq!(store.replace_schedule(&ALL, &unknown).await.expect("answers"), ScheduleSaved::NotFound);
}

/// A tenant sees and changes its own schedules only.
pub async fn i13_schedules_stay_within_the_tenant(store: &dyn Store) {
    let own = schedule("own");
    let other = ScheduleRecord { tenant: tenant("b"), ..schedule("other") };
    created(store, &own).await;
    created(store, &other).await;
    let scope = TenantScope::One(tenant("a"));
    assert_eq!(store.schedule(&scope, other.id).await.expect("answers"), None);
    assert!(!store.delete_schedule(&scope, other.id).await.expect("answers"));
    let edited = ScheduleRecord { version: 2, ..other.clone() };
    assert_eq!(store.replace_schedule(&scope, &edited).await.expect("answers"), ScheduleSaved::NotFound);
    assert_eq!(stored(store, &other).await, other);
    assert!(store.schedules_of(&scope, &[other.id.uuid()]).await.expect("answers").is_empty());
    let listed = found(store, &scope, &search(SearchList::Schedules, "")).await;
    assert_eq!(store.schedules_of(&scope, &listed).await.expect("answers"), [own]);
}

/// Lists are newest first, filtered and paged.
pub async fn schedules_are_listed_newest_first(store: &dyn Store) {
    let first = schedule("first");
    let second = ScheduleRecord { is_paused: true, workflow: workflow("v"), ..schedule("second") };
    let third = ScheduleRecord { tenant: tenant("b"), ..schedule("third") };
    for one in [&first, &second, &third] {
        created(store, one).await;
    }
    for (query, expected) in [
        ("", vec!["third", "second", "first"]),
        ("tenant:b", vec!["third"]),
        ("workflow:v", vec!["second"]),
        ("paused:false", vec!["third", "first"]),
    ] {
        let ids = found(store, &ALL, &search(SearchList::Schedules, query)).await;
        let listed = store.schedules_of(&ALL, &ids).await.expect("what was found can be shown");
        assert_eq!(listed.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), expected, "{query}");
    }
}

/// Schedules that were computed with other time zone data are found, where they have a next instant.
pub async fn schedules_of_other_time_zone_data_are_found(store: &dyn Store) {
    let old = schedule("old");
    let ended = ScheduleRecord { next_run_at: None, ..schedule("ended") };
    let new = ScheduleRecord { tzdb_version: "2026b".to_owned(), ..schedule("new") };
    for one in [&old, &ended, &new] {
        created(store, one).await;
    }
    assert_eq!(store.schedules_of_other_tzdb("2026b", 10).await.expect("read works"), [old]);
    assert!(store.schedules_of_other_tzdb("2026b", 0).await.expect("read works").is_empty());
}
