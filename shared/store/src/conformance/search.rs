//! Finding objects by terms: filters, instants, both orders, pages, counts, tenants.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::id::{DeliveryId, WebhookId};
use domain::job::Disposition;
use domain::names::{CallerKey, JobType, Tag};
use domain::queue::Tier;
use domain::search::{Order, Search, SearchList};
use domain::time::Timestamp;
use uuid::Uuid;

use super::executions::node_job;
pub(super) use super::fixture::search;
use super::fixture::{
    self, T0, after_secs, claim_nodes, complete, enqueue, execution, id, job, lease, tenant,
};
use super::schedule_fixture::{created, execution_of, fire, fired, schedule, start};
use crate::Store;
use crate::executions::Trigger;
use crate::jobs::{NewJob, Settlement};
use crate::schedules::Fired;
use crate::search::{Counted, SuggestedValues};

const ALL: TenantScope = TenantScope::All;

/// All pages of two, in order.
pub(super) async fn found(store: &dyn Store, scope: &TenantScope, search: &Search) -> Vec<Uuid> {
    fixture::found(store, scope, search, 2).await
}

async fn count_of(store: &dyn Store, list: SearchList, query: &str) -> usize {
    let search = search(list, query);
    let ids = found(store, &ALL, &search).await;
    let counted = store.count_found(&ALL, &search, 10).await.expect("counting works");
    assert_eq!(counted, Counted::exactly(ids.len().min(10) as u64), "{query}");
    ids.len()
}

fn typed(job_type: &str) -> NewJob {
    NewJob { job_type: JobType::trusted(job_type), ..job() }
}

/// Each filter of jobs finds what it says, unfinished and finished ones alike.
pub async fn jobs_are_found_by_each_filter(store: &dyn Store) {
    let tagged = NewJob { tags: vec![Tag::trusted("vip")], tier: Tier::High, ..typed("one") };
    let keyed = NewJob {
        unique_key: Some(CallerKey::trusted("a/b")),
        concurrency_key: Some(CallerKey::trusted("k/1")),
        ..typed("two")
    };
    let other = NewJob { tenant: tenant("b"), ..typed("two") };
    let later = NewJob { run_at: after_secs(60), ..typed("three") };
    enqueue(store, &[tagged.clone(), keyed.clone(), other.clone(), later.clone()]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    assert_eq!(claimed[0].id, tagged.id, "the higher tier is served first");
    complete(store, &claimed[0], after_secs(5)).await;
    for (query, count) in [
        ("", 4),
        ("status:COMPLETED", 1),
        ("status:QUEUED,SCHEDULED", 3),
        ("status:COMPLETED,QUEUED", 3),
        ("-status:QUEUED", 2),
        ("jobType:one,three", 2),
        ("jobType:t*", 3),
        ("-jobType:two", 2),
        ("jobType:a..p", 1),
        ("tenant:a", 3),
        ("tenant:a jobType:two", 1),
        ("tenant:none", 0),
        ("priority:high", 1),
        ("tag:vip", 1),
        ("tag:v*", 1),
        ("-tag:vip", 3),
        ("tag:vi", 0),
        ("uniqueKey:\"a/b\"", 1),
        ("uniqueKey:b", 0),
        ("uniqueKey:*", 1),
        ("concurrencyKey:k/1", 1),
        ("concurrencyKey:k*", 1),
        ("workerId:*", 1),
        ("run:>now", 1),
        ("completed:*", 1),
        ("created:<now-1h", 0),
        ("created:>=now-1h", 4),
        (tagged.id.to_string().as_str(), 1),
        (format!("-{}", tagged.id).as_str(), 3),
    ] {
        assert_eq!(count_of(store, SearchList::Jobs, query).await, count, "{query}");
    }
    let own = TenantScope::One(tenant("b"));
    assert_eq!(found(store, &own, &search(SearchList::Jobs, "")).await, [other.id.uuid()]);
    let counted = store.count_found(&own, &search(SearchList::Jobs, ""), 10).await.expect("counting works");
    assert_eq!(counted, Counted::exactly(1));
    assert!(found(store, &own, &search(SearchList::Jobs, &tagged.id.to_string())).await.is_empty());
    let shown = store.jobs_of(&own, &[tagged.id.uuid(), other.id.uuid()]).await.expect("works");
    assert_eq!(shown.iter().map(|job| job.id).collect::<Vec<_>>(), [other.id]);
}

/// Both orders, by when they were made and by other instants; what lacks the instant is not listed.
pub async fn found_jobs_are_ordered_both_ways(store: &dyn Store) {
    let jobs: Vec<NewJob> = (0..5).map(|_| job()).collect();
    enqueue(store, &jobs).await;
    let claimed = claim_nodes(store, 3, T0).await;
    for (job, end) in claimed.iter().zip([30, 10, 20]) {
        complete(store, job, after_secs(end)).await;
    }
    let mut search = search(SearchList::Jobs, "");
    let newest = found(store, &ALL, &search).await;
    assert!(newest.is_sorted_by(|one, next| one > next), "newest first");
    search.order = Order::Asc;
    let oldest: Vec<Uuid> = newest.iter().rev().copied().collect();
    assert_eq!(found(store, &ALL, &search).await, oldest);
    "completed".clone_into(&mut search.sort);
    let by_end = [claimed[1].id.uuid(), claimed[2].id.uuid(), claimed[0].id.uuid()];
    assert_eq!(found(store, &ALL, &search).await, by_end);
    search.order = Order::Desc;
    assert_eq!(found(store, &ALL, &search).await, [by_end[2], by_end[1], by_end[0]]);
    "processed".clone_into(&mut search.sort);
    assert_eq!(found(store, &ALL, &search).await.len(), 3);
}

async fn die(store: &dyn Store, new: NewJob, message: &str, at: Timestamp) {
    enqueue(store, std::slice::from_ref(&new)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    assert_eq!(claimed[0].id, new.id);
    let error = JobError { message: message.to_owned(), code: None, details: None };
    let disposition = Disposition::Die { reason: DeadReason::RetriesExhausted, error };
    let settlement = Settlement { lease: lease(&claimed[0]), disposition };
    store.settle(&[settlement], at).await.expect("settle works");
}

/// Dead letters are found by each filter and ordered by when they died.
pub async fn dead_letters_are_found_by_each_filter(store: &dyn Store) {
    let tagged = NewJob { tags: vec![Tag::trusted("vip")], ..typed("one") };
    die(store, tagged.clone(), "disk full", after_secs(30)).await;
    die(store, typed("two"), "no route", after_secs(10)).await;
    die(store, NewJob { tenant: tenant("b"), ..typed("two") }, "no route", after_secs(20)).await;
    let all = search(SearchList::DeadLetters, "");
    let ids = found(store, &ALL, &all).await;
    let letters = store.dead_letters_of(&ALL, &ids).await.expect("works");
    let died: Vec<Timestamp> = letters.iter().map(|letter| letter.died_at).collect();
    assert_eq!(died, [after_secs(30), after_secs(20), after_secs(10)], "the newest death first");
    let oldest = Search { order: Order::Asc, ..all.clone() };
    assert_eq!(found(store, &ALL, &oldest).await, ids.iter().rev().copied().collect::<Vec<_>>());
    let fingerprint = letters[1].fingerprint.clone();
    for (query, count) in [
        ("status:open", 3),
        ("status:open,archived", 3),
        ("status:archived", 0),
        ("-status:open", 0),
        ("jobType:two", 2),
        ("jobType:two tenant:a", 1),
        ("reason:retries_exhausted", 3),
        ("reason:timeout", 0),
        ("tag:vip", 1),
        ("queue:workflow-node", 3),
        ("queue:workflow-webhook", 0),
        ("workerId:*", 3),
        (format!("fingerprint:{fingerprint}").as_str(), 2),
        (format!("fingerprint:{fingerprint} -tenant:b").as_str(), 1),
        ("died:>now", 3),
        ("resolved:*", 0),
    ] {
        assert_eq!(count_of(store, SearchList::DeadLetters, query).await, count, "{query}");
    }
    let of_jobs = format!("fingerprint:{fingerprint}");
    assert_eq!(count_of(store, SearchList::Jobs, &of_jobs).await, 2);
    let own = TenantScope::One(tenant("b"));
    assert_eq!(found(store, &own, &all).await.len(), 1);
    let resolved = Search { sort: "resolved".to_owned(), ..all };
    assert!(found(store, &ALL, &resolved).await.is_empty(), "what lacks the instant is not listed");
}

/// Executions are found by each filter.
pub async fn executions_are_found_by_each_filter(store: &dyn Store) {
    let mut first = execution("order");
    first.correlation_id = Some(CallerKey::trusted("c-1"));
    first.tags = vec![Tag::trusted("vip")];
    let second = execution("billing-eu");
    store.create_executions(&[first.clone(), second.clone()], T0).await.expect("executions can be made");
    for (query, count) in [
        ("", 2),
        ("workflow:order", 1),
        ("-workflow:billing-*", 1),
        ("version:1..3", 2),
        ("version:>1", 0),
        ("status:PENDING", 2),
        ("status:RUNNING,FAILED", 0),
        ("trigger:user", 2),
        ("correlationId:c-1", 1),
        ("tag:vip", 1),
        ("parent:*", 0),
        ("scheduleId:*", 0),
        ("deliveryId:*", 0),
        ("fingerprint:*", 0),
        ("completed:*", 0),
        ("created:2000-01-01..2100-01-01", 2),
        (first.id.to_string().as_str(), 1),
    ] {
        assert_eq!(count_of(store, SearchList::Executions, query).await, count, "{query}");
    }
    let shown = store.executions_of(&ALL, &[second.id.uuid(), first.id.uuid()]).await.expect("works");
    assert_eq!(shown.iter().map(|one| one.id).collect::<Vec<_>>(), [second.id, first.id]);
    let others = TenantScope::One(tenant("nobody"));
    assert!(found(store, &others, &search(SearchList::Executions, "")).await.is_empty());
}

/// Jobs, dead letters and executions are found by the schedule, webhook or delivery that started them.
pub async fn what_was_started_is_found_by_what_started_it(store: &dyn Store) {
    let (minutely, other, nominal) = (schedule("minutely"), schedule("other"), after_secs(60));
    created(store, &minutely).await;
    let scheduled = execution_of(&minutely, nominal);
    let tick = fired(&minutely, vec![start(&minutely, nominal)], Some((nominal, None)));
    assert_eq!(fire(store, &tick, nominal).await, Fired::Done(vec![scheduled.id]));
    let (webhook, another, delivery): (WebhookId, WebhookId, DeliveryId) = (id(), id(), id());
    let mut delivered = execution("w");
    let detail = format!(r#"{{"deliveryId":"{delivery}","webhookId":"{webhook}"}}"#);
    delivered.trigger = Trigger { kind: "webhook".to_owned(), detail: Some(detail) };
    store.create_executions(&[delivered.clone(), execution("w")], T0).await.expect("executions can be made");
    die(store, node_job(&scheduled, "first"), "no route", after_secs(70)).await;
    die(store, node_job(&delivered, "first"), "no route", after_secs(80)).await;
    let (second, third) = (node_job(&delivered, "second"), node_job(&delivered, "third"));
    enqueue(store, &[node_job(&scheduled, "second"), second, third, job()]).await;
    for (list, query, count) in [
        (SearchList::Jobs, format!("queue:workflow-node scheduleId:{}", minutely.id), 2),
        (SearchList::Jobs, format!("queue:workflow-node -scheduleId:{}", minutely.id), 4),
        (SearchList::Jobs, format!("queue:workflow-node scheduleId:{}", other.id), 0),
        (SearchList::Jobs, format!("queue:workflow-node deliveryId:{delivery}"), 3),
        (SearchList::DeadLetters, format!("scheduleId:{}", minutely.id), 1),
        (SearchList::DeadLetters, format!("scheduleId:{}", other.id), 0),
        (SearchList::DeadLetters, format!("deliveryId:{delivery}"), 1),
        (SearchList::Executions, format!("scheduleId:{}", minutely.id), 1),
        (SearchList::Executions, format!("webhookId:{webhook}"), 1),
        (SearchList::Executions, format!("webhookId:{another}"), 0),
        (SearchList::Executions, format!("deliveryId:{delivery}"), 1),
        (SearchList::Executions, "-webhookId:*".to_owned(), 2),
    ] {
        assert_eq!(count_of(store, list, &query).await, count, "{list:?} {query}");
    }
}

/// Whatever a list is filtered by splits it in two: what has a value, and what has none. In the order of each of its instants
/// those are listed that have it, both ways.
pub async fn each_filter_and_instant_of_each_list_is_answered(store: &dyn Store) {
    let tagged = NewJob { tags: vec![Tag::trusted("vip")], ..typed("one") };
    die(store, tagged, "disk full", after_secs(30)).await;
    let keyed = NewJob { unique_key: Some(CallerKey::trusted("u")), ..typed("two") };
    enqueue(store, &[keyed, typed("two")]).await;
    store.create_executions(&[execution("order")], T0).await.expect("executions can be made");
    created(store, &schedule("minutely")).await;
    for list in SearchList::ALL {
        let number = async |query: String| found(store, &ALL, &search(list, &query)).await.len();
        let whole = number(String::new()).await;
        for field in list.fields() {
            let (with, without) =
                (number(format!("{}:*", field.name)).await, number(format!("-{}:*", field.name)).await);
            assert_eq!(with + without, whole, "{} of {}", field.name, list.as_str());
        }
        for instant in list.instants() {
            let has_it = number(format!("{instant}:*")).await;
            let by = |order| Search { sort: (*instant).to_owned(), order, ..search(list, "") };
            let mut oldest = found(store, &ALL, &by(Order::Asc)).await;
            assert_eq!(oldest.len(), has_it, "{instant} of {}", list.as_str());
            oldest.reverse();
            assert_eq!(found(store, &ALL, &by(Order::Desc)).await, oldest, "{instant} of {}", list.as_str());
        }
    }
}

/// Values that were seen lately are suggested by how they begin, each tenant its own.
pub async fn i13_values_are_suggested_within_the_tenant(store: &dyn Store) {
    let tagged = |tag: &str, of: &str| NewJob {
        tags: vec![Tag::trusted(tag)],
        tenant: tenant(of),
        ..typed(&format!("charge-{of}"))
    };
    enqueue(store, &[tagged("vip", "a"), tagged("vip 2", "b"), typed("ship%")]).await;
    for claimed in claim_nodes(store, 10, T0).await {
        complete(store, &claimed, after_secs(1)).await;
    }
    let suggested = |scope: TenantScope, of: SuggestedValues, begin: &'static str, limit: u32| async move {
        store.suggest_values(&scope, of, begin, T0, limit).await.expect("it suggests")
    };
    let own = TenantScope::One(tenant("b"));
    for (of, begin, all, of_b) in [
        (SuggestedValues::JobTypes, "", vec!["charge-a", "charge-b", "ship%"], vec!["charge-b"]),
        (SuggestedValues::JobTypes, "ch", vec!["charge-a", "charge-b"], vec!["charge-b"]),
        (SuggestedValues::JobTypes, "%", vec![], vec![]),
        (SuggestedValues::Tenants, "", vec!["a", "b"], vec!["b"]),
        (SuggestedValues::JobTags, "vip", vec!["vip", "vip 2"], vec!["vip 2"]),
        (SuggestedValues::ExecutionTags, "", vec![], vec![]),
        (SuggestedValues::EventTypes, "", vec![], vec![]),
        (SuggestedValues::Fingerprints, "", vec![], vec![]),
        (SuggestedValues::Workers, "", vec![], vec![]),
        (SuggestedValues::Workflows, "", vec![], vec![]),
    ] {
        assert_eq!(suggested(ALL, of, begin, 10).await, all, "{of:?} {begin}");
        assert_eq!(suggested(own.clone(), of, begin, 10).await, of_b, "{of:?} {begin}");
    }
    assert_eq!(suggested(ALL, SuggestedValues::JobTypes, "", 2).await.len(), 2);
    let late = store.suggest_values(&ALL, SuggestedValues::JobTags, "", after_secs(2), 10).await;
    assert!(late.expect("it suggests").is_empty(), "they ended before");
}
