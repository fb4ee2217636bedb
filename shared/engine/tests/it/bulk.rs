//! Bulk operations: what they change, how they go on, pause, stop, and are taken over.

use domain::access::{Role, TenantScope};
use domain::bulk::{BatchCounts, BulkPace, BulkVerb, Canary, Proceed};
use domain::id::{BatchId, DeadLetterId, ExecutionId, JobId};
use domain::job::JobStatus;
use domain::names::{CallerKey, JobType, NodeId, ScheduleName, TenantName, WorkflowName};
use domain::problem::ProblemCode;
use domain::queue::Tier;
use domain::search::{Search, SearchList, Term, TermValue};
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use engine::{
    BulkAction, BulkAnswer, BulkRequest, BulkTarget, Caller, EngineError, JobRequest, ListRequest, Samples,
    ScheduleRequest,
};
use serde_json::json;
use store::PageRequest;
use store::batches::{BatchRecord, BatchStatus, ItemOutcome};
use store::dead_letters::{DeadLetterFilter, RequeueEdit};
use testkit::{EngineHarness, eventually};

const PAGE: PageRequest = PageRequest { limit: 500, after: None };

/// Makes `count` dead letters of a job type; answers them.
async fn kill(harness: &EngineHarness, job_type: &str, count: usize) -> Vec<DeadLetterId> {
    let request = JobRequest::new(JobType::trusted(job_type), "{\"n\":1}");
    harness.engine.enqueue(&harness.admin(), vec![request; count]).await.unwrap();
    for job in harness.poll(&[job_type], count as u32).await.unwrap() {
        harness.fail(&job, false).await.unwrap();
    }
    open_letters(harness, job_type).await
}

async fn open_letters(harness: &EngineHarness, job_type: &str) -> Vec<DeadLetterId> {
    let filter =
        DeadLetterFilter { job_type: Some(JobType::trusted(job_type)), ..DeadLetterFilter::default() };
    let letters = harness.engine.list_dead_letters(&harness.admin(), &filter, PAGE).await.unwrap().items;
    letters.into_iter().map(|letter| letter.id).collect()
}

async fn waiting(harness: &EngineHarness, job_type: &str, count: usize) -> Vec<JobId> {
    let request = JobRequest::new(JobType::trusted(job_type), "{}");
    let made = harness.engine.enqueue(&harness.admin(), vec![request; count]).await.unwrap();
    made.into_iter().map(|job| job.id).collect()
}

fn of_type(list: SearchList, job_type: &str) -> BulkTarget {
    let text = |text: &str| TermValue::Text(text.to_owned());
    let mut terms = vec![Term::is("jobType", text(job_type))];
    if list == SearchList::DeadLetters {
        terms.push(Term::is("status", text("open")));
    }
    BulkTarget::Filter(Search { terms, ..Search::all(list) })
}

fn bulk(action: BulkAction, job_type: &str) -> BulkRequest {
    let target = of_type(action.verb().list(), job_type);
    BulkRequest {
        action,
        target,
        all: false,
        has_filter: true,
        dry_run: false,
        pace: BulkPace::default(),
        reason: Some("a test".to_owned()),
    }
}

fn requeue(job_type: &str) -> BulkRequest {
    bulk(BulkAction::RequeueDeadLetters(RequeueEdit::default()), job_type)
}

async fn begin(harness: &EngineHarness, request: BulkRequest) -> BatchId {
    let answer = harness.engine.bulk(&harness.admin(), request).await.unwrap();
    let BulkAnswer::Batch(batch) = answer else { panic!("{answer:?}") };
    batch.id
}

async fn read(harness: &EngineHarness, id: BatchId) -> BatchRecord {
    harness.engine.batch(&harness.admin(), id).await.unwrap()
}

async fn reaches(harness: &EngineHarness, id: BatchId, status: BatchStatus) -> BatchRecord {
    eventually("the batch reaches its status", || async { read(harness, id).await.status == status }).await;
    read(harness, id).await
}

async fn run(harness: &EngineHarness, request: BulkRequest) -> BatchRecord {
    let id = begin(harness, request).await;
    eventually("the batch ends", || async { read(harness, id).await.status.is_ended() }).await;
    read(harness, id).await
}

async fn a_bulk_requeue_takes_what_matches(harness: EngineHarness) {
    kill(&harness, "encode", 120).await;
    kill(&harness, "publish", 3).await;
    let admin = harness.admin();
    let everything = BulkTarget::Filter(Search::all(SearchList::DeadLetters));
    let forgotten = BulkRequest { target: everything, has_filter: false, ..requeue("x") };
    let refused = harness.engine.bulk(&admin, forgotten.clone()).await;
    assert!(matches!(refused, Err(EngineError::Invalid(_))), "an empty filter means a mistake");
    let counted = BulkRequest { all: true, dry_run: true, ..forgotten };
    let answer = harness.engine.bulk(&admin, counted).await.unwrap();
    let BulkAnswer::Matches { count: 123, is_exact: true, samples: Samples::DeadLetters(samples) } = answer
    else {
        panic!("{answer:?}")
    };
    assert_eq!(samples.len(), 10);
    let pace = BulkPace { limit: Some(20), ..BulkPace::default() };
    let limited = run(&harness, BulkRequest { pace, ..requeue("encode") }).await;
    let counts = limited.counts;
    assert_eq!((limited.status, counts.total, counts.done), (BatchStatus::Completed, 20, 20));
    let log = harness.audit(&admin).await;
    let said: Vec<_> = log.iter().filter(|line| line.action == limited.kind).collect();
    assert_eq!(
        (said.len(), said[0].subject.clone()),
        (1, limited.id.to_string()),
        "the whole of it is one line"
    );
    assert_eq!(said[0].reason.as_deref(), Some("a test"));
    let rest = run(&harness, requeue("encode")).await;
    let counts = rest.counts;
    assert_eq!(
        (rest.status, counts.total, counts.done, counts.failed),
        (BatchStatus::Completed, 100, 100, 0)
    );
    assert_eq!(harness.poll(&["encode"], 500).await.unwrap().len(), 120);
    assert!(harness.poll(&["publish"], 500).await.unwrap().is_empty());
}

async fn named_objects_have_their_outcomes(harness: EngineHarness) {
    let letters = kill(&harness, "encode", 3).await;
    let admin = harness.admin();
    harness.engine.archive_dead_letter(&admin, letters[0], "known").await.unwrap();
    let gone = JobId::from_uuid(uuid::Uuid::from_u128(7)).uuid();
    let ids = vec![letters[0].uuid(), letters[1].uuid(), gone];
    let batch = run(&harness, BulkRequest { target: BulkTarget::Ids(ids.clone()), ..requeue("x") }).await;
    let counts = batch.counts;
    assert_eq!((counts.total, counts.done, counts.failed, counts.skipped), (3, 1, 1, 1));
    assert_eq!((batch.reason.as_deref(), batch.actor.as_str()), (Some("a test"), admin.actor.as_str()));
    let items = harness.engine.batch_items(&admin, batch.id, &[], 0, 10).await.unwrap();
    let objects: Vec<_> = items.iter().map(|line| line.item.object).collect();
    assert_eq!(objects, ids, "in the order in which they were named");
    let outcomes: Vec<_> = items.iter().map(|line| line.item.outcome).collect();
    assert_eq!(outcomes, [ItemOutcome::Failed, ItemOutcome::Done, ItemOutcome::Skipped]);
    assert!(items[1].item.result.is_some() && items[1].verb == Some(BulkVerb::RequeueDeadLetters));
    let failed = harness.engine.batch_items(&admin, batch.id, &[ItemOutcome::Failed], 0, 10).await.unwrap();
    assert!(failed[0].item.error.as_deref().is_some_and(|error| error.contains("archived")));
    let request = ListRequest::all(SearchList::Batches, 10);
    let listed = harness.engine.search_batches(&admin, &request).await.unwrap();
    assert_eq!(listed.items.iter().map(|one| one.id).collect::<Vec<_>>(), [batch.id]);
}

/// What cannot be requeued together with others is requeued by itself, and says the same as ever.
async fn letters_of_all_kinds_are_requeued(harness: EngineHarness) {
    let admin = harness.admin();
    let key = || Some(CallerKey::trusted("k"));
    let plain = JobRequest::new(JobType::trusted("encode"), "{}");
    let unique = JobRequest { unique_key: key(), ..plain.clone() };
    let exclusive = JobRequest { concurrency_key: key(), ..plain.clone() };
    let requests = [vec![plain; 30], vec![unique.clone(), exclusive]].concat();
    let made = harness.engine.enqueue(&admin, requests).await.unwrap();
    for job in harness.poll(&["encode"], 100).await.unwrap() {
        harness.fail(&job, false).await.unwrap();
    }
    let listed = harness.engine.list_dead_letters(&admin, &DeadLetterFilter::default(), PAGE).await.unwrap();
    let letters = listed.items;
    assert_eq!(letters.len(), 32);
    let archived = letters.iter().position(|letter| letter.job_id == made[7].id).unwrap();
    let waiting = harness.engine.enqueue(&admin, vec![unique]).await.unwrap();
    harness.engine.archive_dead_letter(&admin, letters[archived].id, "known").await.unwrap();
    let ids: Vec<_> = letters.iter().map(|letter| letter.id.uuid()).collect();
    let batch =
        run(&harness, named(BulkAction::RequeueDeadLetters(RequeueEdit::default()), ids.clone())).await;
    let counts = batch.counts;
    assert_eq!((batch.status, counts.done, counts.failed), (BatchStatus::Completed, 30, 2));
    assert_eq!((counts.skipped, counts.pending), (0, 30));
    let items = harness.engine.batch_items(&admin, batch.id, &[], 0, 100).await.unwrap();
    assert_eq!(items.iter().map(|line| line.item.object).collect::<Vec<_>>(), ids);
    assert!(items[archived].item.error.as_deref().is_some_and(|error| error.contains("archived")));
    let failed = items.iter().filter(|line| line.item.outcome == ItemOutcome::Failed);
    assert!(failed.clone().all(|line| line.item.result.is_none() && line.item.error.is_some()));
    assert_eq!(failed.count(), 2, "the archived one, and the one whose key another job has");
    let polled = harness.poll(&["encode"], 100).await.unwrap();
    assert_eq!(polled.len(), 31, "those that came back, and the one that waited");
    assert!(polled.iter().any(|job| job.id == waiting[0].id));
    let again = run(&harness, named(BulkAction::RequeueDeadLetters(RequeueEdit::default()), ids)).await;
    let counts = again.counts;
    assert_eq!((counts.done, counts.failed, counts.skipped), (0, 2, 30), "each came back once");
}

/// Groups that a pause undid are begun again, and those that were done are not.
async fn letters_that_a_pause_held_up_are_requeued(harness: EngineHarness) {
    let letters = kill(&harness, "encode", 150).await;
    let admin = harness.admin();
    let pace = BulkPace { rate_per_second: Some(50), ..BulkPace::default() };
    let id = begin(&harness, BulkRequest { pace, ..requeue("encode") }).await;
    eventually("some are requeued", || async {
        open_letters(&harness, "encode").await.len() < letters.len()
    })
    .await;
    harness.engine.pause_batch(&admin, id).await.unwrap();
    let held = open_letters(&harness, "encode").await.len();
    assert!(held > 0, "not all had their turn");
    harness.engine.resume_batch(&admin, id).await.unwrap();
    let counts = reaches(&harness, id, BatchStatus::Completed).await.counts;
    assert_eq!((counts.total, counts.done, counts.failed, counts.skipped), (150, 150, 0, 0));
    let items = harness.engine.batch_items(&admin, id, &[], 0, 200).await.unwrap();
    let objects: std::collections::HashSet<_> = items.iter().map(|line| line.item.object).collect();
    assert_eq!((items.len(), objects.len()), (150, 150));
    assert_eq!(harness.poll(&["encode"], 500).await.unwrap().len(), 150, "each is back once");
}

async fn waiting_jobs_are_changed(harness: EngineHarness) {
    let jobs = waiting(&harness, "encode", 12).await;
    let status = async |id: JobId| harness.engine.job(&harness.admin(), id).await.unwrap();
    let moved = run(&harness, bulk(BulkAction::ReprioritizeJobs(Tier::High), "encode")).await;
    assert_eq!((moved.counts.done, status(jobs[3]).await.tier), (12, Tier::High));
    let early = run(&harness, bulk(BulkAction::RetryJobs, "encode")).await;
    assert_eq!(early.counts.failed, 12, "they wait for nothing");
    let gone = run(&harness, bulk(BulkAction::CancelJobs, "encode")).await;
    assert_eq!((gone.counts.done, status(jobs[5]).await.status), (12, JobStatus::Cancelled));
    let again = run(&harness, bulk(BulkAction::CancelJobs, "encode")).await;
    assert_eq!((again.counts.done, again.counts.failed), (0, 12), "what has ended cannot be cancelled");
}

/// Registers `flow`, which has one node.
async fn register(harness: &EngineHarness) {
    let node = json!({"id": "work", "type": "SERVICE_TASK", "jobType": "work", "retryCount": 0});
    harness.register(&json!({"name": "flow", "version": 1, "nodes": [node]})).await.unwrap();
}

fn named(action: BulkAction, ids: Vec<uuid::Uuid>) -> BulkRequest {
    BulkRequest { target: BulkTarget::Ids(ids), ..bulk(action, "x") }
}

async fn executions_are_retried_rerun_and_cancelled(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    register(&harness).await;
    let mut failed = Vec::new();
    for _ in 0..2 {
        let id = harness.start("flow", &json!({})).await.unwrap();
        let job = harness.take("work").await;
        harness.fail(&job, false).await.unwrap();
        assert_eq!(harness.ended(id).await.status, ExecutionStatus::Failed);
        failed.push(id);
    }
    let text = |text: &str| TermValue::Text(text.to_owned());
    let terms = vec![Term::is("workflow", text("flow")), Term::is("status", text("FAILED"))];
    let target = BulkTarget::Filter(Search { terms, ..Search::all(SearchList::Executions) });
    let retried = run(&harness, BulkRequest { target, ..bulk(BulkAction::RetryExecutions, "x") }).await;
    assert_eq!((retried.counts.total, retried.counts.done), (2, 2));
    for _ in &failed {
        let job = harness.take("work").await;
        harness.complete(&job, &json!(1)).await.unwrap();
    }
    for id in &failed {
        assert_eq!(harness.ended(*id).await.status, ExecutionStatus::Completed);
    }

    let rerun = BulkAction::RerunExecutions { from: NodeId::trusted("work"), input: None };
    let rerun = run(&harness, named(rerun, vec![failed[0].uuid()])).await;
    let items = harness.engine.batch_items(&harness.admin(), rerun.id, &[], 0, 10).await.unwrap();
    assert_eq!(items[0].item.outcome, ItemOutcome::Done);
    let made = ExecutionId::from_uuid(items[0].item.result.unwrap());
    assert_ne!(made, failed[0], "it is another execution");

    let cancel = BulkAction::CancelExecutions { compensate: false };
    let cancelled = run(&harness, named(cancel, vec![made.uuid(), failed[1].uuid()])).await;
    let counts = cancelled.counts;
    assert_eq!((counts.done, counts.failed), (1, 1), "what has ended cannot be cancelled");
    assert_eq!(harness.ended(made).await.status, ExecutionStatus::Cancelled);
}

async fn schedules_are_paused_and_resumed(harness: EngineHarness) {
    register(&harness).await;
    let (admin, name) = (harness.admin(), ScheduleName::trusted("nightly"));
    let request = ScheduleRequest::new(name, WorkflowName::trusted("flow"), "0 3 * * *");
    let id = harness.engine.create_schedule(&admin, request).await.unwrap().record.id;
    for (action, is_paused) in [(BulkAction::PauseSchedules, true), (BulkAction::ResumeSchedules, false)] {
        let changed = run(&harness, named(action.clone(), vec![id.uuid()])).await;
        assert_eq!((changed.counts.done, changed.counts.skipped), (1, 0));
        assert_eq!(harness.engine.schedule(&admin, id).await.unwrap().record.is_paused, is_paused);
        let again = run(&harness, named(action, vec![id.uuid()])).await;
        assert_eq!((again.counts.done, again.counts.skipped), (0, 1), "it is so already");
    }
}

async fn a_canary_goes_on_when_all_ended_well(harness: EngineHarness) {
    kill(&harness, "encode", 6).await;
    let canary = Some(Canary { count: 2, proceed: Proceed::Auto });
    let pace = BulkPace { canary, ..BulkPace::default() };
    let id = begin(&harness, BulkRequest { pace, ..requeue("encode") }).await;
    let paused = reaches(&harness, id, BatchStatus::Paused).await;
    assert_eq!((paused.counts.done, paused.status_reason.as_deref()), (2, Some("canary")));
    for job in harness.poll(&["encode"], 10).await.unwrap() {
        harness.complete(&job, &serde_json::json!(1)).await.unwrap();
    }
    let done = reaches(&harness, id, BatchStatus::Completed).await;
    assert_eq!((done.counts.done, done.counts.total, done.counts.ended_badly), (6, 6, 0));
}

async fn a_canary_that_ends_badly_ends_the_batch(harness: EngineHarness) {
    kill(&harness, "encode", 6).await;
    let canary = Some(Canary { count: 2, proceed: Proceed::Auto });
    let pace = BulkPace { canary, ..BulkPace::default() };
    let id = begin(&harness, BulkRequest { pace, ..requeue("encode") }).await;
    reaches(&harness, id, BatchStatus::Paused).await;
    for job in harness.poll(&["encode"], 10).await.unwrap() {
        harness.fail(&job, false).await.unwrap();
    }
    let failed = reaches(&harness, id, BatchStatus::Failed).await;
    assert_eq!((failed.counts.done, failed.counts.ended_badly), (2, 2));
    assert_eq!(failed.status_reason.as_deref(), Some("failure_rate"));
    assert_eq!(open_letters(&harness, "encode").await.len(), 6, "two died again, four were not touched");
}

async fn an_operator_resumes_and_aborts(harness: EngineHarness) {
    kill(&harness, "encode", 50).await;
    let admin = harness.admin();
    let canary = Some(Canary { count: 1, proceed: Proceed::Manual });
    let pace = BulkPace { canary, rate_per_second: Some(1), ..BulkPace::default() };
    let id = begin(&harness, BulkRequest { pace, ..bulk(BulkAction::ArchiveDeadLetters, "encode") }).await;
    reaches(&harness, id, BatchStatus::Paused).await;
    let early = harness.engine.pause_batch(&admin, id).await;
    assert!(
        matches!(early, Err(EngineError::Conflict { code: ProblemCode::BatchNotRunning, .. })),
        "{early:?}"
    );
    assert_eq!(harness.engine.resume_batch(&admin, id).await.unwrap().status, BatchStatus::Running);
    eventually("it goes on", || async { read(&harness, id).await.counts.done > 1 }).await;
    assert_eq!(harness.engine.pause_batch(&admin, id).await.unwrap().status, BatchStatus::Paused);
    assert_eq!(harness.engine.abort_batch(&admin, id).await.unwrap().status, BatchStatus::Aborted);
    let twice = harness.engine.abort_batch(&admin, id).await;
    assert!(
        matches!(twice, Err(EngineError::Conflict { code: ProblemCode::BatchNotRunning, .. })),
        "{twice:?}"
    );
    assert!(open_letters(&harness, "encode").await.len() > 40);
}

async fn what_does_not_fit_any_more_is_skipped_and_what_came_later_is_left(harness: EngineHarness) {
    kill(&harness, "encode", 5).await;
    let canary = Some(Canary { count: 1, proceed: Proceed::Manual });
    let pace = BulkPace { canary, ..BulkPace::default() };
    let id = begin(&harness, BulkRequest { pace, ..bulk(BulkAction::ArchiveDeadLetters, "encode") }).await;
    reaches(&harness, id, BatchStatus::Paused).await;
    let (admin, left) = (harness.admin(), open_letters(&harness, "encode").await);
    assert_eq!(left.len(), 4);
    harness.engine.archive_dead_letter(&admin, left[0], "known").await.unwrap();
    harness.clock.advance(DurationMs::from_secs(1));
    assert_eq!(kill(&harness, "encode", 1).await.len(), 4);
    harness.engine.resume_batch(&admin, id).await.unwrap();
    let counts = reaches(&harness, id, BatchStatus::Completed).await.counts;
    assert_eq!((counts.total, counts.done, counts.skipped), (5, 4, 1));
    assert_eq!(open_letters(&harness, "encode").await.len(), 1);
}

async fn a_batch_whose_process_is_gone_is_taken_over(harness: EngineHarness) {
    let letters = kill(&harness, "encode", 5).await;
    let gone = harness.node(2);
    let pace = BulkPace { rate_per_second: Some(1), ..BulkPace::default() };
    let id = begin(&gone, BulkRequest { pace, ..requeue("encode") }).await;
    gone.engine.begin_shutdown();
    assert_eq!(harness.engine.batches_tick().await.unwrap(), 0, "it has moved lately");
    // The one that goes may still record what it did last, and counts as alive until it has been silent.
    eventually("the batch is taken over", || async {
        harness.clock.advance(DurationMs::from_secs(15));
        harness.engine.batches_tick().await.unwrap() == 1
    })
    .await;
    let done = reaches(&harness, id, BatchStatus::Completed).await;
    assert_eq!((done.counts.total, done.counts.done), (5, 5));
    assert!(open_letters(&harness, "encode").await.is_empty());
    let request = ListRequest::all(SearchList::Jobs, 500);
    let jobs = harness.engine.search_jobs(&harness.admin(), &request).await.unwrap();
    assert!(jobs.items.iter().all(|job| job.status == JobStatus::Queued));
    assert_eq!(letters.len(), jobs.items.len(), "each was put back once");
}

/// A bulk operation of a later version, which another process carries out.
fn elsewhere(harness: &EngineHarness, number: u128, tenant: Option<TenantName>) -> BatchRecord {
    let now = harness.engine.now();
    BatchRecord {
        id: BatchId::from_uuid(uuid::Uuid::from_u128(((now.0 as u128) << 80) | number)),
        tenant,
        kind: "jobs.polish".to_owned(),
        request: r#"{"verb":"jobs.polish"}"#.to_owned(),
        status: BatchStatus::Preparing,
        status_reason: None,
        is_past_canary: false,
        counts: BatchCounts::default(),
        reason: None,
        actor: "test".to_owned(),
        cursor: None,
        created_at: now,
        updated_at: now,
        finished_at: None,
    }
}

async fn a_tenant_has_a_bounded_number_of_open_batches(harness: EngineHarness) {
    let operator = |tenant| Caller::new(TenantScope::One(TenantName::trusted(tenant)), Role::Operator, "key");
    for number in 0..100 {
        let batch = elsewhere(&harness, number, Some(TenantName::trusted("acme")));
        harness.store.create_batch(&batch, uuid::Uuid::from_u128(99)).await.unwrap();
    }
    let request = || bulk(BulkAction::CancelJobs, "none");
    let refused = harness.engine.bulk(&operator("acme"), request()).await;
    let is_refused = |refused| {
        matches!(refused, Err(EngineError::TooMany { code: ProblemCode::TooManyBulkOperations, .. }))
    };
    assert!(is_refused(refused));
    let counted = BulkRequest { dry_run: true, ..request() };
    assert!(harness.engine.bulk(&operator("acme"), counted).await.is_ok(), "it only looks");
    assert!(harness.engine.bulk(&operator("umbrella"), request()).await.is_ok());
    assert!(harness.engine.bulk(&harness.admin(), request()).await.is_ok());
    let first = elsewhere(&harness, 0, None).id;
    harness.engine.abort_batch(&operator("acme"), first).await.unwrap();
    assert!(harness.engine.bulk(&operator("acme"), request()).await.is_ok(), "one has ended");
}

/// A process of the version before does not know what is to be done. It does not end the batch for that.
async fn a_batch_of_a_later_version_is_left_to_it(harness: EngineHarness) {
    let batch = elsewhere(&harness, 7, None);
    harness.store.create_batch(&batch, uuid::Uuid::from_u128(99)).await.unwrap();
    for _ in 0..2 {
        eventually("the batch is taken over", || async {
            harness.clock.advance(DurationMs::from_secs(15));
            harness.engine.batches_tick().await.unwrap() == 1
        })
        .await;
        // What comes after it is done meanwhile.
        run(&harness, bulk(BulkAction::CancelJobs, "none")).await;
        assert_eq!(read(&harness, batch.id).await.status, BatchStatus::Preparing);
    }
}

/// The process that lost the batch changes nothing more, even where it does not know.
async fn what_another_process_owns_does_not_commit(harness: EngineHarness) {
    let letter = kill(&harness, "encode", 1).await[0];
    let canary = Some(Canary { count: 1, proceed: Proceed::Manual });
    let pace = BulkPace { canary, rate_per_second: Some(1), ..BulkPace::default() };
    let archive = bulk(BulkAction::ArchiveDeadLetters, "other");
    let ids = vec![uuid::Uuid::from_u128(1), letter.uuid()];
    let request = BulkRequest { pace, target: BulkTarget::Ids(ids), ..archive };
    let id = begin(&harness, request).await;
    let now = harness.engine.now();
    let entry = store::batches::BatchEntry {
        batch: id,
        owner: uuid::Uuid::from_u128(99),
        object: letter.uuid(),
        result: None,
        has_aftermath: false,
        now,
    };
    let all = domain::access::TenantScope::All;
    let stolen = harness.store.bound_to(entry).archive_dead_letter(&all, letter, "x", now).await;
    assert!(matches!(stolen, Err(store::StoreError::Outdated { .. })), "{stolen:?}");
    let kept = harness.store.dead_letter(&all, letter).await.unwrap().unwrap();
    let archived = kept.archive_reason.as_deref();
    assert!(archived.is_none_or(|reason| reason == "a test"), "{archived:?}");
}

async fn bounds_are_checked(harness: EngineHarness) {
    let admin = harness.admin();
    let pointers = async |request: BulkRequest| match harness.engine.bulk(&admin, request).await {
        Err(EngineError::Invalid(faults)) => {
            faults.into_iter().map(|fault| fault.pointer).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let pace = BulkPace {
        limit: Some(0),
        rate_per_second: Some(0),
        canary: Some(Canary { count: 0, proceed: Proceed::Auto }),
        stop_on_failure_rate: Some(1.5),
    };
    let wrong = BulkRequest { pace, ..requeue("x") };
    assert_eq!(pointers(wrong).await, ["/limit", "/ratePerSecond", "/canary/count", "/stopOnFailureRate"]);
    let silent = BulkRequest { reason: None, ..bulk(BulkAction::ArchiveDeadLetters, "x") };
    assert_eq!(pointers(silent).await, ["/reason"]);
    let long = BulkRequest { reason: Some("x".repeat(501)), ..requeue("x") };
    assert_eq!(pointers(long).await, ["/reason"]);
    let none = BulkRequest { target: BulkTarget::Ids(Vec::new()), ..requeue("x") };
    assert_eq!(pointers(none).await, ["/ids"]);
}

on_both_databases!(
    a_bulk_requeue_takes_what_matches,
    named_objects_have_their_outcomes,
    letters_of_all_kinds_are_requeued,
    letters_that_a_pause_held_up_are_requeued,
    waiting_jobs_are_changed,
    executions_are_retried_rerun_and_cancelled,
    schedules_are_paused_and_resumed,
    a_canary_goes_on_when_all_ended_well,
    a_canary_that_ends_badly_ends_the_batch,
    an_operator_resumes_and_aborts,
    what_does_not_fit_any_more_is_skipped_and_what_came_later_is_left,
    a_batch_whose_process_is_gone_is_taken_over,
    a_batch_of_a_later_version_is_left_to_it,
    a_tenant_has_a_bounded_number_of_open_batches,
    what_another_process_owns_does_not_commit,
    bounds_are_checked,
);
