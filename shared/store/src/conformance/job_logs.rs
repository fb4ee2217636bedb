//! Lines that handlers log: kept under the lease, bounded by attempt, read in order, removed by age.

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::job::Disposition;
use domain::job_log::{LOG_LINES_OF_ATTEMPT_MAX, LogLevel, LogLine};
use domain::names::NodeId;
use domain::queue::{QueueName, Tier};

use super::fixture::{T0, after_secs, claim_nodes, complete, enqueue, id, job, jobs, lease, tenant, token};
use super::operations::keep_all;
use crate::Store;
use crate::job_logs::{LogPage, LogPosition, LoggedLines, LogsOf};
use crate::jobs::{ClaimedJob, LeaseAnswer, LeaseRef, NewJob, Settlement};
use crate::operations::Retention;

const ALL: TenantScope = TenantScope::All;

fn line(secs: i64, level: LogLevel, message: &str) -> LogLine {
    LogLine { at: after_secs(secs), level, message: message.to_owned(), fields: None, sequence: None }
}

async fn log(store: &dyn Store, lease: LeaseRef, lines: Vec<LogLine>) -> LeaseAnswer {
    let logged = [LoggedLines { lease, lines }];
    store.append_logs(&ALL, &logged, &[], after_secs(60)).await.expect("append works").remove(0)
}

async fn page(store: &dyn Store, of: LogsOf, after: Option<LogPosition>, limit: u32) -> LogPage {
    store.list_logs(&ALL, of, LogLevel::Debug, after, limit).await.expect("list works")
}

async fn messages(store: &dyn Store, of: LogsOf) -> Vec<String> {
    page(store, of, None, 500).await.lines.into_iter().map(|line| line.message).collect()
}

async fn retry(store: &dyn Store, job: &ClaimedJob) -> ClaimedJob {
    let again = Disposition::RetryAt { at: T0, error: JobError::coded("x", "x") };
    let answers = store.settle(&[Settlement { lease: lease(job), disposition: again }], T0).await;
    assert!(matches!(answers.expect("settle works")[..], [LeaseAnswer::Ok(_)]));
    claim_nodes(store, 1, T0).await.remove(0)
}

/// Lines stand beside their attempt, in the order in which they came, and outlive it.
pub async fn lines_of_a_job_are_read_by_attempt(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let first = claim_nodes(store, 1, T0).await.remove(0);
    let with_fields =
        LogLine { fields: Some("{\"n\":12345678901234567890}".into()), ..line(1, LogLevel::Info, "a") };
    assert_eq!(
        log(store, lease(&first), vec![with_fields, line(0, LogLevel::Error, "b")]).await,
        LeaseAnswer::Ok(())
    );
    assert_eq!(
        log(store, lease(&first), vec![]).await,
        LeaseAnswer::Ok(()),
        "an empty one asks for the lease"
    );
    let second = retry(store, &first).await;
    log(store, lease(&second), vec![line(2, LogLevel::Debug, "c")]).await;
    complete(store, &second, T0).await;
    let of = |attempt| LogsOf::Job(first.id, attempt);
    assert_eq!(messages(store, of(None)).await, ["a", "b", "c"]);
    assert_eq!(messages(store, of(Some(1))).await, ["a", "b"]);
    assert_eq!(messages(store, of(Some(3))).await, [""; 0]);
    let serious = store.list_logs(&ALL, of(None), LogLevel::Warn, None, 9).await.expect("list works");
    assert_eq!(serious.lines.iter().map(|line| line.message.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(serious.next, None);
    let part = page(store, of(None), None, 2).await;
    let line = &part.lines[0];
    assert_eq!((line.position.attempt, line.position.number, line.position.at), (1, 1, after_secs(1)));
    assert_eq!(line.fields.as_deref(), Some("{\"n\":12345678901234567890}"));
    let rest = page(store, of(None), part.next, 2).await;
    assert_eq!((rest.lines.len(), rest.lines[0].position.attempt, rest.next), (1, 2, None));
}

/// Lines of the nodes of an execution are read together, by time.
pub async fn lines_of_an_execution_are_read_by_time(store: &dyn Store) {
    let execution_id = id();
    let of_node = |name: &str| NewJob {
        execution_id: Some(execution_id),
        node_id: Some(NodeId::trusted(name)),
        ..job()
    };
    enqueue(store, &[of_node("one"), of_node("two"), job()]).await;
    let claimed = claim_nodes(store, 3, T0).await;
    let batch: Vec<LoggedLines> = claimed
        .iter()
        .zip([[1, 4], [2, 3], [0, 5]])
        .map(|(job, secs)| LoggedLines {
            lease: lease(job),
            lines: secs.map(|secs| line(secs, LogLevel::Info, &secs.to_string())).into(),
        })
        .collect();
    let answers = store.append_logs(&ALL, &batch, &[], after_secs(60)).await.expect("append works");
    assert_eq!(answers, [LeaseAnswer::Ok(()); 3]);
    let of = LogsOf::Execution(execution_id);
    assert_eq!(messages(store, of).await, ["1", "2", "3", "4"]);
    let part = page(store, of, None, 3).await;
    let nodes: Vec<&str> =
        part.lines.iter().filter_map(|line| line.node_id.as_ref()).map(NodeId::as_str).collect();
    assert_eq!(nodes, ["one", "two", "two"]);
    assert_eq!(page(store, of, part.next, 3).await.lines.len(), 1);
}

/// Nothing is kept without the lease, nor for another tenant.
pub async fn i02_lines_need_the_lease(store: &dyn Store) {
    enqueue(store, &jobs(2, "a", Tier::Normal)).await;
    let claimed = claim_nodes(store, 2, T0).await;
    let foreign = LeaseRef { id: claimed[0].id, token: token() };
    let lines = || vec![line(1, LogLevel::Info, "x")];
    assert_eq!(log(store, foreign, lines()).await, LeaseAnswer::LeaseLost);
    let other = TenantScope::One(tenant("b"));
    let logged = [LoggedLines { lease: lease(&claimed[0]), lines: lines() }];
    let answers = store.append_logs(&other, &logged, &[], T0).await.expect("append works");
    assert_eq!(answers, [LeaseAnswer::LeaseLost]);
    complete(store, &claimed[0], T0).await;
    assert_eq!(log(store, lease(&claimed[0]), lines()).await, LeaseAnswer::LeaseLost);
    store.cancel_job(&ALL, claimed[1].id, T0).await.expect("cancel works");
    assert_eq!(log(store, lease(&claimed[1]), lines()).await, LeaseAnswer::Cancelled);
    for job in &claimed {
        assert_eq!(messages(store, LogsOf::Job(job.id, None)).await, [""; 0]);
    }
}

/// A tenant reads its own lines only.
pub async fn i13_lines_stay_within_the_tenant(store: &dyn Store) {
    enqueue(store, &[NewJob { execution_id: Some(id()), ..job() }]).await;
    let job = claim_nodes(store, 1, T0).await.remove(0);
    log(store, lease(&job), vec![line(1, LogLevel::Info, "x")]).await;
    let execution = job.execution_id.expect("it has one");
    for of in [LogsOf::Job(job.id, None), LogsOf::Execution(execution)] {
        for (name, count) in [("a", 1), ("b", 0)] {
            let scope = TenantScope::One(tenant(name));
            let page = store.list_logs(&scope, of, LogLevel::Info, None, 9).await.expect("list works");
            assert_eq!(page.lines.len(), count, "{of:?} {name}");
        }
    }
}

/// Lines of a tenant that is full are dropped, and those of others in the same call are kept.
pub async fn a_tenant_that_is_full_keeps_no_lines(store: &dyn Store) {
    enqueue(store, &jobs(1, "a", Tier::Normal)).await;
    let first = claim_nodes(store, 1, T0).await.remove(0);
    enqueue(store, &jobs(1, "b", Tier::Normal)).await;
    let second = claim_nodes(store, 1, T0).await.remove(0);
    let lost = LeaseRef { id: first.id, token: token() };
    let logged = [lease(&first), lease(&second), lost]
        .map(|lease| LoggedLines { lease, lines: vec![line(1, LogLevel::Info, "x")] });
    let tenants = store.tenants_logged(&ALL, &logged).await.expect("read works");
    assert_eq!(tenants, [Some(tenant("a")), Some(tenant("b")), None]);
    let own = TenantScope::One(tenant("b"));
    let tenants = store.tenants_logged(&own, &logged).await.expect("read works");
    assert_eq!(tenants, [None, Some(tenant("b")), None]);
    let full = [tenant("a")];
    let answers = store.append_logs(&ALL, &logged, &full, T0).await.expect("append works");
    assert_eq!(answers, [LeaseAnswer::Ok(()), LeaseAnswer::Ok(()), LeaseAnswer::LeaseLost]);
    let said = messages(store, LogsOf::Job(first.id, None)).await;
    assert!(said.len() == 1 && said[0].starts_with("1 more lines were dropped: the quota"), "{said:?}");
    assert_eq!(messages(store, LogsOf::Job(second.id, None)).await, ["x"]);
    log(store, lease(&first), vec![line(2, LogLevel::Info, "y")]).await;
    let said = messages(store, LogsOf::Job(first.id, None)).await;
    assert!(said.len() == 1 && said[0].starts_with("2 more lines"), "no log has holes: {said:?}");
}

/// An attempt keeps so many lines, and one more says how many were dropped. A repeated call adds nothing.
pub async fn lines_of_an_attempt_are_bounded(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let job = claim_nodes(store, 1, T0).await.remove(0);
    let numbered = |from: u32, to: u32| -> Vec<LogLine> {
        let each =
            |number| LogLine { sequence: Some(number), ..line(1, LogLevel::Info, &number.to_string()) };
        (from..=to).map(each).collect()
    };
    let max = LOG_LINES_OF_ATTEMPT_MAX;
    for part in [
        numbered(1, max - 1),
        numbered(max - 1, max + 2),
        numbered(max - 1, max + 2),
        numbered(max + 3, max + 3),
    ] {
        assert_eq!(log(store, lease(&job), part).await, LeaseAnswer::Ok(()));
    }
    let after = LogPosition { at: T0, job_id: job.id, attempt: 1, number: max - 1 };
    let tail = page(store, LogsOf::Job(job.id, None), Some(after), 9).await.lines;
    assert_eq!(tail.len(), 2);
    assert_eq!((tail[0].message.as_str(), tail[0].position.number), (max.to_string().as_str(), max));
    assert!(tail[1].message.starts_with("3 more lines were dropped"), "{}", tail[1].message);
    assert_eq!(tail[1].level, LogLevel::Warn);
    // A job that is named twice in a call.
    let again = retry(store, &job).await;
    let twice = [1, 2].map(|number| LoggedLines { lease: lease(&again), lines: numbered(number, number) });
    let answers = store.append_logs(&ALL, &twice, &[], T0).await.expect("append works");
    assert_eq!(answers, [LeaseAnswer::Ok(()); 2]);
    assert_eq!(messages(store, LogsOf::Job(job.id, Some(2))).await, ["1", "2"]);
}

/// Lines go by their age, whatever becomes of their job, and an attempt that goes on counts on.
pub async fn lines_are_removed_by_age(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let job = claim_nodes(store, 1, T0).await.remove(0);
    let say = async |text: &str, secs| {
        let logged = [LoggedLines { lease: lease(&job), lines: vec![line(0, LogLevel::Info, text)] }];
        store.append_logs(&ALL, &logged, &[], after_secs(secs)).await.expect("append works");
    };
    for (text, secs) in [("a", 1), ("b", 2), ("c", 3)] {
        say(text, secs).await;
    }
    let retention = Retention { logs_before: after_secs(3), ..keep_all() };
    assert_eq!(store.prune(&retention, 1).await.expect("prune works"), 1);
    assert_eq!(store.prune(&retention, 9).await.expect("prune works"), 1);
    let of = LogsOf::Job(job.id, None);
    assert_eq!(messages(store, of).await, ["c"]);
    say("d", 4).await;
    assert_eq!(page(store, of, None, 9).await.lines[1].position.number, 4);
    let retention = Retention { logs_before: after_secs(9), ..keep_all() };
    assert_eq!(store.prune(&retention, 9).await.expect("prune works"), 2);
    assert_eq!(job.queue, QueueName::Node);
    assert_eq!(store.job(&ALL, job.id).await.expect("read works").map(|job| job.id), Some(job.id));
}
