//! Bulk operations: objects in order, changes that commit with their entry, owners, outcomes.

use domain::access::TenantScope;
use domain::bulk::BatchCounts;
use domain::failure::{DeadLetterStatus, DeadReason, JobError};
use domain::id::{BatchId, DeadLetterId};
use domain::job::{Disposition, JobStatus};
use domain::search::SearchList;
use domain::time::Timestamp;
use uuid::Uuid;

use super::fixture::{T0, after_secs, claim_nodes, enqueue, id, job, lease, status, tenant, uuid};
use super::search::{found, search};
use crate::batches::{BatchEntry, BatchRecord, BatchStatus, ItemOutcome};
use crate::dead_letters::{DeadLetterChange, DeadLetterFilter};
use crate::jobs::{JobChange, Settlement};
use crate::page::{PageRequest, Place};
use crate::{Store, StoreError};

const ALL: TenantScope = TenantScope::All;
const PAGE: PageRequest = PageRequest { limit: 10, after: None };

/// A batch whose objects are to be listed.
pub(super) fn batch() -> BatchRecord {
    BatchRecord {
        id: id(),
        tenant: None,
        kind: "jobs.cancel".into(),
        request: "{}".into(),
        status: BatchStatus::Preparing,
        status_reason: None,
        is_past_canary: false,
        counts: BatchCounts::default(),
        reason: Some("why".into()),
        actor: "key_1".into(),
        cursor: None,
        created_at: T0,
        updated_at: T0,
        finished_at: None,
    }
}

async fn create(store: &dyn Store, owner: Uuid) -> BatchId {
    let batch = batch();
    store.create_batch(&batch, owner).await.expect("create works");
    batch.id
}

async fn read(store: &dyn Store, id: BatchId) -> BatchRecord {
    store.batch(&ALL, id).await.expect("works").expect("there")
}

fn entry(batch: BatchId, owner: Uuid, object: Uuid) -> BatchEntry {
    BatchEntry { batch, owner, object, result: Some(object), has_aftermath: true, now: after_secs(1) }
}

/// Objects are listed in parts, each in a commit with where the listing goes on; then the batch runs.
pub async fn a_batch_lists_its_objects_and_runs(store: &dyn Store) {
    let owner = uuid();
    let batch = create(store, owner).await;
    let objects: Vec<Uuid> = (0..5).map(|_| uuid()).collect();
    let cursor = Place { at: 7, id: objects[2] };
    let add = async |owner, objects: &[Uuid], cursor| {
        store.add_batch_items((batch, owner), objects, cursor, after_secs(1)).await.expect("works")
    };
    assert_eq!(add(uuid(), &objects, None).await, None, "only its owner lists");
    let part = add(owner, &objects[..3], Some(cursor)).await.expect("the owner's");
    assert_eq!((part.status, part.counts.total, part.cursor), (BatchStatus::Preparing, 3, Some(cursor)));
    let whole = add(owner, &objects[2..], None).await.expect("the owner's");
    assert_eq!((whole.status, whole.counts.total, whole.cursor), (BatchStatus::Running, 5, None));
    assert_eq!(add(owner, &objects, None).await, None, "it is listed");
    let waiting = store.waiting_items(batch, 0, 10).await.expect("works");
    assert_eq!(waiting.iter().map(|item| item.object).collect::<Vec<_>>(), objects, "in order, each once");
    let rest = store.waiting_items(batch, waiting[1].position, 2).await.expect("works");
    assert_eq!(rest.iter().map(|item| item.object).collect::<Vec<_>>(), objects[2..4]);
    let settle = async |object, outcome| {
        store.settle_item(&entry(batch, owner, object), outcome, Some("no")).await.expect("works")
    };
    assert!(settle(objects[0], ItemOutcome::Failed).await);
    assert!(!settle(objects[0], ItemOutcome::Skipped).await, "once");
    assert!(settle(objects[1], ItemOutcome::Skipped).await);
    let failed = store.batch_items(batch, &[ItemOutcome::Failed], 0, 10).await.expect("works");
    assert_eq!((failed.len(), failed[0].object, failed[0].error.as_deref()), (1, objects[0], Some("no")));
    assert_eq!(store.batch_items(batch, &[], 0, 10).await.expect("works").len(), 2);
    let counts = store.count_items(batch).await.expect("works");
    assert_eq!(counts, BatchCounts { total: 5, failed: 1, skipped: 1, ..BatchCounts::default() });
}

async fn dead(store: &dyn Store) -> DeadLetterId {
    let new = job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let error = JobError { message: "x".to_owned(), code: None, details: None };
    let disposition = Disposition::Die { reason: DeadReason::RetriesExhausted, error };
    let settlement = Settlement { lease: lease(&claimed[0]), disposition };
    store.settle(&[settlement], after_secs(1)).await.expect("settle works");
    let list = store.list_dead_letters(&ALL, &DeadLetterFilter::default(), PAGE).await.expect("works");
    list.items[0].id
}

/// A change of an object and its entry commit together: a second one, another owner's and one of a batch that does not
/// run change nothing.
pub async fn a_change_commits_with_its_entry_or_not_at_all(store: &dyn Store) {
    let (owner, other) = (uuid(), uuid());
    let jobs = [job(), job(), job()];
    enqueue(store, &jobs).await;
    let batch = create(store, owner).await;
    let objects: Vec<Uuid> = jobs.iter().map(|job| job.id.uuid()).collect();
    store.add_batch_items((batch, owner), &objects, None, T0).await.expect("works");
    let cancel = async |owner: Uuid, index: usize| {
        let bound = store.bound_to(entry(batch, owner, objects[index]));
        bound.cancel_job(&ALL, jobs[index].id, after_secs(1)).await
    };
    let stolen = cancel(other, 0).await;
    assert!(matches!(stolen, Err(StoreError::Outdated { .. })), "{stolen:?}");
    assert_eq!(status(store, jobs[0].id).await, JobStatus::Queued);
    let changed = cancel(owner, 0).await.expect("works");
    assert!(matches!(changed, JobChange::Changed { status: JobStatus::Cancelled, .. }), "{changed:?}");
    let items = store.batch_items(batch, &[ItemOutcome::Done], 0, 10).await.expect("works");
    assert_eq!((items.len(), items[0].result), (1, Some(objects[0])));
    // What is refused leaves the entry open.
    let refused = cancel(owner, 0).await.expect("works");
    assert_eq!(refused, JobChange::Refused(JobStatus::Cancelled));
    assert_eq!(store.waiting_items(batch, 0, 10).await.expect("works").len(), 2);
    let taken_over = store.take_over_batches(after_secs(2), other, after_secs(2)).await.expect("works");
    assert_eq!(taken_over.iter().map(|one| one.id).collect::<Vec<_>>(), [batch]);
    let late = cancel(owner, 1).await;
    assert!(matches!(late, Err(StoreError::Outdated { .. })), "{late:?}");
    cancel(other, 1).await.expect("the new owner goes on");
    let to = (BatchStatus::Paused, Some("operator"));
    assert!(store.move_batch(batch, &[BatchStatus::Running], to, after_secs(3)).await.expect("works"));
    let held = cancel(other, 2).await;
    assert!(matches!(held, Err(StoreError::Outdated { .. })), "{held:?}");
    assert_eq!(status(store, jobs[2].id).await, JobStatus::Queued);

    let letter = dead(store).await;
    let of_letters = create(store, owner).await;
    store.add_batch_items((of_letters, owner), &[letter.uuid()], None, T0).await.expect("works");
    let archive = async || {
        let bound = store.bound_to(entry(of_letters, owner, letter.uuid()));
        bound.archive_dead_letter(&ALL, letter, "known", after_secs(2)).await
    };
    assert!(matches!(archive().await, Ok(DeadLetterChange::Changed { .. })));
    assert!(matches!(archive().await, Err(StoreError::Outdated { .. })), "its turn is over");
    let archived = store.dead_letter(&ALL, letter).await.expect("works").expect("there");
    assert_eq!(archived.status, DeadLetterStatus::Archived);
}

/// A batch moves between statuses, is reported by its owner only, and is taken over when it stands still.
pub async fn a_batch_moves_and_is_taken_over(store: &dyn Store) {
    let (owner, other) = (uuid(), uuid());
    let batch = create(store, owner).await;
    store.add_batch_items((batch, owner), &[uuid()], None, T0).await.expect("works");
    let counts = BatchCounts { done: 1, pending: 1, ..BatchCounts::default() };
    let report =
        async |owner, at: Timestamp| store.report_batch((batch, owner), &counts, at).await.expect("works");
    assert_eq!(report(owner, after_secs(1)).await.expect("the owner's").counts.done, 1);
    assert_eq!(report(other, after_secs(1)).await, None);
    let turn = async |from, to| store.move_batch(batch, &[from], to, after_secs(2)).await.expect("works");
    assert!(turn(BatchStatus::Running, (BatchStatus::Paused, Some("canary"))).await);
    assert!(!turn(BatchStatus::Running, (BatchStatus::Paused, Some("operator"))).await);
    assert!(!read(store, batch).await.is_past_canary);
    assert!(turn(BatchStatus::Paused, (BatchStatus::Running, None)).await);
    assert!(read(store, batch).await.is_past_canary, "it went on after its canary");
    let take = async |before, owner| {
        store.take_over_batches(before, owner, after_secs(40)).await.expect("works").len()
    };
    assert_eq!(take(after_secs(2), other).await, 0, "it has moved");
    assert_eq!(take(after_secs(30), other).await, 1);
    assert_eq!(take(after_secs(30), owner).await, 0, "taken once");
    assert_eq!(report(owner, after_secs(41)).await, None, "it is another's");
    assert!(turn(BatchStatus::Running, (BatchStatus::Completed, None)).await);
    let ended = read(store, batch).await;
    assert_eq!((ended.status, ended.finished_at), (BatchStatus::Completed, Some(after_secs(2))));
    assert_eq!(take(after_secs(60), owner).await, 1, "an outcome is still looked for");
    let own = TenantScope::One(tenant("a"));
    for (query, count) in [
        ("", 1),
        ("status:completed,failed kind:jobs.cancel", 1),
        ("kind:jobs.retry", 0),
        ("actor:key_1", 1),
        ("-actor:key_1", 0),
    ] {
        let search = search(SearchList::Batches, query);
        let ids = found(store, &ALL, &search).await;
        assert_eq!(ids.len(), count, "{query}");
        assert_eq!(store.batches_of(&ALL, &ids).await.expect("they can be read").len(), count);
        assert_eq!(found(store, &own, &search).await.len(), 0, "it is no tenant's");
    }
    assert_eq!(store.batches_of(&own, &[batch.uuid()]).await.expect("read works"), []);
    assert_eq!(store.batch(&own, batch).await.expect("works"), None);
}

/// What changes started is looked for until it has ended.
pub async fn what_was_started_is_resolved(store: &dyn Store) {
    let owner = uuid();
    let batch = create(store, owner).await;
    let objects: Vec<Uuid> = (0..3).map(|_| uuid()).collect();
    store.add_batch_items((batch, owner), &objects, None, T0).await.expect("works");
    for object in &objects {
        let entry = entry(batch, owner, *object);
        assert!(store.settle_item(&entry, ItemOutcome::Done, None).await.expect("works"));
    }
    assert_eq!(store.pending_items(batch, 0, 10).await.expect("works").len(), 3);
    store.resolve_items(batch, &[(objects[0], false), (objects[1], true)]).await.expect("works");
    let pending = store.pending_items(batch, 0, 10).await.expect("works");
    assert_eq!(pending.iter().map(|item| item.object).collect::<Vec<_>>(), objects[2..]);
    let counts = store.count_items(batch).await.expect("works");
    assert_eq!((counts.done, counts.pending, counts.ended_badly), (3, 1, 1));
    // A change that was recorded but turned out to be refused.
    let entry = entry(batch, owner, objects[2]);
    assert!(store.settle_item(&entry, ItemOutcome::Failed, Some("refused")).await.expect("works"));
    let counts = store.count_items(batch).await.expect("works");
    assert_eq!((counts.done, counts.failed, counts.pending), (2, 1, 0));
}
