//! Alerts: one writer at a time, one open alert for a rule and labels, notifications that one sends.

use domain::alerting::{Alert, AlertStatus, Labels, Severity, Silence};
use domain::failure::{DeadReason, JobError};
use domain::id::AlertId;
use domain::job::Disposition;
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use uuid::Uuid;

use super::fixture::{T0, after_secs, claim_nodes, complete, enqueue, id, jobs, lease};
use crate::alerts::{
    AlertFilter, Evaluated, NamedSpec, Notification, NotificationStatus, SealedSecret, SpecKind,
};
use crate::jobs::Settlement;
use crate::{PageRequest, Store};

const PAGE: PageRequest = PageRequest { limit: 50, after: None };

fn alert(status: AlertStatus) -> Alert {
    Alert {
        id: id(),
        rule: "depth".into(),
        severity: Severity::Warning,
        status,
        labels: Labels::from([("queue".into(), "workflow-node".into())]),
        value: 12.5,
        threshold: 10.0,
        summary: "deep".into(),
        started_at: T0,
        fired_at: None,
        clear_since: None,
        resolved_at: None,
        silenced_by: None,
        notified_at: None,
    }
}

fn notification(of: Option<AlertId>, due_at: Timestamp) -> Notification {
    Notification {
        id: id(),
        alert_id: of,
        route: "on-call".into(),
        kind: "alert.firing".into(),
        body: "{}".into(),
        status: NotificationStatus::Pending,
        tries: 0,
        due_at,
        error: None,
        created_at: T0,
        sent_at: None,
    }
}

async fn take_turn(store: &dyn Store, holder: u128, until: i64, now: i64) -> bool {
    let holder = Uuid::from_u128(holder);
    store.take_alert_turn(holder, after_secs(until), after_secs(now)).await.expect("it answers")
}

/// Whether it was written by this holder.
async fn commit(store: &dyn Store, holder: u128, evaluated: &Evaluated, now: i64) -> bool {
    store.commit_alerts(Uuid::from_u128(holder), evaluated, after_secs(now)).await.expect("it answers")
}

fn keeping(alert: &Alert) -> Evaluated {
    Evaluated { keep: vec![alert.clone()], ..Evaluated::default() }
}

async fn open(store: &dyn Store) -> Vec<Alert> {
    store.open_alerts().await.expect("read works")
}

/// Only who has the turn writes, and of a rule and labels one alert is open.
pub async fn one_alert_is_open_for_a_rule_and_labels(store: &dyn Store) {
    assert!(take_turn(store, 1, 30, 0).await);
    assert!(!take_turn(store, 2, 31, 1).await, "somebody has it");
    assert!(take_turn(store, 1, 40, 10).await, "who has it keeps it");
    let firing = Alert { fired_at: Some(after_secs(1)), ..alert(AlertStatus::Firing) };
    let note = notification(Some(firing.id), after_secs(1));
    let evaluated = Evaluated { notify: vec![note], ..keeping(&firing) };
    assert!(commit(store, 1, &evaluated, 11).await);
    assert!(!commit(store, 2, &evaluated, 11).await);
    assert_eq!(open(store).await, std::slice::from_ref(&firing));
    let second = keeping(&alert(AlertStatus::Pending));
    let refused = store.commit_alerts(Uuid::from_u128(1), &second, after_secs(12)).await;
    assert!(refused.is_err(), "one is open already");

    assert!(take_turn(store, 2, 90, 41).await, "its time is over");
    assert!(!commit(store, 1, &evaluated, 42).await, "it is fenced");
    let (status, resolved_at) = (AlertStatus::Resolved, Some(after_secs(50)));
    let resolved = Alert { status, resolved_at, value: 0.0, ..firing };
    assert!(commit(store, 2, &keeping(&resolved), 50).await);
    let next = alert(AlertStatus::Pending);
    assert!(commit(store, 2, &keeping(&next), 51).await, "the first one has ended");
    assert_eq!(open(store).await, std::slice::from_ref(&next));
    let dropped = Evaluated { drop: vec![next.id], ..Evaluated::default() };
    assert!(commit(store, 2, &dropped, 52).await);
    assert!(open(store).await.is_empty());

    let list = async |filter: AlertFilter| store.list_alerts(&filter, PAGE).await.expect("list works").items;
    let firing = AlertFilter { statuses: vec![AlertStatus::Firing], ..AlertFilter::default() };
    assert!(list(firing).await.is_empty());
    let ended = AlertFilter {
        statuses: vec![AlertStatus::Resolved, AlertStatus::Firing],
        rule: Some("depth".into()),
        severity: Some(Severity::Warning),
    };
    assert_eq!(list(ended).await, [resolved]);
    let pruned = store.prune_alerts(after_secs(51), 10).await.expect("prune works");
    assert_eq!(pruned, 1, "a notification that is to be sent stays");
}

/// An alert that was sent and ended under a silence is found until it is kept without one.
pub async fn an_end_under_a_silence_is_found_until_it_is_sent(store: &dyn Store) {
    assert!(take_turn(store, 1, 90, 0).await);
    let ended = |at: i64, sent: bool, silenced: bool| Alert {
        resolved_at: Some(after_secs(at)),
        notified_at: sent.then_some(T0),
        silenced_by: silenced.then(id),
        ..alert(AlertStatus::Resolved)
    };
    let (late, early) = (ended(9, true, true), ended(5, true, true));
    let firing = Alert { notified_at: Some(T0), silenced_by: Some(id()), ..alert(AlertStatus::Firing) };
    let others = [ended(6, false, true), ended(7, true, false), firing];
    let keep: Vec<Alert> = [late.clone(), early.clone()].into_iter().chain(others).collect();
    assert!(commit(store, 1, &Evaluated { keep, ..Evaluated::default() }, 10).await);
    let found = async || store.silenced_ends().await.expect("read works");
    assert_eq!(found().await, [early.clone(), late.clone()]);
    assert!(commit(store, 1, &keeping(&Alert { silenced_by: None, ..early }), 11).await);
    assert_eq!(found().await, [late]);
}

/// Rules and routes are kept by name, silences until they end.
pub async fn rules_routes_and_silences_are_kept(store: &dyn Store) {
    let secret = SealedSecret { id: id(), key_id: "k1".into(), sealed: vec![7; 40] };
    let route =
        NamedSpec { name: "a".into(), spec: "{}".into(), secret: Some(secret), changed_at: after_secs(1) };
    let put = async |kind: SpecKind, spec: &NamedSpec| {
        store.put_alert_spec(kind, spec, 1, &[]).await.expect("put works")
    };
    let list = async |kind: SpecKind| store.alert_specs(kind).await.expect("list works");
    assert!(put(SpecKind::Route, &route).await);
    let changed = NamedSpec { spec: "{\"b\":1}".into(), secret: None, ..route.clone() };
    assert!(put(SpecKind::Rule, &changed).await, "rules are counted by themselves");
    assert!(
        !put(SpecKind::Route, &NamedSpec { name: "b".into(), ..route.clone() }).await,
        "there are enough"
    );
    assert_eq!(list(SpecKind::Route).await, [route]);
    assert!(put(SpecKind::Route, &changed).await);
    assert_eq!(list(SpecKind::Route).await, [changed]);
    assert!(store.delete_alert_spec(SpecKind::Route, "a", &[]).await.expect("delete works"));
    assert!(!store.delete_alert_spec(SpecKind::Route, "a", &[]).await.expect("delete works"));
    assert_eq!(list(SpecKind::Rule).await.len(), 1);

    let silence = Silence {
        id: id(),
        rule: None,
        labels: Labels::from([("queue".into(), "q".into())]),
        until: after_secs(60),
        reason: "maintenance".into(),
        created_by: "key".into(),
        created_at: T0,
    };
    store.add_silence(&silence, &[]).await.expect("add works");
    let held = async |at: i64| store.silences(after_secs(at)).await.expect("list works").len();
    assert_eq!(store.silences(after_secs(59)).await.expect("list works"), std::slice::from_ref(&silence));
    assert_eq!(held(60).await, 0);
    assert!(store.end_silence(silence.id, after_secs(5), &[]).await.expect("end works"));
    assert!(!store.end_silence(silence.id, after_secs(6), &[]).await.expect("end works"));
    assert_eq!(held(6).await, 0);
}

/// Who takes a notification has it for a while; a failed one can be tried again, one that arrived cannot.
pub async fn notifications_are_taken_by_one(store: &dyn Store) {
    let mut note = notification(None, T0);
    store.add_notification(&note).await.expect("add works");
    let take = async |now: Timestamp| {
        let taken = store.take_notifications(now, now.plus(DurationMs::from_secs(60)), 10).await;
        taken.expect("take works").len()
    };
    assert_eq!(take(T0).await, 1);
    assert_eq!(take(after_secs(59)).await, 0, "somebody tries it");
    assert_eq!(take(after_secs(60)).await, 1, "who tried it is gone");
    note.status = NotificationStatus::Failed;
    (note.tries, note.error, note.due_at) = (3, Some("answered with status 500".into()), after_secs(70));
    store.settle_notification(&note).await.expect("settle works");
    assert_eq!(take(after_secs(900)).await, 0);
    let list = async |statuses: &[NotificationStatus]| {
        store.list_notifications(statuses, PAGE).await.expect("list works").items
    };
    assert_eq!(list(&[NotificationStatus::Failed]).await, [note.clone()]);
    let both = [NotificationStatus::Sent, NotificationStatus::Failed];
    assert_eq!(list(&both).await, [note.clone()]);
    assert_eq!(list(&[NotificationStatus::Pending, NotificationStatus::Sent]).await, []);
    let again = store.retry_notification(note.id, after_secs(100), &[]).await.expect("retry works");
    let again = again.expect("it is there");
    assert_eq!((again.status, again.tries, again.due_at), (NotificationStatus::Pending, 0, after_secs(100)));
    assert_eq!(take(after_secs(100)).await, 1);
    let (status, sent_at) = (NotificationStatus::Sent, Some(after_secs(101)));
    let sent = Notification { status, tries: 1, error: None, sent_at, ..again };
    store.settle_notification(&sent).await.expect("settle works");
    let retried = store.retry_notification(note.id, after_secs(102), &[]).await.expect("retry works");
    assert_eq!(retried, None);
    assert_eq!(list(&[]).await, [sent]);
    assert_eq!(store.prune_alerts(after_secs(200), 10).await.expect("prune works"), 1);
}

/// Jobs that ended lately and new dead letters.
pub async fn what_rules_look_at_is_measured(store: &dyn Store) {
    enqueue(store, &jobs(3, "a", Tier::High)).await;
    let claimed = claim_nodes(store, 3, after_secs(4)).await;
    complete(store, &claimed[0], after_secs(10)).await;
    let dead = Disposition::Die { reason: DeadReason::NonRetryable, error: JobError::coded("x", "x") };
    let die = |job| Settlement { lease: lease(job), disposition: dead.clone() };
    let batch: Vec<Settlement> = claimed[1..].iter().map(die).collect();
    store.settle(&batch, after_secs(10)).await.expect("settle works");
    let measured = store.measure_alerts(after_secs(5), after_secs(20)).await.expect("it is measured");
    let [lane] = &measured.recent[..] else { panic!("one lane: {measured:?}") };
    assert_eq!((lane.attempts, lane.failed, lane.tenant.as_str()), (3, 2, "a"));
    assert_eq!(lane.waits, [DurationMs::from_secs(4); 3]);
    let [letters] = &measured.dead_letters[..] else { panic!("one fingerprint: {measured:?}") };
    assert_eq!((letters.letters, letters.queue, letters.tenant.as_str()), (2, QueueName::Node, "a"));
    assert_eq!((&letters.job_type, &letters.workflow), (&lane.job_type, &lane.workflow));
    assert!(measured.deliveries.is_empty() && measured.late.is_empty(), "{measured:?}");
    let later = store.measure_alerts(after_secs(10), after_secs(20)).await.expect("it is measured");
    assert!(later.recent.is_empty() && later.dead_letters.is_empty(), "{later:?}");
}
