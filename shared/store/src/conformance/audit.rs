//! The audit log and its chain.

use domain::access::TenantScope;
use domain::audit::{ChainCheck, Link};
use domain::names::CallerKey;
use domain::queue::{QueueName, Tier};
use domain::search::{Order, Search, SearchList};
use domain::time::Timestamp;
use domain::workflow::unique::UniquePolicy;

use super::batches::batch;
use super::eager::warm;
use super::fixture::{T0, after_secs, claim, execution, id, job, tenant, uuid, version};
use super::operations::keep_all;
use super::schedule_fixture::{fired, schedule, start};
use super::sealing::{lock, seal_payloads_of};
use super::search::{found, search};
use super::{schedule_fixture, webhook_fixture};
use crate::Store;
use crate::audit::{AuditLine, AuditRecord, with_line, with_lines};
use crate::error::StoreResult;
use crate::executions::{Appended, InboxEntry, NewExecution, Seed, UniqueStart};
use crate::jobs::NewJob;
use crate::operations::Retention;
use crate::webhooks::NO_WEBHOOK;

fn line(action: &str, of: Option<&str>, at: Timestamp) -> AuditRecord {
    AuditRecord {
        id: id(),
        at,
        actor: "key_1".into(),
        tenant: of.map(tenant),
        action: action.into(),
        subject: "x".into(),
        detail: Some(r#"{"count":3,"rate":0.5}"#.into()),
        door: Some("rest".into()),
        address: Some("192.0.2.1".into()),
        user_agent: None,
        request_id: Some("r1".into()),
        outcome: Some("done".into()),
        reason: None,
        before: Some(r#"{"maxConcurrent":null}"#.into()),
        after: Some(r#"{"maxConcurrent":7}"#.into()),
        batch: None,
    }
}

fn actions(lines: &[AuditLine]) -> Vec<&str> {
    lines.iter().map(|line| line.record.action.as_str()).collect()
}

async fn lines_of(store: &dyn Store, scope: &TenantScope, search: &Search) -> Vec<AuditLine> {
    let ids = found(store, scope, search).await;
    let lines = store.audit_of(scope, &ids).await.expect("they can be read");
    assert_eq!(lines.len(), ids.len());
    lines
}

/// The audit log as a scope sees it, newest first.
pub(super) async fn all_lines(store: &dyn Store, scope: &TenantScope) -> Vec<AuditLine> {
    lines_of(store, scope, &Search::all(SearchList::Audit)).await
}

/// The audit log is newest first and by tenant.
pub async fn i13_the_audit_log_is_by_tenant(store: &dyn Store) {
    let lines = [line("one", Some("a"), T0), line("two", None, T0), line("three", Some("b"), T0)];
    store.append_audit(&lines).await.expect("works");
    store.append_audit(&lines[..1]).await.expect("a repeat writes nothing");
    let listed = all_lines(store, &TenantScope::All).await;
    assert_eq!(actions(&listed), ["three", "two", "one"]);
    assert_eq!(listed[2], AuditLine { record: lines[0].clone(), seal: None });
    let own = TenantScope::One(tenant("a"));
    assert_eq!(actions(&all_lines(store, &own).await), ["one"]);
    store.seal_audit(Timestamp(0), 10).await.expect("works");
    let in_order = store.audit_in_order(&own, &[], 0, 10).await.expect("works");
    assert_eq!(actions(&in_order), ["one"]);
}

/// Lines are found by each of their fields, and by several values of one, in lists and exports alike.
pub async fn the_audit_log_is_found_by_what_it_holds(store: &dyn Store) {
    let old = AuditRecord { outcome: None, door: None, ..line("old", None, after_secs(-60)) };
    let one = line("one", Some("a"), T0);
    let refused = AuditRecord {
        outcome: Some("refused".into()),
        actor: "key_2".into(),
        door: Some("cli".into()),
        address: Some("2001:db8::1".into()),
        request_id: Some("r2".into()),
        batch: Some("bat_1".into()),
        subject: "y@2".into(),
        ..line("two", Some("b"), after_secs(1))
    };
    // By when they are of, whenever they were written.
    store.append_audit(&[refused, old, one]).await.expect("works");
    store.seal_audit(Timestamp(0), 10).await.expect("works");
    for (query, expected) in [
        ("", vec!["two", "one", "old"]),
        ("actor:key_2", vec!["two"]),
        ("actor:key_1,key_2", vec!["two", "one", "old"]),
        ("action:one,none", vec!["one"]),
        ("action:o*", vec!["one", "old"]),
        ("tenant:a,b", vec!["two", "one"]),
        ("outcome:refused", vec!["two"]),
        ("outcome:done", vec!["one", "old"]),
        ("door:cli,grpc", vec!["two"]),
        ("-door:*", vec!["old"]),
        ("subject:y@2", vec!["two"]),
        ("subject:y", vec![]),
        ("subject:y,y@*", vec!["two"]),
        ("action:t*,none subject:x,y@*", vec!["two"]),
        ("address:\"2001:db8::1\"", vec!["two"]),
        ("requestId:r2", vec!["two"]),
        ("batch:bat_1", vec!["two"]),
        ("at:now", vec!["one"]),
        ("at:>=now", vec!["two", "one"]),
        ("actor:key_1 outcome:refused", vec![]),
    ] {
        let search = search(SearchList::Audit, query);
        let listed = lines_of(store, &TenantScope::All, &search).await;
        assert_eq!(actions(&listed), expected, "{query}");
        let mut exported =
            store.audit_in_order(&TenantScope::All, &search.terms, 0, 10).await.expect("works");
        exported.reverse();
        assert_eq!(exported, listed, "{query}");
    }
    let oldest = Search { order: Order::Asc, ..Search::all(SearchList::Audit) };
    assert_eq!(actions(&lines_of(store, &TenantScope::All, &oldest).await), ["old", "one", "two"]);
}

/// Rows are sealed once, oldest first, whatever is written meanwhile; the chain holds.
pub async fn rows_of_the_audit_log_are_sealed_once_and_in_order(store: &dyn Store) {
    let start = store.audit_chain().await.expect("works");
    assert_eq!((start.anchor, start.head), (Link::START, Link::START));
    let empty = store.seal_audit(Timestamp(0), 10).await.expect("works");
    assert_eq!((empty.sealed, empty.oldest_left, empty.head), (0, None, Link::START));

    let late = line("late", None, after_secs(2));
    store
        .append_audit(&[late, line("first", None, T0), line("second", None, after_secs(1))])
        .await
        .expect("works");
    let part = store.seal_audit(Timestamp(0), 2).await.expect("works");
    assert_eq!((part.sealed, part.oldest_left), (2, Some(after_secs(2))));
    store.append_audit(&[line("earlier", None, after_secs(-9))]).await.expect("works");
    let recent = store.seal_audit(T0, 10).await.expect("works");
    assert_eq!((recent.sealed, recent.oldest_left), (1, None), "what is older is left");
    let all = store.seal_audit(Timestamp(0), 10).await.expect("works");
    assert_eq!((all.sealed, all.head.seq), (1, 4));
    assert_eq!(store.seal_audit(Timestamp(0), 10).await.expect("works").sealed, 0);

    assert_eq!(store.audit_chain().await.expect("works").head, all.head);
    let rows = store.audit_chain_rows(0, 10).await.expect("works");
    let shown: Vec<&str> =
        rows.iter().filter_map(|row| row.record.as_ref()).map(|record| record.action.as_str()).collect();
    assert_eq!(shown, ["first", "second", "late", "earlier"]);
    let mut check = ChainCheck::behind(Link::START);
    for row in &rows {
        check.take(&row.seal, row.record.as_ref().map(AuditRecord::public_row).as_ref());
    }
    check.expect_head(&all.head);
    assert_eq!((check.first_bad(), check.rows()), (None, 4));
    let behind = store.audit_chain_rows(2, 1).await.expect("works");
    assert_eq!(behind, [rows[2].clone()]);
    let listed = all_lines(store, &TenantScope::All).await;
    assert!(listed.len() == 4 && listed.iter().all(|line| line.seal.is_some()));
}

/// Retention removes rows from the beginning of the chain, leaves an anchor, and never what is not sealed.
pub async fn retention_leaves_an_anchor_of_the_audit_log(store: &dyn Store) {
    let lines: Vec<AuditRecord> = (0..5).map(|number| line("x", None, after_secs(number))).collect();
    store.append_audit(&lines[..4]).await.expect("works");
    let retention = Retention { audit_before: after_secs(2), ..keep_all() };
    assert_eq!(store.prune(&retention, 100).await.expect("prune works"), 0, "nothing is sealed");
    store.seal_audit(Timestamp(0), 10).await.expect("works");
    let rows = store.audit_chain_rows(0, 10).await.expect("works");
    assert_eq!(store.prune(&retention, 1).await.expect("prune works"), 1);
    assert_eq!(store.prune(&retention, 100).await.expect("prune works"), 1);
    assert_eq!(store.prune(&retention, 100).await.expect("prune works"), 0);
    let chain = store.audit_chain().await.expect("works");
    assert_eq!((chain.anchor, chain.head), (rows[1].seal.link(), rows[3].seal.link()));
    assert_eq!(store.audit_chain_rows(0, 10).await.expect("works"), rows[2..]);

    let all = Retention { audit_before: after_secs(9), ..keep_all() };
    assert_eq!(store.prune(&all, 100).await.expect("prune works"), 2);
    let chain = store.audit_chain().await.expect("works");
    assert_eq!(
        (chain.anchor, chain.head),
        (chain.head, rows[3].seal.link()),
        "the chain goes on from its anchor"
    );
    store.append_audit(&lines[4..]).await.expect("works");
    let next = store.seal_audit(Timestamp(0), 10).await.expect("works");
    let rest = store.audit_chain_rows(chain.anchor.seq, 10).await.expect("works");
    let mut check = ChainCheck::behind(chain.anchor);
    for row in &rest {
        check.take(&row.seal, row.record.as_ref().map(AuditRecord::public_row).as_ref());
    }
    check.expect_head(&next.head);
    assert_eq!((check.first_bad(), check.rows(), next.head.seq), (None, 1, 5));
}

/// What one caller starts in a second is a line for each commit while it is new, and one row of the chain.
pub async fn starts_of_a_second_are_one_row_of_the_chain(store: &dyn Store) {
    let start = |actor: &str, subject: &str, after: i64| AuditRecord {
        actor: actor.into(),
        subject: subject.into(),
        detail: None,
        before: None,
        after: None,
        request_id: Some(format!("r-{subject}")),
        ..line("job.enqueue", Some("a"), Timestamp(T0.0 + after))
    };
    let batch = AuditRecord {
        detail: Some(r#"{"count":3,"calls":1,"first":"j4","last":"j6","requestIds":["r-j4"]}"#.into()),
        ..start("key_1", "j4", 900)
    };
    let lines = [
        start("key_1", "j1", 0),
        start("key_2", "j2", 100),
        start("key_1", "j3", 500),
        line("queue.pause", None, Timestamp(T0.0 + 600)),
        batch,
        start("key_1", "j7", 1_000),
    ];
    store.append_audit(&lines).await.expect("works");
    assert_eq!(all_lines(store, &TenantScope::All).await.len(), 6, "all of them are there at once");
    let sealing = store.seal_audit(Timestamp(0), 10).await.expect("works");
    assert_eq!((sealing.sealed, sealing.oldest_left), (4, None));
    let rows = store.audit_chain_rows(0, 10).await.expect("works");
    let mut check = ChainCheck::behind(Link::START);
    for row in &rows {
        check.take(&row.seal, row.record.as_ref().map(AuditRecord::public_row).as_ref());
    }
    check.expect_head(&sealing.head);
    assert_eq!((check.first_bad(), check.rows()), (None, 4));
    let records: Vec<&AuditRecord> = rows.iter().filter_map(|row| row.record.as_ref()).collect();
    let subjects: Vec<&str> = records.iter().map(|record| record.subject.as_str()).collect();
    assert_eq!(subjects, ["j1", "j2", "x", "j7"]);
    let detail: Option<serde_json::Value> =
        records[0].detail.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let expected = serde_json::json!(
        {"count": 5, "calls": 3, "first": "j1", "last": "j6", "requestIds": ["r-j1", "r-j3", "r-j4"]}
    );
    assert_eq!((detail, records[0].request_id.as_deref()), (Some(expected), None));
    assert_eq!(records[1], &lines[1], "what stands for itself stays as it is");
    assert_eq!(all_lines(store, &TenantScope::All).await.len(), 4);
    assert_eq!(store.seal_audit(Timestamp(0), 10).await.expect("works").sealed, 0);
}

/// The log is gone through in parts, whatever is sealed already, and comes to an end.
pub async fn the_audit_log_is_sealed_part_by_part(store: &dyn Store) {
    let lines: Vec<AuditRecord> = [0, 1, 1, 1, 2, 3].map(|second| line("x", None, after_secs(second))).into();
    store.append_audit(&lines).await.expect("works");
    let (mut from, mut parts, mut sealed) = (Some(Timestamp(0)), 0, 0);
    while let Some(since) = from {
        let (part, next) = store.seal_audit_part(since, 2, 1).await.expect("works");
        assert!(part.sealed <= 1 && parts < 20, "{part:?} {next:?}");
        (from, parts, sealed) = (next, parts + 1, sealed + part.sealed);
    }
    assert_eq!((sealed, store.audit_chain().await.expect("works").head.seq), (6, 6));
    let (again, next) = store.seal_audit_part(Timestamp(0), 10, 10).await.expect("works");
    assert_eq!((again.sealed, again.oldest_left, next), (0, None, None));
    let (nothing, next) = store.seal_audit_part(after_secs(9), 10, 10).await.expect("works");
    assert_eq!((nothing.sealed, next), (0, None));
}

/// The line of a call is in the commit of what it records: one for each call that changes something, and none for a repeat.
pub async fn what_a_call_changes_is_committed_with_its_line(store: &dyn Store) {
    let (minutely, endpoint) = (schedule("minutely"), webhook_fixture::webhook("ci"));
    schedule_fixture::created(store, &minutely).await;
    webhook_fixture::created(store, &endpoint, &[]).await;
    let (batch, owner) = (batch(), uuid());
    let fires = [fired(&minutely, vec![start(&minutely, after_secs(60))], None)];
    let seed = Seed { state: vec![7], from: id(), nodes: Vec::new() };
    let reruns = [NewExecution { seed: Some(seed), ..execution("w") }];
    let replays = [webhook_fixture::acceptance(endpoint.id, &[])];
    let lines = ["batch", "rerun", "replay", "run"].map(|action| line(action, None, T0));
    for is_first in [true, false] {
        let (created, written) = with_line(&lines[0], store.create_batch(&batch, owner)).await;
        created.expect("create works");
        assert_eq!(written, is_first, "batch");
        let (created, written) = with_line(&lines[1], store.create_executions(&reruns, T0)).await;
        assert_eq!((created.expect("create works")[0].existing, written), (!is_first, is_first), "rerun");
        let (accepted, written) = with_line(&lines[2], store.accept_deliveries(&replays, T0)).await;
        assert_eq!(accepted.expect("accept works"), [webhook_fixture::new(&replays[0])]);
        assert_eq!(written, is_first, "replay");
        let (_, written) = with_line(&lines[3], store.fire_schedules(&fires, after_secs(60))).await;
        assert_eq!(written, is_first, "run");
        let log = all_lines(store, &TenantScope::All).await;
        let mut log = actions(&log);
        log.sort_unstable();
        assert_eq!(log, ["batch", "replay", "rerun", "run"]);
    }
    // What commits by itself takes no line along.
    let other = line("other", None, T0);
    let (named, written) = with_line(&other, store.batch(&TenantScope::All, batch.id)).await;
    assert!(named.expect("read works").is_some() && !written);
}

/// Makes a call twice, each time with lines of its own: those of the first are there as soon as it is answered, and those
/// of a repeat, which changes nothing, never.
async fn is_recorded<T, F>(store: &dyn Store, what: &str, call: impl Fn() -> F)
where
    F: Future<Output = StoreResult<T>>,
{
    let again = format!("{what}, again");
    for (action, count) in [(what, 2), (again.as_str(), 0)] {
        let lines = vec![line(action, None, T0), line(action, Some("a"), T0)];
        let (answer, are_written) = with_lines(lines, call()).await;
        answer.expect("the call works");
        assert_eq!(are_written, count > 0, "{action}");
        let log = all_lines(store, &TenantScope::All).await;
        assert_eq!(actions(&log).iter().filter(|known| **known == action).count(), count, "{action}");
    }
}

/// A call with one line is as one with several, and the line is read as it was written.
async fn a_single_line_is_recorded_as_it_is(store: &dyn Store) {
    let alike = [job(), job()];
    for of in [Some("a"), None] {
        let (jobs, written) = ([job()], line("single", of, T0));
        let (enqueued, is_written) = with_lines(vec![written.clone()], store.enqueue(&jobs, T0)).await;
        assert!(enqueued.is_ok() && is_written, "{enqueued:?}");
        let log = all_lines(store, &TenantScope::All).await;
        let read = log.iter().find(|line| line.record.id == written.id).expect("it is there");
        assert_eq!(read.record, written);
    }
    for is_new in [true, false] {
        let lines = vec![line("alone", None, T0)];
        let (enqueued, is_written) = with_lines(lines, store.enqueue(&alike, T0)).await;
        assert!(enqueued.is_ok() && is_written == is_new, "{enqueued:?}");
    }
    let log = all_lines(store, &TenantScope::All).await;
    assert_eq!(actions(&log).iter().filter(|known| **known == "alone").count(), 1);
}

/// What callers enqueue, start and send is in one commit with their lines, by whichever statements it is stored.
pub async fn i01_work_is_committed_with_the_lines_of_its_callers(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let alike = [job(), job()];
    let unlike = [NewJob { tier: Tier::Low, ..job() }, NewJob { traceparent: Some("00-1".into()), ..job() }];
    let keyed = [NewJob { unique_key: Some(CallerKey::trusted("k")), ..job() }];
    let large = [NewJob { data: format!("\"{}\"", "x".repeat(100_000)), ..job() }];
    let all: [(&str, &[NewJob]); 4] =
        [("alike", &alike), ("unlike", &unlike), ("keyed", &keyed), ("large", &large)];
    for (what, jobs) in all {
        is_recorded(store, what, || store.enqueue(jobs, T0)).await;
    }
    a_single_line_is_recorded_as_it_is(store).await;
    for (what, count) in [("start", 1), ("starts", 50)] {
        let new: Vec<NewExecution> = (0..count).map(|_| execution("w")).collect();
        is_recorded(store, what, || store.create_executions(&new, T0)).await;
    }
    let sent = [webhook_fixture::guard(1), webhook_fixture::guard(2)]
        .map(|guard| webhook_fixture::acceptance(NO_WEBHOOK, &[guard]));
    is_recorded(store, "events", || store.accept_deliveries(&sent, T0)).await;

    let key = CallerKey::trusted("order-7");
    let first = UniqueStart {
        execution: execution("w"),
        key,
        policy: UniquePolicy::Join,
        signal: None,
        is_over_quota: false,
    };
    is_recorded(store, "first", || store.start_unique(&first, T0)).await;
    let signal = InboxEntry::Signal { name: "go".to_owned(), payload: "1".to_owned() };
    let joins = UniqueStart { execution: execution("w"), signal: Some((id(), signal)), ..first.clone() };
    is_recorded(store, "joins", || store.start_unique(&joins, T0)).await;
    let log = all_lines(store, &TenantScope::All).await;
    let joined = log.iter().find(|line| line.record.action == "joins").expect("it is there");
    assert_eq!(joined.record.subject, first.execution.id.to_string(), "it is a signal to the first");
}

/// So is what is leased at once.
pub async fn i01_an_eager_start_is_committed_with_the_lines_of_its_callers(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    warm(store).await;
    let (nodes, runs) = (claim(QueueName::Node, 10, T0), claim(QueueName::Execution, 10, T0));
    let jobs = [job()];
    is_recorded(store, "job", || store.enqueue_eagerly(&jobs, &nodes)).await;
    // It learns that nothing waits.
    assert!(store.claim(&runs).await.expect("claim works").is_empty());
    let new = [execution("w")];
    is_recorded(store, "start", || store.create_executions_eagerly(&new, &runs)).await;
}

/// What fails leaves no line.
pub async fn what_is_not_committed_has_no_line(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    seal_payloads_of(store, &["z"]).await;
    lock(store);
    let of_both = |job: NewJob| [job.clone(), NewJob { id: id(), tenant: tenant("z"), ..job }];
    let jobs = of_both(job());
    let starts = jobs.each_ref().map(|job| {
        let new = execution("w");
        NewExecution { job: NewJob { tenant: job.tenant.clone(), ..new.job }, ..new }
    });
    let (nodes, lines) = (claim(QueueName::Node, 10, T0), || vec![line("failed", None, T0)]);
    let (refused, are_written) = with_lines(lines(), store.enqueue(&jobs, T0)).await;
    assert!(refused.is_err() && !are_written, "{refused:?}");
    let (refused, are_written) = with_lines(lines(), store.enqueue_eagerly(&jobs, &nodes)).await;
    assert!(refused.is_err() && !are_written, "{refused:?}");
    let (refused, are_written) = with_lines(lines(), store.create_executions(&starts, T0)).await;
    assert!(refused.is_err() && !are_written, "{refused:?}");
    assert_eq!(actions(&all_lines(store, &TenantScope::All).await), Vec::<&str>::new());
}

/// A command that cannot be carried out is in the log as refused, and why.
pub async fn a_command_that_is_refused_is_so_in_the_log(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let new = execution("w");
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let cancel = InboxEntry::Cancel { reason: None, compensate: false };
    for (action, entry, outcome) in
        [("first", &cancel, "done"), ("again", &cancel, "refused"), ("retry", &InboxEntry::Retry, "refused")]
    {
        let (command, lines) = ((id(), entry), [line(action, None, T0)]);
        let appended =
            store.append_audited_command(&TenantScope::All, new.id, command, &lines, after_secs(1)).await;
        assert!(matches!(appended, Ok(Appended::At(_))), "{action}: {appended:?}");
        let log = all_lines(store, &TenantScope::All).await;
        let found = log.iter().find(|line| line.record.action == action).expect("it is there");
        assert_eq!(found.record.outcome.as_deref(), Some(outcome), "{action}");
        assert_eq!(found.record.reason.is_some(), outcome == "refused", "{action}");
    }
}
