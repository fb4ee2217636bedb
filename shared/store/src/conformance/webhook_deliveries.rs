//! Webhook deliveries after they came: their outcome, lists, and what retention leaves.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::id::{ExecutionId, JobId, WebhookId};
use domain::job::Disposition;
use domain::queue::QueueName;
use domain::search::SearchList;

use super::fixture::{T0, after_secs, claim, complete, id, lease, tenant};
use super::operations::keep_all;
use super::search::{found, search};
use super::webhook_fixture::{
    ALL, accept, accept_one, acceptance, count, created, delivery, duplicate_of, guard, guard_until, new,
    read, secret, webhook,
};
use crate::Store;
use crate::jobs::{ClaimedJob, Settlement};
use crate::operations::Retention;
use crate::webhooks::{DeliveryOutcome, JOB_CANCELLED, MATCHING_FAILED, NewDelivery};
use domain::webhook::DeliveryStatus;

/// What matching came to is kept; the last record counts, and what never had a job is not changed.
pub async fn a_webhook_deliverys_outcome_is_kept(store: &dyn Store) {
    let one = acceptance(id(), &[guard(1)]);
    let copy = acceptance(one.delivery.webhook_id, &[guard(1)]);
    accept(store, &[one.clone(), copy.clone()], T0).await;
    let parked = DeliveryOutcome {
        id: one.delivery.id,
        status: DeliveryStatus::Parked,
        reason: Some("filter".to_owned()),
        outcome: r#"[{"workflow":"w","error":"x"}]"#.to_owned(),
        executions: Vec::new(),
    };
    store.finish_delivery(&parked, after_secs(1)).await.expect("finish works");
    let record = read(store, one.delivery.id).await;
    assert_eq!((record.status, record.reason.as_deref()), (DeliveryStatus::Parked, Some("filter")));
    assert_eq!((record.outcome.as_ref(), record.processed_at), (Some(&parked.outcome), Some(after_secs(1))));
    assert!(record.executions.is_empty());
    let executions: Vec<ExecutionId> = vec![id(), id()];
    let matched = DeliveryOutcome {
        status: DeliveryStatus::Matched,
        reason: None,
        outcome: "[]".to_owned(),
        executions: executions.clone(),
        ..parked
    };
    store.finish_delivery(&matched, after_secs(2)).await.expect("finish works");
    let record = read(store, one.delivery.id).await;
    assert_eq!(
        (record.status, record.reason, record.processed_at),
        (DeliveryStatus::Matched, None, Some(after_secs(2)))
    );
    assert_eq!((record.outcome.as_deref(), record.executions), (Some("[]"), executions));
    assert_eq!(record.job_id, Some(one.job.id));
    for left in [copy.delivery.id, id()] {
        store.finish_delivery(&DeliveryOutcome { id: left, ..matched.clone() }, T0).await.expect("works");
    }
    assert_eq!(read(store, copy.delivery.id).await.status, DeliveryStatus::Duplicate);
}

/// The end of its job parks a delivery about which nothing was decided, however the job ended.
pub async fn a_webhook_delivery_whose_job_ends_undecided_is_parked(store: &dyn Store) {
    let all = [(); 4].map(|()| {
        let mut one = acceptance(id(), &[]);
        one.job.data = format!(r#"{{"deliveryId":"{}"}}"#, one.delivery.id);
        one
    });
    accept(store, &all, T0).await;
    let leased = store.claim(&claim(QueueName::Webhook, 3, T0)).await.expect("claim works");
    let error = JobError::coded("internal", "It did not work.");
    let die = |job: &ClaimedJob| {
        let reason = DeadReason::RetriesExhausted;
        Settlement { lease: lease(job), disposition: Disposition::Die { reason, error: error.clone() } }
    };
    let [died, lost, decided, cancelled] = all.map(|one| (one.delivery.id, one.job.id));
    let of = |job: JobId| leased.iter().find(|leased| leased.id == job).expect("in order");
    let matched = DeliveryOutcome {
        id: decided.0,
        status: DeliveryStatus::Matched,
        reason: None,
        outcome: "[]".to_owned(),
        executions: vec![id()],
    };
    store.finish_delivery(&matched, T0).await.expect("finish works");
    store.settle(&[die(of(died.1)), die(of(decided.1))], after_secs(1)).await.expect("settle works");
    store.reap(&[die(of(lost.1))], after_secs(100_000)).await.expect("reap works");
    store.cancel_job(&ALL, cancelled.1, after_secs(1)).await.expect("cancel works");
    let expected = [
        (died.0, DeliveryStatus::Parked, Some(MATCHING_FAILED), Some(after_secs(1))),
        (lost.0, DeliveryStatus::Parked, Some(MATCHING_FAILED), Some(after_secs(100_000))),
        (decided.0, DeliveryStatus::Matched, None, Some(T0)),
        (cancelled.0, DeliveryStatus::Parked, Some(JOB_CANCELLED), Some(after_secs(1))),
    ];
    for (delivery, status, reason, at) in expected {
        let record = read(store, delivery).await;
        assert_eq!((record.status, record.reason.as_deref(), record.processed_at), (status, reason, at));
    }
}

/// Deliveries that ended at once are kept with their bodies, once each.
pub async fn rejected_webhook_deliveries_are_kept(store: &dyn Store) {
    let endpoint = id();
    let rejected = NewDelivery {
        reason: Some("signature".to_owned()),
        body: vec![0, 1, 255],
        ..delivery(endpoint, DeliveryStatus::Rejected)
    };
    let handshake = NewDelivery { body: Vec::new(), ..delivery(endpoint, DeliveryStatus::Handshake) };
    let both = [rejected.clone(), handshake.clone()];
    store.record_deliveries(&both).await.expect("record works");
    store.record_deliveries(&both).await.expect("again is nothing new");
    store.record_deliveries(&[]).await.expect("nothing is nothing");
    assert_eq!(count(store).await, 2);
    for one in &both {
        let record = read(store, one.id).await;
        assert_eq!((record.status, &record.reason, record.job_id), (one.status, &one.reason, None));
        let body = store.delivery_body(&ALL, one.id).await.expect("read works");
        assert_eq!(body.as_ref(), Some(&one.body));
    }
    assert!(store.claim(&claim(QueueName::Webhook, 10, T0)).await.expect("claim works").is_empty());
}

/// Lists are newest first, by each filter and in pages.
pub async fn webhook_deliveries_are_filtered_and_paged(store: &dyn Store) {
    let (one, two): (WebhookId, WebhookId) = (id(), id());
    let rejected = |endpoint| delivery(endpoint, DeliveryStatus::Rejected);
    let all = [
        rejected(one),
        NewDelivery { status: DeliveryStatus::Handshake, ..rejected(one) },
        NewDelivery { event_type: Some("ping".to_owned()), ..rejected(one) },
        NewDelivery { event_type: None, ..rejected(two) },
        NewDelivery { tenant: tenant("b"), ..rejected(two) },
    ];
    store.record_deliveries(&all).await.expect("record works");
    for (query, expected) in [
        ("", vec![4, 3, 2, 1, 0]),
        (format!("webhookId:{one}").as_str(), vec![2, 1, 0]),
        ("tenant:b", vec![4]),
        ("status:handshake", vec![1]),
        ("status:parked", vec![]),
        ("eventType:ping", vec![2]),
        (format!("webhookId:{two} tenant:a").as_str(), vec![3]),
    ] {
        let ids = found(store, &ALL, &search(SearchList::Deliveries, query)).await;
        assert_eq!(ids, expected.iter().map(|&index| all[index].id.uuid()).collect::<Vec<_>>(), "{query}");
    }
}

/// Another tenant's delivery does not exist.
pub async fn i13_webhook_deliveries_stay_within_the_tenant(store: &dyn Store) {
    let one = acceptance(id(), &[]);
    accept_one(store, &one).await;
    let (own, other) = (TenantScope::One(tenant("a")), TenantScope::One(tenant("b")));
    let id = one.delivery.id;
    for (scope, seen) in [(&own, true), (&other, false)] {
        assert_eq!(store.delivery(scope, id).await.expect("read works").is_some(), seen);
        assert_eq!(store.delivery_body(scope, id).await.expect("read works").is_some(), seen);
        for query in ["", "tenant:a"] {
            let ids = found(store, scope, &search(SearchList::Deliveries, query)).await;
            assert_eq!(ids.len(), usize::from(seen));
            let shown = store.deliveries_of(scope, &[id.uuid()]).await.expect("read works");
            assert_eq!(shown.len(), usize::from(seen));
        }
    }
}

/// An endpoint that is removed takes its secrets along and leaves its deliveries.
pub async fn a_deleted_webhook_keeps_its_deliveries(store: &dyn Store) {
    let endpoint = webhook("one");
    created(store, &endpoint, &[secret(b"s")]).await;
    let one = acceptance(endpoint.id, &[guard(1)]);
    accept_one(store, &one).await;
    assert!(store.delete_webhook(&ALL, endpoint.id).await.expect("delete works"));
    assert!(!store.delete_webhook(&ALL, endpoint.id).await.expect("delete answers"));
    assert_eq!(store.webhook(&ALL, endpoint.id).await.expect("read works"), None);
    assert!(store.secrets_sealed_otherwise("", 10).await.expect("read works").is_empty());
    assert_eq!(read(store, one.delivery.id).await.webhook_id, endpoint.id);
    assert!(store.delivery_body(&ALL, one.delivery.id).await.expect("read works").is_some());
    created(store, &webhook("one"), &[]).await;
}

/// Pruning takes old deliveries in bounded steps with their bodies, but none whose job is still to run.
pub async fn pruning_removes_old_webhook_deliveries(store: &dyn Store) {
    let endpoint = id();
    let at =
        |secs| NewDelivery { received_at: after_secs(secs), ..delivery(endpoint, DeliveryStatus::Rejected) };
    let old: Vec<_> = (0..5).map(at).collect();
    store.record_deliveries(&old).await.expect("record works");
    let waiting = acceptance(endpoint, &[]);
    accept_one(store, &waiting).await;
    let retention = Retention { deliveries_before: after_secs(4), ..keep_all() };
    assert_eq!(store.prune(&keep_all(), 100).await.expect("prune works"), 0);
    assert_eq!(store.prune(&retention, 3).await.expect("prune works"), 3);
    assert_eq!(store.prune(&retention, 3).await.expect("prune works"), 1);
    assert_eq!(store.prune(&retention, 3).await.expect("prune works"), 0);
    assert_eq!(store.delivery(&ALL, old[3].id).await.expect("read works"), None);
    assert_eq!(store.delivery_body(&ALL, old[3].id).await.expect("read works"), None);
    // The body has no row of its own to be found by: the same id again would keep the old one.
    store.record_deliveries(&[NewDelivery { body: vec![7], ..at(0) }]).await.expect("record works");
    let again = NewDelivery { body: vec![9], ..old[0].clone() };
    store.record_deliveries(std::slice::from_ref(&again)).await.expect("record works");
    assert_eq!(store.delivery_body(&ALL, again.id).await.expect("read works"), Some(vec![9]));
    assert_eq!(read(store, waiting.delivery.id).await.status, DeliveryStatus::Accepted);
    let claimed = store.claim(&claim(QueueName::Webhook, 1, T0)).await.expect("claim works").remove(0);
    complete(store, &claimed, T0).await;
    assert_eq!(store.prune(&retention, 100).await.expect("prune works"), 3);
    assert_eq!(count(store).await, 1);
}

/// Expired guards go; of rejected deliveries each endpoint keeps the newest. Both in bounded steps.
pub async fn webhook_upkeep_is_bounded(store: &dyn Store) {
    let (noisy, quiet) = (webhook("noisy"), webhook("quiet"));
    created(store, &noisy, &[]).await;
    created(store, &quiet, &[]).await;
    let rejected: Vec<_> = (0..7).map(|_| delivery(noisy.id, DeliveryStatus::Rejected)).collect();
    let others = [
        delivery(quiet.id, DeliveryStatus::Rejected),
        delivery(noisy.id, DeliveryStatus::Handshake),
        delivery(quiet.id, DeliveryStatus::Rejected),
    ];
    store.record_deliveries(&rejected).await.expect("record works");
    store.record_deliveries(&others).await.expect("record works");
    let accepted = acceptance(noisy.id, &[guard_until(1, after_secs(10)), guard_until(2, after_secs(20))]);
    accept_one(store, &accepted).await;
    let prune = |rejected_max, limit, secs| store.prune_webhooks(rejected_max, limit, after_secs(secs));
    assert_eq!(prune(7, 100, 9).await.expect("prune works"), 0);
    assert_eq!(prune(2, 3, 9).await.expect("prune works"), 3);
    assert_eq!(prune(2, 3, 9).await.expect("prune works"), 2);
    assert_eq!(prune(2, 3, 9).await.expect("prune works"), 0);
    let left = format!("webhookId:{} status:rejected", noisy.id);
    let left = found(store, &ALL, &search(SearchList::Deliveries, &left)).await;
    assert_eq!(left, [rejected[6].id.uuid(), rejected[5].id.uuid()]);
    assert_eq!(store.delivery_body(&ALL, rejected[4].id).await.expect("read works"), None);
    assert_eq!(count(store).await, 6);
    assert_eq!(prune(2, 100, 10).await.expect("prune works"), 1, "the guard that has expired");
    let copy = acceptance(noisy.id, &[guard(2)]);
    assert_eq!(accept_one(store, &copy).await, duplicate_of(&accepted), "the other guard still counts");
    assert_eq!(prune(0, 100, 20).await.expect("prune works"), 1 + 4);
    let anew = acceptance(noisy.id, &[guard(2)]);
    assert_eq!(accept_one(store, &anew).await, new(&anew));
    assert_eq!(count(store).await, 4);
}
