//! Enqueue: acknowledged means there, once.

use domain::access::TenantScope;
use domain::id::Id;
use domain::job::JobStatus;
use domain::names::{CallerKey, JobType, Tag};
use domain::queue::{QueueName, Tier};
use domain::search::SearchList;
use domain::time::DurationMs;

use super::fixture::{
    T0, after_secs, claim_nodes, complete, enqueue, id, job, jobs, listed_jobs, search, status, tenant,
};
use crate::Store;
use crate::jobs::NewJob;
use crate::search::SearchPage;

/// What was enqueued can be read back to the last field.
pub async fn i01_an_enqueued_job_is_there_with_every_field(store: &dyn Store) {
    let new = NewJob {
        tier: Tier::Low,
        tenant: tenant("acme"),
        job_type: JobType::trusted("video.encode"),
        data: "{\"text\":\"ünïcode \\u0000 \\\"quoted\\\"\",\"big\":1e400}".to_owned(),
        retries_max: 7,
        timeout: Some(DurationMs(1_500)),
        unique_key: Some(CallerKey::trusted("u")),
        concurrency_key: Some(CallerKey::trusted("c")),
        tags: vec![Tag::trusted("red"), Tag::trusted("blue sky")],
        traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
        ..job()
    };
    let answer = enqueue(store, std::slice::from_ref(&new)).await;
    assert_eq!((answer[0].id, answer[0].status, answer[0].existing), (new.id, JobStatus::Queued, false));
    let record = store.job(&TenantScope::All, new.id).await.expect("read works").expect("the job is there");
    assert_eq!(record.data.as_ref(), Some(&new.data), "payloads are carried as they came");
    assert_eq!(record.position, answer[0].position);
    assert_eq!((record.queue, record.tier, record.status), (QueueName::Node, Tier::Low, JobStatus::Queued));
    assert_eq!((&record.tenant, &record.job_type), (&new.tenant, &new.job_type));
    assert_eq!((record.retries_max, record.retry_count, record.timeout), (7, 0, new.timeout));
    assert_eq!(record.backoff, new.backoff);
    assert_eq!(record.tags, ["red", "blue sky"]);
    assert_eq!((record.unique_key.as_deref(), record.concurrency_key.as_deref()), (Some("u"), Some("c")));
    assert_eq!(record.traceparent, new.traceparent);
    assert_eq!((record.run_at, record.created_at, record.processed_at), (T0, T0, None));
    assert!(record.attempts.is_empty());
}

/// The same id again changes nothing, whatever became of the job meanwhile.
pub async fn an_id_enqueued_twice_is_one_job(store: &dyn Store) {
    let new = job();
    let first = enqueue(store, std::slice::from_ref(&new)).await;
    let again = enqueue(store, &[NewJob { data: "{\"other\":1}".into(), ..new.clone() }]).await;
    assert!(again[0].existing);
    assert_eq!((again[0].id, again[0].position), (new.id, first[0].position));
    let claimed = claim_nodes(store, 10, T0).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].data, new.data);
    complete(store, &claimed[0], T0).await;
    let late = enqueue(store, std::slice::from_ref(&new)).await;
    assert!(late[0].existing);
    assert_eq!(late[0].status, JobStatus::Completed);
    assert!(claim_nodes(store, 10, T0).await.is_empty());
}

/// Of a batch that is sent again after some of its jobs ended, only what is missing is made, wherever it stands.
pub async fn ended_jobs_of_a_batch_are_not_made_again(store: &dyn Store) {
    let first = [job(), job(), job()];
    enqueue(store, &first).await;
    for claimed in claim_nodes(store, 2, T0).await {
        complete(store, &claimed, T0).await;
    }
    let (older, newer) = (NewJob { id: smallest_id(), ..job() }, job());
    let batch = [newer.clone(), first[1].clone(), first[2].clone(), older.clone(), first[0].clone()];
    let answers = enqueue(store, &batch).await;
    let found: Vec<_> = answers.iter().map(|answer| (answer.id, answer.existing, answer.status)).collect();
    let expected = [
        (newer.id, false, JobStatus::Queued),
        (first[1].id, true, JobStatus::Completed),
        (first[2].id, true, JobStatus::Queued),
        (older.id, false, JobStatus::Queued),
        (first[0].id, true, JobStatus::Completed),
    ];
    assert_eq!(found, expected);
    assert_eq!(claim_nodes(store, 10, T0).await.len(), 3);
    // Ids that are larger than all that ended, one of them twice.
    let (next, last) = (job(), job());
    let answers = enqueue(store, &[next.clone(), last, next.clone()]).await;
    let existing: Vec<bool> = answers.iter().map(|answer| answer.existing).collect();
    assert_eq!((existing, answers[2].id), (vec![false, false, true], next.id));
}

/// An id before all others.
fn smallest_id() -> domain::id::JobId {
    domain::id::JobId::from_uuid(uuid::Uuid::from_u128(1))
}

/// A unique key is held by one unfinished job of a tenant, and free again when that ends.
pub async fn a_unique_key_is_held_until_the_job_ends(store: &dyn Store) {
    let keyed = || NewJob { unique_key: Some(CallerKey::trusted("order-1")), ..job() };
    let other_tenant = NewJob { tenant: tenant("b"), ..keyed() };
    let (first, twin) = (keyed(), keyed());
    // Both in one batch, and another one later: all are the first.
    let answers = enqueue(store, &[first.clone(), twin, other_tenant.clone()]).await;
    assert_eq!((answers[0].id, answers[0].existing), (first.id, false));
    assert_eq!((answers[1].id, answers[1].existing), (first.id, true));
    assert_eq!((answers[2].id, answers[2].existing), (other_tenant.id, false));
    assert_eq!(enqueue(store, &[keyed()]).await[0].id, first.id);
    for claimed in claim_nodes(store, 10, T0).await {
        complete(store, &claimed, T0).await;
    }
    let next = keyed();
    let answer = enqueue(store, std::slice::from_ref(&next)).await;
    assert_eq!((answer[0].id, answer[0].existing), (next.id, false));
}

/// A job with a later time waits for it.
pub async fn a_delayed_job_is_promoted_when_due(store: &dyn Store) {
    let new = NewJob { run_at: after_secs(60), ..job() };
    assert_eq!(enqueue(store, std::slice::from_ref(&new)).await[0].status, JobStatus::Scheduled);
    assert!(claim_nodes(store, 10, after_secs(60)).await.is_empty(), "only promotion makes it claimable");
    let early = store.promote_due(&[], after_secs(59), 100).await.expect("promote works");
    assert!(early.by_queue.is_empty());
    let due = store.promote_due(&[], after_secs(60), 100).await.expect("promote works");
    assert_eq!(due.by_queue, [(QueueName::Node, 1)]);
    assert_eq!(status(store, new.id).await, JobStatus::Queued);
    assert_eq!(claim_nodes(store, 10, after_secs(60)).await.len(), 1);
}

/// A large batch goes in at once, with growing positions in the order given.
pub async fn a_batch_keeps_its_order(store: &dyn Store) {
    let batch = jobs(2_500, "a", Tier::Normal);
    let answers = enqueue(store, &batch).await;
    assert_eq!(answers.len(), batch.len());
    for (pair, new) in answers.windows(2).zip(&batch) {
        assert_eq!(pair[0].id, new.id);
        assert!(pair[0].position < pair[1].position, "{pair:?}");
    }
}

/// Promotion works in bounded steps and says when there is more.
pub async fn promotion_is_bounded(store: &dyn Store) {
    let batch: Vec<NewJob> = (0..7).map(|_| NewJob { run_at: after_secs(1), ..job() }).collect();
    enqueue(store, &batch).await;
    let first = store.promote_due(&[], after_secs(2), 5).await.expect("promote works");
    assert_eq!((first.by_queue.clone(), first.more), (vec![(QueueName::Node, 5)], true));
    let second = store.promote_due(&[], after_secs(2), 5).await.expect("promote works");
    assert_eq!((second.by_queue.clone(), second.more), (vec![(QueueName::Node, 2)], false));
}

/// Many retries become due in the same instant. They become claimable a batch at a time, and whoever else has a job is
/// served beside them, in the first claim after it.
pub async fn a_crowd_of_retries_that_is_due_holds_nobody_up(store: &dyn Store) {
    let crowd: Vec<NewJob> = jobs(1_000, "a", Tier::Normal)
        .into_iter()
        .map(|job| NewJob { run_at: after_secs(1), ..job })
        .collect();
    enqueue(store, &crowd).await;
    let (now, other) = (after_secs(2), tenant("b"));
    for (count, more) in [(400, true), (400, true), (200, false)] {
        let promoted = store.promote_due(&[], now, 400).await.expect("promote works");
        assert_eq!((promoted.by_queue.clone(), promoted.more), (vec![(QueueName::Node, count)], more));
        let alone = enqueue(store, &jobs(1, "b", Tier::Normal)).await[0].id;
        let claimed = claim_nodes(store, 4, now).await;
        assert_eq!(claimed.len(), 4);
        let served = claimed.iter().filter(|job| job.tenant == other).map(|job| job.id);
        assert_eq!(served.collect::<Vec<_>>(), [alone], "its turn comes beside the crowd");
        for job in &claimed {
            complete(store, job, now).await;
        }
    }
}

/// Lists are newest first, filtered, paged, and hide other tenants.
pub async fn i13_lists_are_filtered_paged_and_scoped(store: &dyn Store) {
    let mut batch = jobs(5, "a", Tier::Normal);
    batch.extend(jobs(3, "b", Tier::High));
    batch[0].tags = vec![Tag::trusted("x")];
    batch[1].tags = vec![Tag::trusted("xy")];
    enqueue(store, &batch).await;
    let own = TenantScope::One(tenant("a"));
    let all = search(SearchList::Jobs, "");
    let page = |after| SearchPage { limit: 3, after };
    let first = store.search(&own, &all, page(None)).await.expect("searching works");
    let ids: Vec<_> = first.places.iter().map(|place| place.id).collect();
    assert_eq!(ids, [batch[4].id, batch[3].id, batch[2].id].map(Id::uuid));
    let rest = store.search(&own, &all, page(first.next)).await.expect("searching works");
    let ids: Vec<_> = rest.places.iter().map(|place| place.id).collect();
    assert_eq!(ids, [batch[1].id, batch[0].id].map(Id::uuid));
    assert_eq!(rest.next, None);
    assert_eq!(listed_jobs(store, &own, "tag:x").await.len(), 1);
    assert_eq!(listed_jobs(store, &TenantScope::All, "priority:high").await.len(), 3);
    assert!(listed_jobs(store, &own, "priority:high").await.is_empty());
    assert_eq!(
        store.job(&own, batch[5].id).await.expect("read works"),
        None,
        "another tenant's job does not exist"
    );
}

/// Whose jobs are is known of all, also of those that have ended.
pub async fn i13_jobs_are_of_one_tenant(store: &dyn Store) {
    let mut batch = jobs(2, "a", Tier::Normal);
    batch.extend(jobs(1, "b", Tier::Low));
    enqueue(store, &batch).await;
    complete(store, &claim_nodes(store, 1, T0).await[0], T0).await;
    let asked = [batch[0].id, batch[1].id, batch[2].id, id()];
    let mut whose = store.tenants_of_jobs(&asked).await.expect("read works");
    whose.sort_unstable();
    let expected = batch.iter().map(|job| (job.id, job.tenant.clone())).collect::<Vec<_>>();
    assert_eq!(whose, expected);
    assert!(store.tenants_of_jobs(&[]).await.expect("read works").is_empty());
}
