//! What tenants use, and their quotas.

use std::sync::atomic::AtomicU64;

use domain::access::TenantScope;
use domain::job_log::{LOG_LINE_ROW_BYTES, LogLevel, LogLine};
use domain::names::TenantName;
use domain::queue::{Tier, WorkflowRef};
use domain::quota::QuotaKind;
use domain::time::DurationMs;
use domain::webhook::DeliveryStatus;
use domain::workflow::execution::ExecutionStatus;

use super::access::key;
use super::executions::{commit, owned};
use super::fixture::{
    T0, after_secs, claim_nodes, commit_one, complete, enqueue, id, job, jobs, lease, tenant, uuid, version,
    workflow,
};
use super::operations::keep_all;
use super::schedule_fixture::schedule;
use super::webhook_fixture::{accept, acceptance, delivery, guard, webhook};
use crate::Store;
use crate::access::{IdempotencyReservation, KeyRevocation};
use crate::executions::OwnerNext;
use crate::job_logs::LoggedLines;
use crate::jobs::NewJob;
use crate::operations::Retention;
use crate::usage::{Measured, QuotaChange, QuotaRecord};
use crate::workflows::WorkflowVersion;

/// What the row of a delivery counts beside its body.
const ROW_BYTES: u64 = 4 * 1024;

async fn used(store: &dyn Store, of: &str, kind: QuotaKind) -> u64 {
    let used = store.measure(&Measured::Tenant(tenant(of), kind)).await.expect("measuring works");
    let shown = store.shown_usage(&tenant(of), kind).await.expect("measuring works");
    assert_eq!(shown, used, "{of}: the same on connections of lists");
    if kind == QuotaKind::HistoryRows {
        let so_far = AtomicU64::new(0);
        let counted = store.count_history(&tenant(of), &so_far).await.expect("counting works");
        assert_eq!((counted, so_far.into_inner()), (used, used), "{of}");
    }
    used
}

/// Jobs, their bytes and what is kept of them are counted for their tenant, large payloads too.
pub async fn i13_usage_counts_a_tenants_jobs(store: &dyn Store) {
    for kind in QuotaKind::ALL {
        assert_eq!(used(store, "a", kind).await, 0, "{kind:?}");
    }
    let large = NewJob { data: format!("\"{}\"", "a".repeat(20_000)), ..job() };
    let bytes = (large.data.len() + job().data.len()) as u64;
    enqueue(store, &[job(), large]).await;
    enqueue(store, &jobs(3, "b", Tier::Normal)).await;
    assert_eq!(used(store, "a", QuotaKind::OpenJobs).await, 2);
    assert_eq!(used(store, "a", QuotaKind::PayloadBytes).await, bytes);
    assert_eq!(used(store, "b", QuotaKind::OpenJobs).await, 3);
    for job in claim_nodes(store, 10, T0).await {
        complete(store, &job, after_secs(1)).await;
    }
    for (of, ended) in [("a", 2), ("b", 3), ("c", 0)] {
        let figures =
            (used(store, of, QuotaKind::OpenJobs).await, used(store, of, QuotaKind::HistoryRows).await);
        assert_eq!(figures, (0, ended), "{of}");
    }
    assert_eq!(used(store, "a", QuotaKind::PayloadBytes).await, 0);
}

/// Executions count while they are open, with their inputs, and as history when they have ended.
pub async fn usage_counts_executions(store: &dyn Store) {
    let (execution, job) = owned(store).await;
    assert_eq!(used(store, "a", QuotaKind::OpenExecutions).await, 1);
    assert!(used(store, "a", QuotaKind::PayloadBytes).await >= execution.input.len() as u64);
    let mut last = commit(execution.id, lease(&job), ExecutionStatus::Completed);
    last.next = OwnerNext::Finish;
    commit_one(store, &last, after_secs(1)).await.expect("commit works");
    assert_eq!(used(store, "a", QuotaKind::OpenExecutions).await, 0);
    assert!(used(store, "a", QuotaKind::HistoryRows).await >= 1);
}

/// Deliveries count by their bytes, for their endpoint, their tenant and in all; a duplicate has no body.
pub async fn usage_counts_the_bytes_of_webhook_deliveries(store: &dyn Store) {
    let (one, other) = (id(), id());
    let first = acceptance(one, &[guard(1)]);
    let bytes = first.delivery.body.len() as u64;
    accept(store, &[first, acceptance(one, &[guard(1)]), acceptance(other, &[])], T0).await;
    store.record_deliveries(&[delivery(other, DeliveryStatus::Rejected)]).await.expect("record works");
    let measure = |what: Measured| async move { store.measure(&what).await.expect("measuring works") };
    assert_eq!(measure(Measured::Webhook(tenant("a"), one)).await, bytes + 2 * ROW_BYTES);
    assert_eq!(measure(Measured::Webhook(tenant("a"), other)).await, 2 * bytes + 2 * ROW_BYTES);
    assert_eq!(measure(Measured::Webhook(tenant("a"), id())).await, 0);
    assert_eq!(used(store, "a", QuotaKind::DeliveryBytes).await, 3 * bytes + 4 * ROW_BYTES);
    assert_eq!(used(store, "b", QuotaKind::DeliveryBytes).await, 0);
    assert_eq!(measure(Measured::AllDeliveries).await, 3 * bytes + 4 * ROW_BYTES);
}

/// Answers that are kept count for their owner, and for the tenant whose owners are below its name.
pub async fn usage_counts_idempotency_keys(store: &dyn Store) {
    for (owner, key) in [("a/key_1", "x"), ("a/key_1", "y"), ("a/key_2", "x"), ("a", "x"), ("ab/key_3", "x")]
    {
        let reservation = IdempotencyReservation {
            owner: owner.to_owned(),
            key: key.to_owned(),
            fingerprint: "f".to_owned(),
            seed: uuid(),
            process: uuid(),
            stale_before: T0.minus(DurationMs::from_secs(5)),
            forget_before: T0.minus(DurationMs::from_secs(86_400)),
        };
        store.reserve_idempotency(&reservation, T0).await.expect("reserve works");
    }
    let of_owner = Measured::IdempotencyOwner("a/key_1".to_owned());
    assert_eq!(store.measure(&of_owner).await.expect("measuring works"), 2);
    assert_eq!(used(store, "a", QuotaKind::IdempotencyKeys).await, 4);
    assert_eq!(used(store, "ab", QuotaKind::IdempotencyKeys).await, 1);
    for (owner, key, there) in [("a/key_1", "x", true), ("a/key_1", "z", false), ("a/key_9", "x", false)] {
        let has = store.has_idempotency_key(owner, key).await.expect("read works");
        assert_eq!(has, there, "{owner} {key}");
    }
}

/// Versions of workflows, schedules, endpoints and keys count for their tenant, and their bytes together.
pub async fn usage_counts_what_people_make(store: &dyn Store) {
    let owned = WorkflowVersion {
        workflow: WorkflowRef { owner: Some(tenant("a")), ..workflow("w") },
        ..version("w")
    };
    let second = WorkflowVersion { version: 2, content_hash: "other".into(), ..owned.clone() };
    for new in [version("w"), owned.clone(), second.clone()] {
        store.register_workflow(&new).await.expect("register works");
    }
    let places = r#"{"ü":1}"#;
    assert!(store.put_workflow_source(&owned.workflow, 2, places, T0).await.expect("put works"));
    let (planned, endpoint) = (schedule("s"), webhook("e"));
    store.create_schedule(&planned).await.expect("create works");
    store.create_webhook(&endpoint, &[]).await.expect("create works");
    let revoked = key("old", Some("a"));
    for new in [revoked.clone(), key("ci", Some("a")), key("all", None)] {
        store.create_key(&new, &[]).await.expect("create works");
    }
    let answer = store.revoke_key(&TenantScope::All, revoked.id, &[], T0).await.expect("revoke works");
    assert_eq!(answer, KeyRevocation::Done);
    let texts: [&str; 5] = [&owned.content, &second.content, places, &planned.input, &endpoint.config];
    let bytes: u64 = texts.iter().map(|text| text.len() as u64).sum();
    for (kind, expected) in [
        (QuotaKind::WorkflowVersions, 2),
        (QuotaKind::Schedules, 1),
        (QuotaKind::Webhooks, 1),
        (QuotaKind::ApiKeys, 2),
        (QuotaKind::DefinitionBytes, bytes),
    ] {
        assert_eq!(used(store, "a", kind).await, expected, "{kind:?}");
        assert_eq!(used(store, "b", kind).await, 0, "{kind:?} of another tenant");
    }
}

/// Log lines count their bytes and their rows for the tenant of their job, until retention takes them.
pub async fn usage_counts_the_bytes_of_log_lines(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let job = claim_nodes(store, 1, T0).await.remove(0);
    let line = |message: &str, fields: Option<&str>| LogLine {
        at: T0,
        level: LogLevel::Info,
        message: message.to_owned(),
        fields: fields.map(str::to_owned),
        sequence: None,
    };
    for lines in [vec![line("abc", None), line("", Some("{}"))], vec![line("ü", None)]] {
        let logged = [LoggedLines { lease: lease(&job), lines }];
        store.append_logs(&TenantScope::All, &logged, &[], after_secs(1)).await.expect("append works");
    }
    assert_eq!(used(store, "a", QuotaKind::LogBytes).await, 3 + 2 + 2 + 3 * LOG_LINE_ROW_BYTES);
    assert_eq!(used(store, "b", QuotaKind::LogBytes).await, 0);
    let retention = Retention { logs_before: after_secs(9), ..keep_all() };
    assert_eq!(store.prune(&retention, 9).await.expect("prune works"), 3);
    assert_eq!(used(store, "a", QuotaKind::LogBytes).await, 0);
}

/// Quotas are set, changed, and taken away again.
pub async fn quotas_are_each_tenants_own(store: &dyn Store) {
    assert_eq!(store.quotas().await.expect("read works"), []);
    let set = |of: &'static str, kind, quota| {
        let (tenant, changes): (TenantName, _) = (tenant(of), [QuotaChange { kind, quota }]);
        async move { store.change_quotas(&tenant, &changes, T0).await.expect("change works") }
    };
    set("a", QuotaKind::OpenJobs, Some(Some(7))).await;
    set("a", QuotaKind::OpenJobs, Some(Some(8))).await;
    set("a", QuotaKind::DeliveryBytes, Some(None)).await;
    set("b", QuotaKind::OpenJobs, Some(Some(u64::MAX >> 2))).await;
    let record = |of, kind, quota| QuotaRecord { tenant: tenant(of), kind, quota };
    let expected = [
        record("a", QuotaKind::DeliveryBytes, None),
        record("a", QuotaKind::OpenJobs, Some(8)),
        record("b", QuotaKind::OpenJobs, Some(u64::MAX >> 2)),
    ];
    assert_eq!(store.quotas().await.expect("read works"), expected);
    set("a", QuotaKind::OpenJobs, None).await;
    set("b", QuotaKind::HistoryRows, None).await;
    assert_eq!(store.quotas().await.expect("read works").len(), 2);
}
