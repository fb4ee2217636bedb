//! Starts that are put off: gathered, throttled, started, and shown on their deliveries.

use std::collections::BTreeMap;

use domain::access::TenantScope;
use domain::id::{DeliveryId, ExecutionId};
use domain::queue::QueueName;
use domain::quota::{QuotaKind, WAITING_START_ROW_BYTES};
use domain::rate::Rate;
use domain::time::{DurationMs, Timestamp};
use domain::webhook::{DeliveryStatus, Gathering, StartEnd};
use uuid::Uuid;

use super::fixture::{Random, T0, after_secs, claim, complete, id, tenant};
use super::operations::keep_all;
use super::webhook_fixture::{accept, acceptance};
use crate::Store;
use crate::operations::Retention;
use crate::starts::{DueStart, PutOff, PutOffState, StartsOf};
use crate::usage::Measured;
use crate::webhooks::DeliveryOutcome;

const DEBOUNCE: Gathering =
    Gathering::Debounce { period: DurationMs::from_secs(10), timeout: DurationMs::from_secs(25) };

fn batch(size_max: u32) -> Gathering {
    Gathering::Batch { size_max, bytes_max: 10_000, timeout: DurationMs::from_secs(5) }
}

fn rate(starts: u32, secs: i64) -> Rate {
    Rate::new(starts, DurationMs::from_secs(secs), None).expect("within the bounds")
}

/// The event of a delivery, gathered under a key.
fn event(delivery_id: DeliveryId, gathering: Option<Gathering>, key: &str) -> PutOff {
    PutOff {
        delivery_id,
        shown_on: delivery_id,
        tenant: tenant("a"),
        of: StartsOf { owner: Uuid::nil(), trigger_id: "trg".to_owned() },
        gathering: gathering.map(|gathering| (gathering, key.to_owned())),
        throttle: None,
        id: ExecutionId::derive(delivery_id.uuid(), &["start"]),
        request: delivery_id.to_string(),
        entry: matches!(gathering, Some(Gathering::Batch { .. })).then(|| format!("\"{delivery_id}\"")),
    }
}

fn throttled(delivery_id: DeliveryId, rate: Rate, key: &str) -> PutOff {
    PutOff { throttle: Some((rate, key.to_owned())), ..event(delivery_id, None, "") }
}

/// A delivery that is there, and shows what becomes of its event.
async fn delivered(store: &dyn Store) -> DeliveryId {
    let acceptance = acceptance(id(), &[]);
    accept(store, std::slice::from_ref(&acceptance), T0).await;
    acceptance.delivery.id
}

/// Adds an event whose start is to come; answers when, as things stand.
async fn put_off(store: &dyn Store, event: &PutOff, now: Timestamp) -> Timestamp {
    match store.put_off(event, now).await.expect("put off works") {
        PutOffState::Waits(until) => until,
        PutOffState::Ended(end) => panic!("{end:?}"),
    }
}

async fn due(store: &dyn Store, now: Timestamp) -> Vec<DueStart> {
    store.due_starts(now, 100).await.expect("look works")
}

async fn end(store: &dyn Store, start: &DueStart) {
    store.end_start(start.id, &StartEnd::Started(start.id)).await.expect("end works");
}

/// One start with the last event's request, once none came for the period; a repeated call adds nothing.
pub async fn a_debounce_starts_once_with_the_last(store: &dyn Store) {
    let mut deliveries = Vec::new();
    for _ in 0..4 {
        deliveries.push(delivered(store).await);
    }
    put_off(store, &event(deliveries[0], Some(DEBOUNCE), "k"), T0).await;
    // Matched in another order than they came in.
    put_off(store, &event(deliveries[2], Some(DEBOUNCE), "k"), after_secs(4)).await;
    put_off(store, &event(deliveries[1], Some(DEBOUNCE), "k"), after_secs(5)).await;
    put_off(store, &event(deliveries[1], Some(DEBOUNCE), "k"), after_secs(9)).await;
    put_off(store, &event(deliveries[3], Some(DEBOUNCE), "other"), after_secs(9)).await;
    assert_eq!(due(store, after_secs(14)).await, []);
    let starts = due(store, after_secs(15)).await;
    assert_eq!(starts.len(), 1);
    assert_eq!(starts[0].id, ExecutionId::derive(deliveries[0].uuid(), &["start"]), "named after the first");
    assert_eq!(starts[0].request, deliveries[2].to_string(), "with the last that came");
    assert_eq!(due(store, after_secs(16)).await, [], "nobody else starts it");
    end(store, &starts[0]).await;
    let again = store.put_off(&event(deliveries[1], Some(DEBOUNCE), "k"), after_secs(17)).await;
    assert_eq!(again.expect("put off works"), PutOffState::Ended(StartEnd::Started(starts[0].id)));
    let other = due(store, after_secs(60)).await;
    assert_eq!(
        other.iter().map(|start| start.request.clone()).collect::<Vec<_>>(),
        [deliveries[3].to_string()]
    );
}

/// Events that keep coming do not hold a debounce up for longer than its timeout, and what comes after it is another start.
pub async fn a_debounce_ends_with_its_timeout(store: &dyn Store) {
    for secs in [0, 8, 16, 24, 30] {
        put_off(store, &event(id(), Some(DEBOUNCE), "k"), after_secs(secs)).await;
    }
    let first = due(store, after_secs(31)).await;
    assert_eq!(first.len(), 1, "the event after the timeout begins anew");
    end(store, &first[0]).await;
    assert_eq!(due(store, after_secs(39)).await, []);
    assert_eq!(due(store, after_secs(40)).await.len(), 1);
}

/// A batch starts when it is full, or when its time is up, with its entries in order.
pub async fn a_batch_starts_full_or_in_time(store: &dyn Store) {
    let deliveries: Vec<DeliveryId> = (0..4).map(|_| id()).collect();
    for delivery in &deliveries {
        put_off(store, &event(*delivery, Some(batch(3)), ""), T0).await;
    }
    let full = due(store, T0).await;
    let entries: Vec<String> = deliveries[..3].iter().map(|delivery| format!("\"{delivery}\"")).collect();
    assert_eq!(full.iter().map(|start| start.entries.clone()).collect::<Vec<_>>(), [entries]);
    end(store, &full[0]).await;
    assert_eq!(due(store, after_secs(4)).await, []);
    let rest = due(store, after_secs(5)).await;
    assert_eq!(rest[0].entries, [format!("\"{}\"", deliveries[3])]);
}

/// Starts beyond the rate wait their turn, in order, and none is dropped; keys count apart.
pub async fn throttled_starts_wait_their_turn(store: &dyn Store) {
    let deliveries: Vec<DeliveryId> = (0..5).map(|_| id()).collect();
    for delivery in &deliveries {
        put_off(store, &throttled(*delivery, rate(2, 60), "k"), T0).await;
    }
    put_off(store, &throttled(id(), rate(2, 60), "other"), T0).await;
    let mut order: Vec<String> = Vec::new();
    for (secs, expected) in [(0, 3), (59, 0), (62, 2), (121, 0), (124, 1)] {
        let starts = due(store, after_secs(secs)).await;
        assert_eq!(starts.len(), expected, "after {secs} s");
        for start in &starts {
            end(store, start).await;
            order.extend(deliveries.iter().map(ToString::to_string).filter(|own| *own == start.request));
        }
    }
    assert_eq!(order, deliveries.iter().map(ToString::to_string).collect::<Vec<_>>());
}

/// A start whose process died is answered again, under another place, and its end is recorded once.
pub async fn a_start_that_nobody_ended_comes_again(store: &dyn Store) {
    put_off(store, &throttled(id(), rate(1, 10), "k"), T0).await;
    put_off(store, &throttled(id(), rate(1, 10), "k"), T0).await;
    put_off(store, &event(id(), Some(batch(1)), ""), T0).await;
    let lost = due(store, T0).await;
    assert_eq!(lost.len(), 2);
    let second = due(store, after_secs(11)).await;
    assert_eq!(second.len(), 1, "the other one of the key");
    end(store, &second[0]).await;
    assert_eq!(due(store, after_secs(29)).await, []);
    let again = due(store, after_secs(30)).await;
    let (mut had, mut has) = (lost.clone(), again.clone());
    had.sort_by_key(|start| start.id);
    has.sort_by_key(|start| start.id);
    assert_eq!(has, had);
    for start in &again {
        end(store, start).await;
        end(store, start).await;
    }
    assert_eq!(due(store, after_secs(99)).await, []);
}

/// Deliveries show what became of their starts, whichever is recorded first.
pub async fn deliveries_show_their_starts(store: &dyn Store) {
    let (early, late) = (acceptance(id(), &[]), acceptance(id(), &[]));
    accept(store, &[early.clone(), late.clone()], T0).await;
    let outcome = |id: DeliveryId| DeliveryOutcome {
        id,
        status: DeliveryStatus::Matched,
        reason: None,
        outcome: r#"[{"triggerId":"trg","workflow":"w","result":"batched"}]"#.to_owned(),
        executions: Vec::new(),
    };
    for delivery in [early.delivery.id, late.delivery.id] {
        put_off(store, &event(delivery, Some(batch(2)), ""), T0).await;
    }
    store.finish_delivery(&outcome(early.delivery.id), T0).await.expect("finish works");
    let starts = due(store, T0).await;
    end(store, &starts[0]).await;
    store.finish_delivery(&outcome(late.delivery.id), T0).await.expect("finish works");
    store.show_ended_starts(late.delivery.id).await.expect("show works");
    for delivery in [early.delivery.id, late.delivery.id] {
        let record = store.delivery(&TenantScope::All, delivery).await.expect("read works").expect("there");
        assert_eq!(record.executions, [starts[0].id]);
        assert!(record.outcome.expect("matched").contains(r#""result":"started""#));
    }
}

/// A replay shows what became of the event that it repeats and adds nothing, unless the start failed.
pub async fn a_replay_is_added_once_more_only_after_a_failure(store: &dyn Store) {
    let (origin, first, second) = (delivered(store).await, delivered(store).await, id());
    let replay = |shown_on| PutOff { shown_on, ..event(origin, Some(batch(3)), "") };
    put_off(store, &event(origin, Some(batch(3)), ""), T0).await;
    put_off(store, &replay(first), T0).await;
    let start = due(store, after_secs(5)).await.remove(0);
    assert_eq!(start.entries, [format!("\"{origin}\"")], "the replay added nothing");
    let failed = StartEnd::Failed { code: "input_invalid".to_owned(), message: "It is wrong.".to_owned() };
    store.end_start(start.id, &failed).await.expect("end works");
    for shown_on in [origin, first] {
        let again = PutOff { delivery_id: shown_on, shown_on, ..event(origin, Some(batch(3)), "") };
        let state = store.put_off(&again, after_secs(6)).await.expect("put off works");
        assert_eq!(state, PutOffState::Ended(failed.clone()), "matched again");
    }
    put_off(store, &replay(second), after_secs(7)).await;
    let start = due(store, after_secs(12)).await.remove(0);
    assert_eq!(start.entries, [format!("\"{origin}\"")], "the event is there again");
    end(store, &start).await;
    let state = store.put_off(&replay(id()), after_secs(13)).await.expect("put off works");
    assert_eq!(state, PutOffState::Ended(StartEnd::Started(start.id)));
    assert_eq!(due(store, after_secs(99)).await, []);
}

/// What is gathered outlives the deliveries that it came with.
pub async fn retention_takes_nothing_from_a_batch(store: &dyn Store) {
    let old = acceptance(id(), &[]);
    accept(store, std::slice::from_ref(&old), T0).await;
    put_off(store, &event(old.delivery.id, Some(batch(3)), ""), T0).await;
    let matching = store.claim(&claim(QueueName::Webhook, 1, T0)).await.expect("claim works");
    complete(store, &matching[0], T0).await;
    let retention = Retention { deliveries_before: after_secs(3), ..keep_all() };
    assert!(store.prune(&retention, 10).await.expect("prune works") > 0);
    assert_eq!(store.delivery(&TenantScope::All, old.delivery.id).await.expect("read works"), None);
    let start = due(store, after_secs(5)).await.remove(0);
    assert_eq!(start.entries, [format!("\"{}\"", old.delivery.id)]);
    end(store, &start).await;
    let again = event(old.delivery.id, Some(batch(3)), "");
    put_off(store, &again, after_secs(6)).await;
}

/// The end of more events than one transaction takes is recorded on all of them.
pub async fn the_end_of_many_events_is_recorded(store: &dyn Store) {
    let deliveries: Vec<DeliveryId> = (0..450).map(|_| id()).collect();
    for delivery in &deliveries {
        put_off(store, &event(*delivery, Some(DEBOUNCE), ""), T0).await;
    }
    let start = due(store, after_secs(10)).await.remove(0);
    end(store, &start).await;
    for delivery in &deliveries {
        // No delivery is there that could show it, so the event is forgotten with the end.
        let state = store.put_off(&event(*delivery, Some(DEBOUNCE), "next"), after_secs(11)).await;
        assert_eq!(state.expect("put off works"), PutOffState::Waits(after_secs(21)));
    }
    assert_eq!(due(store, after_secs(99)).await.len(), 1);
}

/// Starts that wait count for their tenant with their entries until they have ended, and each event is known by its trigger.
pub async fn what_waits_counts_for_its_tenant(store: &dyn Store) {
    let used = |of: &'static str| async move {
        let what = Measured::Tenant(tenant(of), QuotaKind::WaitingStartBytes);
        store.measure(&what).await.expect("measuring works")
    };
    let known = |delivery: DeliveryId, trigger: &'static str| async move {
        store.is_put_off(delivery, trigger).await.expect("read works")
    };
    let [one, two, three] = [delivered(store).await, id(), id()];
    for delivery in [one, two, two] {
        put_off(store, &event(delivery, Some(batch(3)), "x"), T0).await;
    }
    put_off(store, &throttled(three, rate(1, 60), "k"), T0).await;
    // Of each start the row and its request, and the entries of the batch.
    let request = one.to_string().len() as u64;
    let entry = request + 2;
    assert_eq!(used("a").await, 2 * (WAITING_START_ROW_BYTES + request) + 2 * entry);
    assert_eq!(used("b").await, 0);
    assert!(known(one, "trg").await && known(three, "trg").await);
    assert!(!known(one, "other").await && !known(id(), "trg").await);
    let failed = StartEnd::Failed { code: "input_invalid".to_owned(), message: "It is wrong.".to_owned() };
    for start in due(store, after_secs(5)).await {
        store.end_start(start.id, &failed).await.expect("end works");
    }
    assert_eq!(used("a").await, 0);
    assert!(!known(one, "trg").await, "it may be added again");
}

/// A seeded run of arrivals, ticks of two nodes and crashes against what a list would do: every event is in one start, in
/// order and within bounds, no window holds more starts than the rate, and nothing waits although it might start.
pub async fn i08_starts_follow_the_model(store: &dyn Store) {
    let mut random = Random(20_261_126);
    let (mut now, mut model, mut deliveries) = (T0, Model::default(), Vec::new());
    for step in 0..240 {
        now = now.plus(DurationMs(random.below(1_500)));
        if step < 160 && random.below(3) > 0 {
            let (delivery, key) = (id(), if random.below(2) == 0 { "x" } else { "y" });
            let new = PutOff {
                throttle: Some((rate(2, 10), "all".to_owned())),
                ..event(delivery, Some(batch(3)), key)
            };
            put_off(store, &new, now).await;
            deliveries.push((format!("\"{delivery}\""), key, now));
            continue;
        }
        let limit = 1 + random.below(3) as u32;
        for start in store.due_starts(now, limit).await.expect("look works") {
            model.places.insert(start.id, now);
            let within = model.places.values().filter(|at| at.plus(DurationMs::from_secs(10)) > now).count();
            assert!(within <= 2, "{within} starts within ten seconds at {now}");
            if random.below(4) > 0 {
                end(store, &start).await;
                assert!(model.ended.insert(start.id, start.entries).is_none(), "ended twice");
            }
        }
    }
    for _ in 0..200 {
        now = now.plus(DurationMs::from_secs(5));
        for start in store.due_starts(now, 10).await.expect("look works") {
            end(store, &start).await;
            assert!(model.ended.insert(start.id, start.entries).is_none(), "ended twice");
        }
    }
    let mut seen: Vec<String> = model.ended.values().flatten().cloned().collect();
    seen.sort_unstable();
    let mut expected: Vec<String> = deliveries.iter().map(|(entry, ..)| entry.clone()).collect();
    expected.sort_unstable();
    assert_eq!(seen, expected, "each event is in one start");
    for entries in model.ended.values() {
        assert!((1..=3).contains(&entries.len()));
        let of: Vec<&(String, &str, Timestamp)> =
            entries.iter().filter_map(|entry| deliveries.iter().find(|(known, ..)| known == entry)).collect();
        assert!(of.is_sorted_by_key(|(.., at)| *at), "in order");
        assert!(of.iter().all(|(_, key, _)| *key == of[0].1), "of one key");
        let span = of[of.len() - 1].2.since(of[0].2);
        assert!(span < DurationMs::from_secs(5), "a batch was open for {span}");
    }
}

/// What a list would know.
#[derive(Default)]
struct Model {
    /// When each start last took a place.
    places: BTreeMap<ExecutionId, Timestamp>,
    /// The entries of those that ended.
    ended: BTreeMap<ExecutionId, Vec<String>>,
}
