//! The same webhook deliveries accepted at the same time by many.

use std::collections::HashMap;
use std::sync::Arc;

use domain::id::{DeliveryId, WebhookId};
use domain::queue::QueueName;
use domain::search::SearchList;
use store::Store as _;
use store::conformance::fixture::{T0, claim, id, number_found};
use store::conformance::webhook_fixture::{acceptance, guard};
use store::jobs::JobStore as _;
use store::webhooks::{Acceptance, Accepted, WebhookStore as _};
use testkit::database::{TestStore, last_session};

use crate::fixture::ALL;

/// A provider that sends the same request two hundred times at once: one is new, all others get its id.
pub(crate) async fn i07_parallel_copies_of_a_webhook_delivery_are_one(test: &TestStore) {
    const COPIES: usize = 200;
    let endpoint: WebhookId = id();
    let mut tasks = tokio::task::JoinSet::new();
    for copy in 0..COPIES {
        let store = Arc::clone(&test.store);
        let guards = if copy.is_multiple_of(2) { [guard(1), guard(2)] } else { [guard(2), guard(1)] };
        let acceptance = acceptance(endpoint, &guards);
        tasks.spawn(async move { store.accept_deliveries(&[acceptance], T0).await.expect("accept works") });
    }
    let answers: Vec<Accepted> = tasks.join_all().await.into_iter().flatten().collect();
    let new: Vec<DeliveryId> = answers.iter().filter_map(new_id).collect();
    assert_eq!((answers.len(), new.len()), (COPIES, 1), "{answers:?}");
    let duplicates = answers.iter().filter(|answer| **answer == Accepted::Duplicate(new[0])).count();
    assert_eq!(duplicates, COPIES - 1, "{answers:?}");
    let count = async |query: &str| number_found(&*test.store, &ALL, SearchList::Deliveries, query).await;
    assert_eq!(count("status:accepted").await, 1);
    assert_eq!(count("status:duplicate").await, COPIES - 1);
    let jobs = test.store.claim(&claim(QueueName::Webhook, 10, T0)).await.expect("claim works");
    assert_eq!(jobs.len(), 1);
}

/// The same call made many times at once, as by a caller who lost the answers: everybody gets the same answer.
pub(crate) async fn i07_parallel_repeats_of_a_webhook_call_agree(test: &TestStore) {
    let endpoint: WebhookId = id();
    let call: Arc<Vec<Acceptance>> = Arc::new(vec![
        acceptance(endpoint, &[guard(1)]),
        acceptance(endpoint, &[guard(1), guard(2)]),
        acceptance(endpoint, &[]),
    ]);
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (store, call) = (Arc::clone(&test.store), Arc::clone(&call));
        tasks.spawn(async move { store.accept_deliveries(&call, T0).await.expect("accept works") });
    }
    let ids: Vec<DeliveryId> = call.iter().map(|acceptance| acceptance.delivery.id).collect();
    let expected = [Accepted::New(ids[0]), Accepted::Duplicate(ids[0]), Accepted::New(ids[2])];
    for answers in tasks.join_all().await {
        assert_eq!(answers, expected);
    }
    let jobs = test.store.claim(&claim(QueueName::Webhook, 10, T0)).await.expect("claim works");
    assert_eq!(jobs.len(), 2);
}

/// Batches that share guards in every order: each guard is won once, every answer says by whom, and no two
/// transactions wait for each other.
pub(crate) async fn webhook_batches_at_once_agree(test: &TestStore) {
    const GUARDS: u8 = 40;
    let endpoint: WebhookId = id();
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..8_u8 {
        let store = Arc::clone(&test.store);
        tasks.spawn(async move {
            let mut seen = Vec::new();
            for round in 0..6_u8 {
                let names = order(GUARDS, task).map(|name| name + round * GUARDS);
                let names: Vec<u8> = names.collect();
                let batch: Vec<Acceptance> =
                    names.iter().map(|&name| acceptance(endpoint, &[guard(name)])).collect();
                let answers = store.accept_deliveries(&batch, T0).await.expect("accept works");
                seen.extend(names.into_iter().zip(answers));
            }
            seen
        });
    }
    let seen: Vec<(u8, Accepted)> = tasks.join_all().await.into_iter().flatten().collect();
    let mut winners: HashMap<u8, DeliveryId> = HashMap::new();
    for (name, answer) in &seen {
        if let Some(id) = new_id(answer) {
            assert_eq!(winners.insert(*name, id), None, "guard {name} is won once");
        }
    }
    assert_eq!(winners.len(), 6 * usize::from(GUARDS));
    for (name, answer) in seen {
        let (Accepted::New(id) | Accepted::Duplicate(id)) = answer;
        assert_eq!(Some(&id), winners.get(&name), "guard {name}");
    }
    if test.store.is_postgres() {
        assert_eq!(deadlocks(test).await, 0);
    }
}

/// All names below `count`, rotated and for every second task backwards.
fn order(count: u8, task: u8) -> impl Iterator<Item = u8> {
    (0..count).map(move |place| {
        let place = (place + task * 5) % count;
        if task.is_multiple_of(2) { place } else { count - 1 - place }
    })
}

fn new_id(answer: &Accepted) -> Option<DeliveryId> {
    match answer {
        Accepted::New(id) => Some(*id),
        Accepted::Duplicate(_) => None,
    }
}

/// How many deadlocks the server broke in this database. The store would try again, so no call shows them. Servers
/// count them when a connection ends.
pub(crate) async fn deadlocks(test: &TestStore) -> i64 {
    test.store.close().await;
    let mut server = last_session(&test.url).await;
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    sqlx::query_scalar(deadlocks).fetch_one(&mut server).await.expect("read works")
}
