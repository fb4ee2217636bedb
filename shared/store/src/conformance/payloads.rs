//! Large payloads: whole for whoever works on a job or looks at it, never in lists, and together never too much.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::job::{Disposition, JobStatus};
use domain::names::{CallerKey, NodeId};
use domain::search::{Search, SearchList};
use domain::workflow::execution::{ExecutionStatus, NodeStatus};

use super::batches::batch;
use super::executions::{commit, node_job, owned};
use super::fixture::{
    T0, after_secs, claim_nodes, commit_one, complete, enqueue, job, lease, listed_jobs, uuid, version,
};
use super::operations::keep_all;
use super::schedule_fixture::schedule;
use super::search::found;
use super::user_tasks::task;
use super::webhook_fixture;
use crate::Store;
use crate::batches::BatchRecord;
use crate::dead_letters::{DeadLetterChange, DeadLetterFilter, DeadLetterRecord, RequeueEdit};
use crate::executions::{ExecutionCommit, NodeView, OpenedTask, SettledNode, UserTaskChange};
use crate::jobs::{ClaimedJob, JobChange, JobRecord, LeaseAnswer, NewJob, Settlement};
use crate::operations::Retention;
use crate::page::PageRequest;
use crate::schedules::ScheduleRecord;
use crate::webhooks::WebhookRecord;
use crate::workflows::WorkflowVersion;

const ALL: TenantScope = TenantScope::All;
const PAGE: PageRequest = PageRequest { limit: 100, after: None };

/// JSON text of so many bytes, with characters of several bytes.
fn payload(bytes: usize, filler: &str) -> String {
    format!("\"ä€{}\"", filler.repeat(bytes - 7))
}

fn large_job() -> NewJob {
    NewJob { data: payload(100_000, "x"), ..job() }
}

async fn record(store: &dyn Store, new: &NewJob) -> JobRecord {
    store.job(&ALL, new.id).await.expect("read works").expect("the job is there")
}

async fn settle(store: &dyn Store, job: &ClaimedJob, disposition: Disposition) {
    let settlement = Settlement { lease: lease(job), disposition };
    let answers = store.settle(&[settlement], after_secs(1)).await.expect("settle works");
    assert!(matches!(answers[0], LeaseAnswer::Ok(_)), "{answers:?}");
}

async fn die(store: &dyn Store, job: &ClaimedJob) -> DeadLetterRecord {
    let error = JobError { message: "broken".into(), code: None, details: None };
    settle(store, job, Disposition::Die { reason: DeadReason::NonRetryable, error }).await;
    let list = store.list_dead_letters(&ALL, &DeadLetterFilter::default(), PAGE).await.expect("list works");
    let listed = list.items.into_iter().find(|letter| letter.job_id == job.id).expect("it is listed");
    let letter = store.dead_letter(&ALL, listed.id).await.expect("read works").expect("there");
    assert_eq!(letter.data.as_deref(), Some(job.data.as_str()), "a dead letter tells what died");
    DeadLetterRecord { data: listed.data, ..letter }
}

/// Enqueued in every way, beside small ones, claimed and tried again.
pub async fn a_large_payload_comes_whole(store: &dyn Store) {
    let keyed = |key: &str| Some(CallerKey::trusted(key));
    let batch = [
        large_job(),
        job(),
        NewJob { unique_key: keyed("u"), ..large_job() },
        NewJob { concurrency_key: keyed("c"), ..large_job() },
        NewJob { data: payload(4_096, "s"), ..job() },
        NewJob { data: payload(4_097, "l"), ..job() },
    ];
    enqueue(store, &batch[..2]).await;
    enqueue(store, &batch[2..]).await;
    for attempt in 1..=2 {
        let claimed = claim_nodes(store, 10, after_secs(2)).await;
        assert_eq!(claimed.len(), batch.len());
        for (job, new) in claimed.iter().zip(&batch) {
            assert_eq!((job.id, job.attempt), (new.id, attempt));
            assert!(job.data == new.data, "the payload of attempt {attempt} is what was enqueued");
            let error = JobError { message: "again".into(), code: None, details: None };
            let disposition = match attempt {
                1 => Disposition::RetryAt { at: T0, error },
                _ => Disposition::Complete(None),
            };
            settle(store, job, disposition).await;
        }
    }
    for new in &batch {
        let shown = record(store, new).await;
        assert_eq!(shown.status, JobStatus::Completed);
        assert!(shown.data.as_ref() == Some(&new.data), "a job is shown with its payload");
    }
}

/// A list is as quick as if payloads were small.
pub async fn lists_leave_large_payloads_out(store: &dyn Store) {
    let small = job();
    let batch = [large_job(), small.clone(), large_job()];
    enqueue(store, &batch).await;
    let claimed = claim_nodes(store, 1, T0).await;
    complete(store, &claimed[0], T0).await;
    let list = listed_jobs(store, &ALL, "").await;
    assert_eq!(list.len(), 3);
    for item in list {
        assert_eq!(item.data, (item.id == small.id).then(|| small.data.clone()));
    }
}

/// Whoever comes second with an id or a unique key changes nothing of the first.
pub async fn a_repeated_enqueue_keeps_the_payload(store: &dyn Store) {
    let first = NewJob { unique_key: Some(CallerKey::trusted("k")), ..large_job() };
    let same_key = NewJob { id: job().id, data: payload(50_000, "y"), ..first.clone() };
    let same_id = NewJob { data: payload(50_000, "z"), unique_key: None, ..first.clone() };
    for new in [&first, &same_key, &same_id] {
        let answers = enqueue(store, std::slice::from_ref(new)).await;
        assert_eq!(answers[0].id, first.id);
    }
    assert!(record(store, &first).await.data == Some(first.data));
    assert_eq!(store.job(&ALL, same_key.id).await.expect("read works"), None);
}

/// A dead letter keeps what died, however the job comes back.
pub async fn i10_a_requeue_keeps_or_edits_a_large_payload(store: &dyn Store) {
    let new = large_job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let (small, larger) = (r#"{"n":2}"#.to_owned(), payload(200_000, "e"));
    let mut expected = new.data.clone();
    for edit in [None, Some(larger), None, Some(small), None, Some(new.data.clone()), None] {
        let claimed = claim_nodes(store, 10, after_secs(2)).await;
        assert_eq!(claimed.len(), 1);
        assert!(claimed[0].data == expected, "the job came back as it was asked for");
        let letter = die(store, &claimed[0]).await;
        assert_eq!(letter.data, (expected.len() < 100).then(|| expected.clone()), "lists leave it out");
        let next = edit.clone().unwrap_or_else(|| expected.clone());
        let died_with = std::mem::replace(&mut expected, next);
        let edit = RequeueEdit { data: edit, ..RequeueEdit::default() };
        let change = store.requeue_dead_letter(&ALL, letter.id, &edit, after_secs(2)).await;
        assert!(matches!(change.expect("requeue works"), DeadLetterChange::Changed { .. }));
        let kept = store.dead_letter(&ALL, letter.id).await.expect("read works").expect("there");
        assert!(kept.data == Some(died_with), "the letter tells what died");
        assert!(record(store, &new).await.data.as_ref() == Some(&expected));
    }
}

/// A cancelled job can still be looked at.
pub async fn a_cancelled_job_shows_its_large_payload(store: &dyn Store) {
    let new = large_job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let change = store.cancel_job(&ALL, new.id, T0).await.expect("cancel works");
    assert!(matches!(change, JobChange::Changed { .. }), "{change:?}");
    assert!(record(store, &new).await.data == Some(new.data));
}

/// What one claim brings is bounded in bytes too, and what did not fit comes next, in order and as if untouched.
pub async fn i04_a_claim_is_bounded_in_bytes(store: &dyn Store) {
    let heavy = || NewJob { data: payload(6 << 20, "h"), ..job() };
    let batch = [heavy(), heavy(), job(), heavy(), job(), heavy(), heavy(), job()];
    enqueue(store, &batch).await;
    let mut served: Vec<ClaimedJob> = Vec::new();
    let mut claims = 0;
    while served.len() < batch.len() {
        let claimed = claim_nodes(store, 100, after_secs(1)).await;
        assert!(!claimed.is_empty(), "there is more after {} jobs", served.len());
        let bytes: usize = claimed.iter().map(|job| job.data.len()).sum();
        assert!(bytes <= 17 << 20, "one claim brought {bytes} bytes");
        served.extend(claimed);
        claims += 1;
    }
    assert!(claims >= 3, "30 MiB came in {claims} claims");
    for (job, new) in served.iter().zip(&batch) {
        assert_eq!((job.id, job.attempt), (new.id, 1));
        assert!(job.data == new.data);
    }
}

/// A node's large input travels with its job, and is shown with the execution.
pub async fn a_nodes_large_input_is_handed_out_and_shown(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let node_job = NewJob { data: payload(100_000, "x"), ..node_job(&new, "n") };
    let step = ExecutionCommit {
        enqueue: vec![node_job.clone()],
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    let answer = commit_one(store, &step, T0).await.expect("commit works");
    assert!(matches!(answer, LeaseAnswer::Ok(_)), "{answer:?}");
    let detail = store.execution_detail(&ALL, new.id).await.expect("read works").expect("there");
    assert!(detail.nodes[0].input.as_ref() == Some(&node_job.data), "the input is shown");
    let claimed = claim_nodes(store, 10, T0).await;
    assert!(claimed[0].data == node_job.data);
}

/// Of large results and inputs of one execution a part is shown: what a read takes is bounded in bytes, and all nodes are there.
pub async fn the_payloads_of_one_execution_are_read_up_to_a_size(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let result = |index: usize| SettledNode {
        node: NodeId::trusted(format!("done{index}")),
        round: 1,
        status: NodeStatus::Completed,
        input: None,
        output: Some(payload(1 << 20, "r")),
        error: None,
        attempts: 1,
        started_at: Some(T0),
        finished_at: T0,
    };
    let work =
        |index: usize| NewJob { data: payload(1 << 20, "i"), ..node_job(&new, &format!("job{index}")) };
    let step = ExecutionCommit {
        records: (0..40).map(result).collect(),
        enqueue: (0..20).map(work).collect(),
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    let answer = commit_one(store, &step, T0).await.expect("commit works");
    assert!(matches!(answer, LeaseAnswer::Ok(_)), "{answer:?}");
    let detail = store.execution_detail(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!(detail.nodes.len(), 60);
    let bytes = |of: fn(&NodeView) -> Option<&String>| {
        detail.nodes.iter().filter_map(of).map(String::len).sum::<usize>() >> 20
    };
    assert_eq!((bytes(|node| node.output.as_ref()), bytes(|node| node.input.as_ref())), (32, 16), "in MiB");
}

/// Lists take a bounded amount of memory, however large results, definitions, inputs of schedules and requests of bulk operations are.
pub async fn lists_leave_out_what_is_large(store: &dyn Store) {
    let large = payload(1 << 20, "l");
    let definition = WorkflowVersion { content: large.clone(), ..version("w") };
    store.register_workflow(&definition).await.expect("register works");
    let (small, scheduled) =
        (schedule("small"), ScheduleRecord { input: large.clone(), ..schedule("large") });
    for new in [&small, &scheduled] {
        store.create_schedule(new).await.expect("create works");
    }
    let mut batches = Vec::new();
    for _ in 0..20 {
        let new = BatchRecord { request: large.clone(), ..batch() };
        store.create_batch(&new, uuid()).await.expect("create works");
        batches.push(new.id.uuid());
    }
    let listed = store.list_workflows(None, None, 10).await.expect("read works");
    let versions = store.workflow_versions(None, "w", None, 10).await.expect("read works");
    for listed in [listed, versions] {
        assert_eq!((listed.len(), listed[0].content.as_str()), (1, ""));
    }
    let whole = store.workflow(None, "w", None).await.expect("read works").expect("there");
    assert!(whole == definition, "it is whole where it is asked for");
    let found = store.schedules_of(&ALL, &[small.id.uuid(), scheduled.id.uuid()]).await.expect("read works");
    assert_eq!(found, [small, ScheduleRecord { input: "null".to_owned(), ..scheduled.clone() }]);
    let whole = store.schedule(&ALL, scheduled.id).await.expect("read works").expect("there");
    assert!(whole.record == scheduled, "it is whole where it is asked for");
    let found = store.batches_of(&ALL, &batches).await.expect("read works");
    assert_eq!(found.iter().filter(|batch| batch.request == large).count(), 16, "in MiB");
    assert_eq!(found.len(), 20);
    enqueue(store, &[job()]).await;
    let claimed = claim_nodes(store, 1, T0).await.remove(0);
    let disposition = Disposition::Complete(Some(large.clone()));
    let settled = store.settle(&[Settlement { lease: lease(&claimed), disposition }], T0).await;
    assert!(matches!(settled.expect("settle works")[0], LeaseAnswer::Ok(_)));
    let listed = listed_jobs(store, &ALL, "").await;
    assert_eq!((listed.len(), listed[0].result.as_deref()), (1, None));
    let whole = store.job(&ALL, claimed.id).await.expect("read works").expect("there");
    assert!(whole.result == Some(large), "it is whole where it is asked for");
}

/// A page of endpoints ends early where their configurations are large, and the next one goes on.
pub async fn a_page_of_webhooks_is_bounded_in_bytes(store: &dyn Store) {
    for index in 0..20 {
        let config = payload(1 << 20, "c");
        let large = WebhookRecord { config, ..webhook_fixture::webhook(&format!("large-{index}")) };
        webhook_fixture::created(store, &large, &[]).await;
    }
    let (mut after, mut names) = (None, Vec::new());
    for expected in [16, 4] {
        let page = PageRequest { after, ..PAGE };
        let page = store.list_webhooks(&ALL, None, page).await.expect("list works");
        assert_eq!(page.items.len(), expected);
        names.extend(page.items.into_iter().map(|webhook| webhook.name));
        after = page.next;
    }
    assert_eq!((after, names.len()), (None, 20), "{names:?}");
}

/// Of the forms of user tasks a list shows as many as fit together, and no large input.
pub async fn a_list_of_user_tasks_is_bounded_in_bytes(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let large = payload(1 << 20, "i");
    let open = |index: usize| OpenedTask {
        input: Some(large.clone()),
        form: Some(large.clone()),
        ..task(&format!("task{index}"), 1)
    };
    let step = ExecutionCommit {
        user_tasks: (0..20).map(|index| UserTaskChange::Open(open(index))).collect(),
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    let answer = commit_one(store, &step, T0).await.expect("commit works");
    assert!(matches!(answer, LeaseAnswer::Ok(_)), "{answer:?}");
    let ids = found(store, &ALL, &Search::all(SearchList::UserTasks)).await;
    let tasks = store.user_tasks_of(&ALL, &ids).await.expect("read works");
    assert_eq!(tasks.len(), 20);
    let shown = tasks.iter().filter(|task| task.form.as_ref() == Some(&large)).count();
    assert_eq!(shown, 16, "in MiB");
    assert!(tasks.iter().all(|task| task.input.is_none()), "they are read alone");
    let whole = store.user_task(&ALL, new.id, &NodeId::trusted("task0")).await.expect("read works");
    assert!(whole.expect("there").input == Some(large), "it is whole where it is asked for");
}

/// A job under the id of one that was removed is a job of its own.
pub async fn an_id_that_was_removed_can_be_used_again(store: &dyn Store) {
    let new = large_job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    complete(store, &claimed[0], T0).await;
    let retention = Retention { completed_before: after_secs(9), ..keep_all() };
    assert_eq!(store.prune(&retention, 10).await.expect("prune works"), 1);
    let again = NewJob { data: payload(5_000, "n"), ..new };
    enqueue(store, std::slice::from_ref(&again)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    assert!(claimed[0].data == again.data);
}
