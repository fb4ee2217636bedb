//! Triggers of events, and nodes that wait for events.

use std::collections::HashSet;

use domain::access::TenantScope;
use domain::event::{body_digest, values_digest};
use domain::id::{DeliveryId, made_at};
use domain::job::JobStatus;
use domain::names::{EventType, NodeId, TenantName, TriggerName};
use domain::search::SearchList;
use domain::time::{DurationMs, Timestamp};
use domain::workflow::execution::{EventWait, ExecutionError, ExecutionStatus};
use serde_json::json;

use super::executions::{commit, owned};
use super::fixture::{T0, after_secs, id, inbox, lease, number_found, status, tenant};
use super::parking::{committed, park, take_up};
use super::webhook_fixture::{ALL, PAGE, accept_one, acceptance, new, read};
use crate::Store;
use crate::events::{EventWaitChange, EventWake, TriggerChange, TriggerRecord, WaitingNode};
use crate::executions::{ExecutionCommit, InboxEntry, InboxRow, NewExecution};
use crate::webhooks::{Acceptance, DeliveryOutcome, NO_WEBHOOK, WokenNode};
use domain::webhook::{DeliverySource, DeliveryStatus};

const PATHS: &str = r#"["body.order"]"#;

fn trigger(of: &str, name: &str) -> TriggerRecord {
    TriggerRecord {
        id: id(),
        tenant: tenant(of),
        name: TriggerName::trusted(name),
        config: r#"{"workflow":"w","events":["order.*"]}"#.to_owned(),
        is_paused: false,
        version: 1,
        created_at: T0,
        updated_at: T0,
    }
}

/// A wait of a node for an event with this order in its body.
fn wait(node: &str, event: &str, order: i64) -> EventWait {
    EventWait {
        node: NodeId::trusted(node),
        round: 1,
        events: vec![EventType::trusted(event)],
        paths: PATHS.to_owned(),
        digest: values_digest([json!(order)].iter()),
        has_filter: false,
        began_at: T0,
        look_from: T0.minus(DurationMs::from_secs(1)),
    }
}

/// An execution of tenant `a` that is parked and waits.
async fn waiting(store: &dyn Store, wait: EventWait) -> NewExecution {
    let (new, owner) = owned(store).await;
    let step = ExecutionCommit { event_waits: vec![EventWaitChange::Open(wait)], ..park(&new, &owner, None) };
    assert!(committed(store, &step).await.parked);
    new
}

fn event(name: &str) -> Acceptance {
    let mut acceptance = acceptance(NO_WEBHOOK, &[]);
    acceptance.delivery.event_type = Some(name.to_owned());
    acceptance.delivery.body = br#"{"order":7}"#.to_vec();
    acceptance
}

async fn found(store: &dyn Store, event: &str, order: i64) -> Vec<WaitingNode> {
    let digest = body_digest(PATHS, &json!({ "order": order })).expect("it is there");
    let of = (&tenant("a"), event);
    store.waiting_nodes(of, (PATHS, &digest), None, 100).await.expect("read works")
}

async fn wake(store: &dyn Store, delivery_id: DeliveryId, nodes: &[WaitingNode]) -> Vec<WaitingNode> {
    let output = r#"{"event":"order.paid"}"#.to_owned();
    let wake = EventWake { delivery_id, output, nodes: nodes.to_vec(), shown_max: 10 };
    store.wake_waiting_nodes(&wake, after_secs(1)).await.expect("wake works")
}

async fn rows(store: &dyn Store, new: &NewExecution) -> Vec<InboxRow> {
    inbox(store, new.id).await.expect("read works")
}

/// A tenant has its own triggers, each name once, as many as it may, and nobody overwrites what another changed.
pub async fn i13_triggers_stay_within_the_tenant(store: &dyn Store) {
    let own = TenantScope::One(tenant("a"));
    let create = async |trigger: &TriggerRecord| store.create_trigger(trigger, 2, &[]).await.expect("works");
    let (one, other) = (trigger("a", "one"), trigger("b", "one"));
    for new in [&one, &other, &one] {
        assert_eq!(create(new).await, TriggerChange::Done(new.clone()));
    }
    assert_eq!(create(&trigger("a", "one")).await, TriggerChange::NameTaken);
    let two = TriggerRecord { is_paused: true, ..trigger("a", "two") };
    assert_eq!(create(&two).await, TriggerChange::Done(two.clone()));
    assert_eq!(create(&trigger("a", "three")).await, TriggerChange::Full);
    let listed = store.list_triggers(&own, None, PAGE).await.expect("list works").items;
    assert_eq!(listed, [two.clone(), one.clone()]);
    let active = store.triggers_of(&tenant("a"), 10).await.expect("read works");
    assert_eq!(active, std::slice::from_ref(&one), "one that is paused is not asked");
    let next = TriggerRecord { version: 2, is_paused: true, updated_at: after_secs(1), ..one.clone() };
    let update = async |scope: &TenantScope, next: &TriggerRecord| {
        store.update_trigger(scope, next, &[]).await.expect("works")
    };
    assert_eq!(update(&TenantScope::One(tenant("b")), &next).await, TriggerChange::NotFound);
    assert_eq!(update(&own, &next).await, TriggerChange::Done(next.clone()));
    assert_eq!(update(&own, &next).await, TriggerChange::VersionConflict);
    let taken = TriggerRecord { version: 3, name: TriggerName::trusted("two"), ..next.clone() };
    assert_eq!(update(&own, &taken).await, TriggerChange::NameTaken);
    assert_eq!(store.trigger(&own, one.id).await.expect("read works"), Some(next));
    assert_eq!(store.trigger(&own, other.id).await.expect("read works"), None);
    assert!(!store.delete_trigger(&own, other.id, &[]).await.expect("answers"));
    assert!(store.delete_trigger(&own, one.id, &[]).await.expect("works"));
    assert!(!store.delete_trigger(&own, one.id, &[]).await.expect("answers"));
}

/// What waits is found by tenant, type and body alone, page by page; each node is woken once.
pub async fn an_event_wakes_all_that_wait_for_it(store: &dyn Store) {
    let (one, two) =
        (waiting(store, wait("n", "order.paid", 7)).await, waiting(store, wait("n", "order.paid", 7)).await);
    let other = waiting(store, wait("n", "order.paid", 8)).await;
    waiting(store, wait("n", "order.lost", 7)).await;
    let paths = async |tenant: &TenantName, after: Option<&str>| {
        store.event_wait_paths(tenant, "order.paid", after, 10).await.expect("read works")
    };
    assert_eq!(paths(&tenant("a"), None).await, [PATHS]);
    assert!(paths(&tenant("a"), Some(PATHS)).await.is_empty());
    assert!(paths(&tenant("b"), None).await.is_empty(), "another tenant's waits are not found");
    let nodes = found(store, "order.paid", 7).await;
    let executions: Vec<_> = nodes.iter().map(|node| node.execution_id).collect();
    assert_eq!(executions, [one.id, two.id]);
    let digest = values_digest([json!(7)].iter());
    let after = Some((one.id, &nodes[0].node_id));
    let rest = store.waiting_nodes((&tenant("a"), "order.paid"), (PATHS, &digest), after, 10).await;
    assert_eq!(rest.expect("read works"), nodes[1..]);
    let delivery = event("order.paid");
    assert_eq!(accept_one(store, &delivery).await, new(&delivery));
    assert_eq!(wake(store, delivery.delivery.id, &nodes).await, nodes);
    assert!(wake(store, delivery.delivery.id, &nodes).await.is_empty(), "they wait no more");
    assert!(found(store, "order.paid", 7).await.is_empty());
    for execution in [&one, &two] {
        assert_eq!(status(store, execution.job.id).await, JobStatus::Queued);
        let entry = InboxEntry::Event {
            node_id: NodeId::trusted("n"),
            round: 1,
            output: r#"{"event":"order.paid"}"#.to_owned(),
        };
        assert_eq!(
            rows(store, execution).await.into_iter().map(|row| row.entry).collect::<Vec<_>>(),
            [entry]
        );
    }
    assert_eq!(status(store, other.job.id).await, JobStatus::Waiting);
    let shown =
        |execution: &NewExecution| WokenNode { execution_id: execution.id, node_id: NodeId::trusted("n") };
    let record = read(store, delivery.delivery.id).await;
    assert_eq!(record.woke, [shown(&one), shown(&two)]);
    assert_eq!(record.source(), DeliverySource::Event);
    let outcome = DeliveryOutcome {
        id: record.id,
        status: DeliveryStatus::Unmatched,
        reason: None,
        outcome: "[]".to_owned(),
        executions: Vec::new(),
    };
    store.finish_delivery(&outcome, after_secs(2)).await.expect("finish works");
    let finished = read(store, record.id).await.status;
    assert_eq!(finished, DeliveryStatus::Matched, "who woke somebody is no unmatched one");
    for (source, expected) in [(DeliverySource::Event, 1), (DeliverySource::Webhook, 0)] {
        let of_source = format!("source:{}", source.as_str());
        let number = number_found(store, &ALL, SearchList::Deliveries, &of_source).await;
        assert_eq!(number, expected, "{source:?}");
    }
    for (query, expected) in [("webhookId:*", 0), ("-webhookId:*", 1), ("executionId:*", 0)] {
        assert_eq!(number_found(store, &ALL, SearchList::Deliveries, query).await, expected, "{query}");
    }
}

/// An event that is stored before the wait is committed is found by looking back, one that is stored later finds the wait.
pub async fn i08_an_event_and_a_wait_that_cross_do_not_miss_each_other(store: &dyn Store) {
    let early = event("order.paid");
    assert_eq!(accept_one(store, &early).await, new(&early));
    assert!(found(store, "order.paid", 7).await.is_empty(), "nobody waits yet");
    let waiting = waiting(store, wait("n", "order.paid", 7)).await;
    let looks = store.look_backs_of(&[waiting.id]).await.expect("read works");
    assert_eq!((looks.len(), looks[0].event.as_str(), looks[0].paths.as_str()), (1, "order.paid", PATHS));
    let since = async |event: &str, secs: i64| {
        let from = T0.plus(DurationMs::from_secs(secs));
        store.events_since(&tenant("a"), event, (from, None), 10).await.expect("read works")
    };
    assert_eq!(since("order.paid", -1).await, [early.delivery.id]);
    assert!(since("order.paid", 1).await.is_empty() && since("order.lost", -1).await.is_empty());
    assert!(
        store.look_backs_left(T0, None, 10).await.expect("read works").is_empty(),
        "it began at T0, not before"
    );
    assert_eq!(store.look_backs_left(after_secs(1), None, 10).await.expect("read works"), looks);
    store.end_look_back(&looks).await.expect("works");
    assert!(store.look_backs_left(after_secs(1), None, 10).await.expect("read works").is_empty());
    let late = event("order.paid");
    assert_eq!(accept_one(store, &late).await, new(&late));
    let nodes = found(store, "order.paid", 7).await;
    assert_eq!(wake(store, late.delivery.id, &nodes).await, [looks[0].node.clone()]);
    assert_eq!(take_up(store, after_secs(1)).await.and_then(|job| job.execution_id), Some(waiting.id));
}

/// A wait for which it is to be looked once more is not ended by whoever looks at the moment, and is found again by the same delivery.
pub async fn i08_a_look_that_is_asked_for_again_is_made_again(store: &dyn Store) {
    let waiting = waiting(store, wait("n", "order.paid", 7)).await;
    let left = async || store.look_backs_left(after_secs(9), None, 10).await.expect("read works");
    let first = left().await;
    let again = async |round: u32, event: &str, from: Timestamp| {
        let node = WaitingNode { round, ..first[0].node.clone() };
        store.look_again(event, &[node], from).await.expect("works");
    };
    // While somebody looks, for what came later than that.
    again(1, "order.paid", after_secs(5)).await;
    store.end_look_back(&first).await.expect("works");
    let second = left().await;
    assert_eq!((second.len(), second[0].node.execution_id), (1, waiting.id), "it stays");
    assert!(second[0].from < first[0].from, "what was left to be looked at is looked at all the same");
    store.end_look_back(&second).await.expect("works");
    assert!(left().await.is_empty());
    // When it was over.
    for (round, event) in [(2, "order.paid"), (1, "order.lost")] {
        again(round, event, after_secs(5)).await;
        assert!(left().await.is_empty(), "nobody waits for that");
    }
    again(1, "order.paid", after_secs(5)).await;
    let third = left().await;
    assert!(third[0].from <= after_secs(5) && third[0].from >= after_secs(4));
}

/// Events of a type before an instant are read from the newest on, those since another in the order in which they came.
pub async fn events_are_read_in_both_directions(store: &dyn Store) {
    let mut ids = Vec::new();
    for _ in 0..5 {
        let one = event("order.paid");
        accept_one(store, &one).await;
        ids.push(one.delivery.id);
    }
    accept_one(store, &event("order.lost")).await;
    ids.sort_unstable();
    let (a, none) = (tenant("a"), Timestamp(0));
    let since = async |after: Option<DeliveryId>, limit: u32| {
        store.events_since(&a, "order.paid", (none, after), limit).await.expect("read works")
    };
    assert_eq!(since(None, 10).await, ids);
    assert_eq!(since(None, 2).await, ids[..2]);
    assert_eq!(since(Some(ids[1]), 2).await, ids[2..4]);
    assert!(since(Some(ids[4]), 2).await.is_empty());
    let before = async |until: Timestamp, limit: u32| {
        store.events_before(&a, "order.paid", (none, until), limit).await.expect("read works")
    };
    let newest_first: Vec<DeliveryId> = ids.iter().rev().copied().collect();
    let later = made_at(ids[4].uuid()).plus(DurationMs(1));
    assert_eq!(before(later, 10).await, newest_first);
    assert_eq!(before(later, 2).await, newest_first[..2]);
    assert!(before(made_at(ids[0].uuid()), 10).await.is_empty());
    let other = store.events_since(&tenant("b"), "order.paid", (none, None), 10).await;
    assert!(other.expect("read works").is_empty(), "of another tenant");
}

/// Waits that nobody could look for stay, and whoever walks through them comes to all the others.
pub async fn waits_that_are_left_are_read_page_by_page(store: &dyn Store) {
    let mut expected = Vec::new();
    for (node, secs) in [("late", 2), ("b", 1), ("a", 1)] {
        let wait = EventWait { began_at: after_secs(secs), ..wait(node, "order.paid", 7) };
        expected.push((after_secs(secs), waiting(store, wait).await.id, node));
    }
    expected.sort_unstable();
    let two = EventWait {
        events: vec![EventType::trusted("order.lost"), EventType::trusted("order.paid")],
        began_at: after_secs(3),
        ..wait("two", "", 7)
    };
    let last = waiting(store, two).await;
    expected.extend([(after_secs(3), last.id, "two"); 2]);
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = store.look_backs_left(after_secs(9), after.as_ref(), 2).await.expect("read works");
        let Some(end) = page.last() else { break };
        assert!(page.len() <= 2, "{page:?}");
        after = Some(end.cursor());
        found.extend(page);
    }
    let seen: Vec<_> = found
        .iter()
        .map(|wait| (wait.began_at, wait.node.execution_id, wait.node.node_id.as_str()))
        .collect();
    // The last page ends within the waits of a node, and the next one begins behind them.
    assert_eq!(seen, expected[..4]);
    let before_two = found[2].cursor();
    let both = store.look_backs_left(after_secs(9), Some(&before_two), 2).await.expect("read works");
    let events: HashSet<&str> = both.iter().map(|wait| wait.event.as_str()).collect();
    assert_eq!(events, HashSet::from(["order.lost", "order.paid"]));
}

/// An entry of an event that is there first refuses the parking, and so does none of another execution.
pub async fn i08_an_event_before_the_parking_refuses_it(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let open = EventWaitChange::Open(wait("n", "order.paid", 7));
    let step = ExecutionCommit {
        event_waits: vec![open],
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    committed(store, &step).await;
    let delivery = event("order.paid");
    accept_one(store, &delivery).await;
    let nodes = found(store, "order.paid", 7).await;
    assert_eq!(wake(store, delivery.delivery.id, &nodes).await.len(), 1);
    assert!(!committed(store, &park(&new, &owner, None)).await.parked, "the event waits in the inbox");
    assert_eq!(rows(store, &new).await.len(), 1);
}

/// A wait ends with its step and with its execution. One of an execution that failed without its owner stays, for whoever
/// retries it, and is not woken meanwhile.
pub async fn waits_for_events_end_with_their_executions(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let step = |changes: Vec<EventWaitChange>| ExecutionCommit {
        event_waits: changes,
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    let second = EventWait { round: 2, ..wait("n", "order.paid", 7) };
    let close = |round: u32| EventWaitChange::Close { node_id: NodeId::trusted("n"), round };
    committed(store, &step(vec![EventWaitChange::Open(wait("n", "order.paid", 7))])).await;
    committed(store, &step(vec![close(1), EventWaitChange::Open(second)])).await;
    assert_eq!(found(store, "order.paid", 7).await[0].round, 2);
    committed(store, &step(vec![close(1)])).await;
    assert_eq!(found(store, "order.paid", 7).await.len(), 1, "that of a later round stays");
    committed(store, &step(vec![close(2)])).await;
    assert!(found(store, "order.paid", 7).await.is_empty());
    let cancelled = waiting(store, wait("n", "order.paid", 1)).await;
    let cancel = InboxEntry::Cancel { reason: None, compensate: false };
    store.append_command(&ALL, cancelled.id, id(), &cancel, T0).await.expect("append works");
    assert!(found(store, "order.paid", 1).await.is_empty());
    let failed = waiting(store, wait("n", "order.paid", 2)).await;
    let error = ExecutionError { node: None, message: "its owners were lost".into(), code: None };
    assert!(store.fail_execution(failed.id, &error, T0).await.expect("works"));
    let nodes = found(store, "order.paid", 2).await;
    assert_eq!(nodes.len(), 1);
    let delivery = event("order.paid");
    accept_one(store, &delivery).await;
    assert!(wake(store, delivery.delivery.id, &nodes).await.is_empty());
    assert_eq!(found(store, "order.paid", 2).await, nodes);
}
