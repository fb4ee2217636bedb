//! Dead letters of a batch that are requeued together: as each by itself, those that are eligible only, and all or none.

use domain::access::TenantScope;
use domain::failure::{DeadLetterStatus, DeadReason, JobError};
use domain::id::{BatchId, DeadLetterId, Id, JobId};
use domain::job::{Disposition, JobStatus};
use domain::names::{CallerKey, Tag};
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use uuid::Uuid;

use super::batches::batch;
use super::executions::node_job;
use super::fixture::{
    T0, after_secs, claim_nodes, complete, enqueue, execution, id, job, lease, status, tenant, uuid, version,
};
use crate::batches::{BatchEntry, BatchStatus, ItemOutcome, RequeuedLetter};
use crate::dead_letters::{DeadLetterChange, DeadLetterFilter, DeadLetterRecord, RequeueEdit};
use crate::jobs::{JobRecord, NewJob, Settlement};
use crate::page::PageRequest;
use crate::{Store, StoreError, StoreResult};

const ALL: TenantScope = TenantScope::All;

/// When letters are requeued.
const THEN: Timestamp = T0.plus(DurationMs::from_secs(2));

/// Lets these jobs die, and answers their letters in the same order.
async fn letters_of(store: &dyn Store, jobs: &[NewJob]) -> Vec<DeadLetterId> {
    enqueue(store, jobs).await;
    let claimed = claim_nodes(store, jobs.len() as u32, T0).await;
    assert_eq!(claimed.len(), jobs.len(), "nothing else is claimable");
    let error = JobError { message: "x".to_owned(), code: None, details: None };
    let disposition = Disposition::Die { reason: DeadReason::RetriesExhausted, error };
    let settlements: Vec<Settlement> = claimed
        .iter()
        .map(|job| Settlement { lease: lease(job), disposition: disposition.clone() })
        .collect();
    store.settle(&settlements, after_secs(1)).await.expect("settle works");
    let page = PageRequest { limit: 100, after: None };
    let list = store.list_dead_letters(&ALL, &DeadLetterFilter::default(), page).await.expect("list works");
    let letter_of = |job: JobId| list.items.iter().find(|letter| letter.job_id == job).expect("it is listed");
    jobs.iter().map(|job| letter_of(job.id).id).collect()
}

/// A batch of these letters that runs.
async fn batch_of(store: &dyn Store, owner: Uuid, letters: &[DeadLetterId]) -> BatchId {
    let batch = batch();
    store.create_batch(&batch, owner).await.expect("create works");
    let objects: Vec<Uuid> = letters.iter().map(|letter| letter.uuid()).collect();
    let added = store.add_batch_items((batch.id, owner), &objects, None, T0).await.expect("works");
    assert_eq!(added.map(|added| added.status), Some(BatchStatus::Running));
    batch.id
}

async fn letter(store: &dyn Store, id: DeadLetterId) -> DeadLetterRecord {
    store.dead_letter(&ALL, id).await.expect("read works").expect("there")
}

async fn together(
    store: &dyn Store,
    scope: &TenantScope,
    batch: (BatchId, Uuid),
    letters: &[DeadLetterId],
) -> StoreResult<Vec<DeadLetterId>> {
    let requeued = store.requeue_together(scope, batch, letters, None, THEN).await?;
    assert!(requeued.iter().all(|one| one.queue == QueueName::Node), "{requeued:?}");
    let is_there = |id: &DeadLetterId| requeued.iter().any(|one: &RequeuedLetter| one.id == *id);
    assert_eq!(requeued.iter().filter(|one| !letters.contains(&one.id)).count(), 0);
    Ok(letters.iter().copied().filter(is_there).collect())
}

/// Jobs of each kind that is requeued together.
fn eligible_jobs() -> Vec<NewJob> {
    vec![
        job(),
        NewJob { data: format!("\"{}\"", "x".repeat(200_000)), ..job() },
        NewJob {
            tags: vec![Tag::trusted("red"), Tag::trusted("blue")],
            timeout: Some(DurationMs::from_secs(9)),
            ..job()
        },
        NewJob { tier: Tier::High, retries_max: 0, ..job() },
        NewJob { tenant: tenant("b"), rate_key: Some(CallerKey::trusted("k")), ..job() },
    ]
}

/// All that can be seen of a letter, but for ids and positions: itself, its job and its entry.
async fn seen(
    store: &dyn Store,
    batch: BatchId,
    id: DeadLetterId,
) -> (DeadLetterRecord, JobRecord, ItemOutcome, Timestamp, Option<String>) {
    let letter = letter(store, id).await;
    let job = store.job(&ALL, letter.job_id).await.expect("read works").expect("there");
    let items = store.batch_items(batch, &[], 0, 100).await.expect("works");
    let item = items.into_iter().find(|item| item.object == id.uuid()).expect("it had its turn");
    assert_eq!(item.result, Some(letter.job_id.uuid()));
    let nobody = Uuid::from_u128(0);
    (
        DeadLetterRecord { id: Id::from_uuid(nobody), job_id: Id::from_uuid(nobody), ..letter },
        JobRecord { id: Id::from_uuid(nobody), position: 0, ..job },
        item.outcome,
        item.at,
        item.error,
    )
}

/// What is requeued together is afterwards as what is requeued each by itself, and is claimed in its order.
pub async fn i10_letters_requeued_together_are_as_each_by_itself(store: &dyn Store) {
    for retries_max in [None, Some(7)] {
        let owner = uuid();
        let (ones, others) = (eligible_jobs(), eligible_jobs());
        let (alone, grouped) = (letters_of(store, &ones).await, letters_of(store, &others).await);
        let batch_alone = batch_of(store, owner, &alone).await;
        let batch_grouped = batch_of(store, owner, &grouped).await;
        let edit = RequeueEdit { retries_max, ..RequeueEdit::default() };
        for (id, job) in alone.iter().zip(&ones) {
            let result = Some(job.id.uuid());
            let entry = BatchEntry {
                batch: batch_alone,
                owner,
                object: id.uuid(),
                result,
                has_aftermath: true,
                now: THEN,
            };
            let change = store.bound_to(entry).requeue_dead_letter(&ALL, *id, &edit, THEN).await;
            assert!(matches!(change, Ok(DeadLetterChange::Changed { .. })), "{change:?}");
        }
        let done = store.requeue_together(&ALL, (batch_grouped, owner), &grouped, retries_max, THEN).await;
        assert_eq!(done.expect("works").len(), grouped.len());
        for (one, other) in alone.iter().zip(&grouped) {
            let (one, other) =
                (seen(store, batch_alone, *one).await, seen(store, batch_grouped, *other).await);
            assert!(one == other, "{:?} and {:?}", one.1.job_type, other.1.data);
            assert_eq!((other.1.status, other.1.attempts.len()), (JobStatus::Queued, 1));
        }
        for batch in [batch_alone, batch_grouped] {
            let counts = store.count_items(batch).await.expect("works");
            assert_eq!((counts.done, counts.pending, counts.ended_badly), (5, 5, 0));
            assert_eq!(store.pending_items(batch, 0, 10).await.expect("works").len(), 5);
        }
        let figures = store.queue_figures(&ALL, QueueName::Node, THEN).await.expect("read works");
        assert_eq!(figures.dead_letters, 0);
        let claimed = claim_nodes(store, 100, THEN).await;
        let facts = |jobs: &[NewJob]| -> Vec<_> {
            let of =
                |job: &NewJob| claimed.iter().find(|claimed| claimed.id == job.id).expect("it is claimed");
            let facts = jobs.iter().map(of);
            facts
                .map(|job| {
                    (job.attempt, job.facts.attempt, job.facts.retries_max, job.tier, job.data.clone())
                })
                .collect()
        };
        assert!(facts(&ones) == facts(&others), "they are claimed alike");
        let of_one_lane = others.iter().filter(|job| job.tenant == tenant("a") && job.tier == Tier::Normal);
        let place = |job: &NewJob| claimed.iter().position(|claimed| claimed.id == job.id);
        assert!(of_one_lane.map(place).is_sorted(), "those of one lane come in the order of the letters");
        for job in &claimed {
            complete(store, job, after_secs(3)).await;
        }
    }
}

/// What is not open, belongs to an execution, has a key or is another tenant's is left as it was.
pub async fn what_is_not_eligible_is_not_requeued_together(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let execution = execution("w");
    store.create_executions(std::slice::from_ref(&execution), T0).await.expect("create works");
    let key = || Some(CallerKey::trusted("k"));
    let jobs = [
        job(),
        NewJob { unique_key: key(), ..job() },
        NewJob { concurrency_key: key(), ..job() },
        node_job(&execution, "charge"),
        NewJob { tenant: tenant("b"), ..job() },
        job(),
        job(),
        job(),
    ];
    let mut letters = letters_of(store, &jobs).await;
    let (archived, requeued) = (letters[5], letters[6]);
    store.archive_dead_letter(&ALL, archived, "known", THEN).await.expect("archive works");
    store.requeue_dead_letter(&ALL, requeued, &RequeueEdit::default(), THEN).await.expect("requeue works");
    letters.push(id());
    let owner = uuid();
    let batch = batch_of(store, owner, &letters).await;
    let scope = TenantScope::One(tenant("a"));
    let done = together(store, &scope, (batch, owner), &letters).await.expect("works");
    assert_eq!(done, [letters[0], letters[7]]);
    assert_eq!(store.waiting_items(batch, 0, 10).await.expect("works").len(), letters.len() - 2);
    for (id, job) in letters[1..5].iter().zip(&jobs[1..5]) {
        assert_eq!(letter(store, *id).await.status, DeadLetterStatus::Open);
        assert_eq!(status(store, job.id).await, JobStatus::DeadLetter);
    }
    assert_eq!(letter(store, archived).await.status, DeadLetterStatus::Archived);
    assert_eq!(together(store, &scope, (batch, owner), &letters).await.expect("works"), [], "once");
    assert_eq!(claim_nodes(store, 10, THEN).await.len(), 3, "two, and the one that was requeued before");
}

/// Together means all or none: not where one has had its turn, nor where the batch is another's or does not run.
pub async fn letters_are_requeued_together_by_the_owner_or_not_at_all(store: &dyn Store) {
    let (owner, other) = (uuid(), uuid());
    let jobs = [job(), job(), job()];
    let letters = letters_of(store, &jobs).await;
    let batch = batch_of(store, owner, &letters).await;
    let is_outdated = async |by: Uuid| {
        let answer = together(store, &ALL, (batch, by), &letters).await;
        assert!(matches!(answer, Err(StoreError::Outdated { .. })), "{answer:?}");
        for (id, job) in letters.iter().zip(&jobs) {
            assert_eq!(letter(store, *id).await.status, DeadLetterStatus::Open);
            assert_eq!(status(store, job.id).await, JobStatus::DeadLetter);
        }
    };
    is_outdated(other).await;
    let turn = async |from, to| store.move_batch(batch, &[from], (to, None), THEN).await.expect("works");
    assert!(turn(BatchStatus::Running, BatchStatus::Paused).await);
    is_outdated(owner).await;
    assert!(turn(BatchStatus::Paused, BatchStatus::Running).await);
    let object = letters[1].uuid();
    let entry = BatchEntry { batch, owner, object, result: None, has_aftermath: false, now: THEN };
    assert!(store.settle_item(&entry, ItemOutcome::Skipped, None).await.expect("works"));
    is_outdated(owner).await;
    let left = [letters[0], letters[2]];
    assert_eq!(together(store, &ALL, (batch, owner), &left).await.expect("works"), left);
    let items = store.batch_items(batch, &[], 0, 10).await.expect("works");
    let outcomes: Vec<ItemOutcome> = items.iter().map(|item| item.outcome).collect();
    assert_eq!(outcomes, [ItemOutcome::Done, ItemOutcome::Skipped, ItemOutcome::Done]);
}
