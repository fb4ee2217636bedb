//! Rates of callers' own keys: each key is counted by itself, the longest match wins, and who is held keeps nobody back.

use std::collections::BTreeMap;

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::job::Disposition;
use domain::names::CallerKey;
use domain::queue::Tier;
use domain::rate::{KeyRate, Rate, RateSubject};
use domain::time::Timestamp;

use super::fixture::{T0, after_secs, claim_nodes, complete, enqueue, job, lease, tenant};
use crate::Store;
use crate::jobs::{ClaimedJob, NewJob, Settlement};

/// More than any case has.
const RATES_MAX: u32 = 100;

fn keyed(key: &str) -> NewJob {
    NewJob { rate_key: Some(CallerKey::trusted(key)), ..job() }
}

fn some(key: &str, count: usize) -> Vec<NewJob> {
    (0..count).map(|_| keyed(key)).collect()
}

fn key_rate(pattern: &str, rate: &str, max_concurrent: Option<u32>) -> KeyRate {
    let rate = Rate::parse(rate).expect("it is a rate");
    KeyRate { tenant: job().tenant, pattern: pattern.to_owned(), rate, max_concurrent }
}

async fn set(store: &dyn Store, pattern: &str, rate: &str, max_concurrent: Option<u32>) {
    let rate = key_rate(pattern, rate, max_concurrent);
    assert!(store.set_key_rate(&rate, RATES_MAX, T0).await.expect("change works"));
}

/// How many jobs of each key were claimed, the store asked until it gives none.
async fn claimed(store: &dyn Store, batch: &[NewJob], now: Timestamp) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for claimed in claim_all(store, now).await {
        let of = batch.iter().find(|job| job.id == claimed.id).and_then(|job| job.rate_key.clone());
        *counts.entry(of.map_or_else(String::new, |key| key.to_string())).or_default() += 1;
    }
    counts
}

async fn claim_all(store: &dyn Store, now: Timestamp) -> Vec<ClaimedJob> {
    let mut all = Vec::new();
    loop {
        let claimed = claim_nodes(store, 7, now).await;
        if claimed.is_empty() {
            return all;
        }
        all.extend(claimed);
    }
}

fn counts(expected: &[(&str, usize)]) -> BTreeMap<String, usize> {
    expected.iter().map(|&(key, count)| (key.to_owned(), count)).collect()
}

/// Every key of a pattern is counted by itself, and one that is named has its own rate.
pub async fn i03_each_rate_key_is_counted_by_itself(store: &dyn Store) {
    let mut batch = Vec::new();
    for key in ["smtp:a", "smtp:b", "smtp:vip", "http:a"] {
        batch.extend(some(key, 6));
    }
    batch.push(job());
    batch.extend(some("smtp:a", 1).into_iter().map(|job| NewJob { tenant: tenant("b"), ..job }));
    enqueue(store, &batch).await;
    set(store, "smtp:*", "2/10s", None).await;
    set(store, "smtp:vip", "4/10s", None).await;
    let first = claimed(store, &batch, T0).await;
    // The other tenant's key is another one, without a rate.
    assert_eq!(first, counts(&[("", 1), ("http:a", 6), ("smtp:a", 3), ("smtp:b", 2), ("smtp:vip", 4)]));
    assert!(claimed(store, &batch, after_secs(10)).await.is_empty(), "not before the period is over");
    let second = claimed(store, &batch, after_secs(11)).await;
    assert_eq!(second, counts(&[("smtp:a", 2), ("smtp:b", 2), ("smtp:vip", 2)]));
}

/// Keys take turns, each is served in order, and one that waits keeps back neither others nor jobs without a key.
pub async fn i04_a_held_rate_key_holds_back_nobody(store: &dyn Store) {
    let batch: Vec<NewJob> =
        (0..9).map(|n| if n % 3 == 2 { job() } else { keyed(if n % 3 == 0 { "a" } else { "b" }) }).collect();
    enqueue(store, &batch).await;
    set(store, "a", "1/10s", None).await;
    let mut ids: Vec<_> = claim_all(store, T0).await.iter().map(|job| job.id).collect();
    ids.sort_unstable();
    let expected: Vec<_> = [0, 1, 2, 4, 5, 7, 8].map(|place| batch[place].id).to_vec();
    assert_eq!(ids, expected);
    let next: Vec<_> = claim_all(store, after_secs(11)).await.iter().map(|job| job.id).collect();
    assert_eq!(next, [batch[3].id], "in order of their positions");
}

/// A limit beside the rate counts what runs, and a slot that is freed is used.
pub async fn i03_a_rate_key_has_a_limit_of_its_own(store: &dyn Store) {
    let mut batch = some("a", 4);
    batch.extend(some("b", 4));
    enqueue(store, &batch).await;
    set(store, "*", "100/1s", Some(2)).await;
    let first = claim_all(store, T0).await;
    assert_eq!(first.len(), 4, "two of each");
    complete(store, &first[0], T0).await;
    assert_eq!(claim_all(store, T0).await.len(), 1, "one slot became free, one is taken");
}

/// A change holds from the next claim on, and what was started counts on.
pub async fn i03_a_rate_of_keys_can_be_changed(store: &dyn Store) {
    enqueue(store, &some("a", 12)).await;
    set(store, "a", "2/1h", None).await;
    assert_eq!(claim_all(store, T0).await.len(), 2);
    set(store, "a", "5/1h", Some(9)).await;
    assert_eq!(claim_all(store, T0).await.len(), 3);
    assert_eq!(store.key_rates().await.expect("read works"), [key_rate("a", "5/1h", Some(9))]);
    let more = key_rate("b", "1/1s", None);
    assert!(!store.set_key_rate(&more, 1, T0).await.expect("change works"), "one is all it may have");
    let again = key_rate("a", "6/1h", None);
    assert!(store.set_key_rate(&again, 1, T0).await.expect("change works"), "another for the same key");
    assert!(!store.remove_key_rate(&tenant("other"), "a").await.expect("change works"));
    assert!(store.remove_key_rate(&again.tenant, "a").await.expect("change works"));
    assert!(!store.remove_key_rate(&again.tenant, "a").await.expect("change works"));
    assert_eq!(claim_all(store, T0).await.len(), 7, "there is no rate");
    assert!(store.key_rates().await.expect("read works").is_empty());
}

/// A retry is a start of its key, and a job keeps its key through retries, other priorities and requeues.
pub async fn i03_a_job_keeps_its_rate_key(store: &dyn Store) {
    set(store, "a", "1/10s", None).await;
    let new = keyed("a");
    enqueue(store, std::slice::from_ref(&new)).await;
    let first = claim_all(store, T0).await;
    let error = JobError::coded("again", "once more");
    let retry = Settlement { lease: lease(&first[0]), disposition: Disposition::RetryAt { at: T0, error } };
    store.settle(&[retry], T0).await.expect("settle works");
    store.promote_due(&[], after_secs(1), 100).await.expect("promote works");
    store.reprioritize_job(&TenantScope::All, new.id, Tier::High, after_secs(1)).await.expect("change works");
    let record = store.job(&TenantScope::All, new.id).await.expect("read works").expect("there");
    assert_eq!((record.rate_key.as_deref(), record.tier), (Some("a"), Tier::High));
    assert!(claim_all(store, after_secs(2)).await.is_empty(), "a retry is a start");
    let facts = store.wait_facts(new.id).await.expect("read works").expect("it waits");
    let subject = RateSubject::Key(new.tenant.clone(), CallerKey::trusted("a"));
    assert_eq!(facts.starts.iter().map(|(of, ..)| of.clone()).collect::<Vec<_>>(), [subject]);
    assert_eq!(claim_all(store, after_secs(11)).await.len(), 1);
    enqueue(store, &some("a", 1)).await;
    assert!(claim_all(store, after_secs(12)).await.is_empty());
}
