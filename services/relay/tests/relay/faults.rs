//! What goes wrong: brokers, relays and messages.

use std::collections::BTreeSet;

use domain::alerting::AlertStatus;
use domain::dispatch::{AcceptOutcome, SHARDS, holder_of};
use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::names::{JobType, NodeId, TenantName};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};
use engine::JobRequest;
use relay::RelayOptions;
use store::jobs::NewJob;
use testkit::eventually;
use uuid::Uuid;

use crate::broker::Mode;
use crate::harness::{OFFER, Pushed, on_both_databases, outcomes};

on_both_databases!(
    i01_a_relay_that_dies_loses_nothing,
    i04_failures_keep_the_order_of_a_key,
    i04_the_next_relay_keeps_the_order_of_a_key,
    a_message_that_is_too_large_dies,
    a_broker_that_is_away_costs_nothing,
    i05_what_waits_for_a_broker_keeps_no_higher_tier_back,
    unacknowledged_offers_stand,
    two_relays_share_the_shards,
);

fn event_ids(pushed: &Pushed) -> Vec<String> {
    pushed.broker.offers().iter().map(|offer| offer["eventId"].to_string()).collect()
}

/// Between the claim and the acknowledgement: what it claimed is published again under the same ids.
async fn i01_a_relay_that_dies_loses_nothing(pushed: Pushed) {
    pushed.broker.set(Mode::Stalled);
    let engine = pushed.harness.node(2).engine;
    let relay = relay::Relay::new(engine, pushed.broker.clone(), Pushed::options());
    let dying = tokio::spawn(relay.run(tokio_util::sync::CancellationToken::new()));
    pushed.enqueue("charge", 5).await;
    pushed.published(5).await;
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    let first: BTreeSet<String> = event_ids(&pushed).into_iter().collect();

    pushed.broker.set(Mode::Up);
    let relay = pushed.relay();
    // The term of the dead one ends by the clock of the store.
    pushed.harness.clock.advance(DurationMs::from_secs(25));
    pushed.published(10).await;
    let all = event_ids(&pushed);
    assert_eq!(all[5..].iter().cloned().collect::<BTreeSet<_>>(), first, "the same events");
    let offers = pushed.broker.offers();
    let accepted = pushed.accept("w1", &offers[..5]).await;
    assert!(accepted.iter().all(|job| job.outcome == AcceptOutcome::Ok));
    assert_eq!(outcomes(&pushed.accept("w2", &offers[5..]).await), [AcceptOutcome::Taken; 5]);
    pushed.complete(&accepted).await;
    relay.stop().await;
}

/// Jobs of one execution have one key, and keep their order; others are not held up.
async fn i04_failures_keep_the_order_of_a_key(pushed: Pushed) {
    let executions = [1, 2, 3].map(|number| ExecutionId::from_uuid(Uuid::from_u128(number)));
    let jobs: Vec<NewJob> = (0..60).map(|number| node_job(number, executions[number as usize % 3])).collect();
    pushed.broker.fail_next(25);
    pushed.harness.store.enqueue(&jobs, pushed.harness.engine.now()).await.unwrap();
    let relay = pushed.relay();
    pushed.published(60).await;
    let keys = pushed.broker.by_key();
    for execution in executions {
        let of = jobs.iter().filter(|job| job.execution_id == Some(execution));
        let expected: Vec<String> = of.map(|job| job.id.to_string()).collect();
        assert_eq!(keys[&execution.to_string()], expected);
    }
    relay.stop().await;
}

/// Also where what the one before left is more than one answer of the store has room for, and something comes after it.
async fn i04_the_next_relay_keeps_the_order_of_a_key(pushed: Pushed) {
    let execution = ExecutionId::from_uuid(Uuid::from_u128(1));
    let data = format!("\"{}\"", "x".repeat(1 << 20));
    let large = |number| NewJob { data: data.clone(), ..node_job(number, execution) };
    let mut jobs: Vec<NewJob> = (0..20).map(large).collect();
    pushed.broker.set(Mode::Stalled);
    let engine = pushed.harness.node(2).engine;
    let relay = relay::Relay::new(engine, pushed.broker.clone(), Pushed::options());
    let dying = tokio::spawn(relay.run(tokio_util::sync::CancellationToken::new()));
    pushed.harness.store.enqueue(&jobs, pushed.harness.engine.now()).await.unwrap();
    pushed.published(20).await;
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    let late = node_job(20, execution);
    pushed.harness.store.enqueue(std::slice::from_ref(&late), pushed.harness.engine.now()).await.unwrap();
    jobs.push(late);

    pushed.broker.set(Mode::Up);
    let relay = pushed.relay();
    pushed.harness.clock.advance(DurationMs::from_secs(25));
    pushed.published(41).await;
    let keys = pushed.broker.by_key();
    let ids: Vec<String> = jobs.iter().map(|job| job.id.to_string()).collect();
    let published = &keys[&execution.to_string()];
    assert_eq!(published[..20], ids[..20]);
    assert_eq!(published[20..], ids, "again and in order; what came after it is behind it");
    relay.stop().await;
}

/// A job of an execution; jobs with the same number are the same.
pub(crate) fn node_job(number: u128, execution: ExecutionId) -> NewJob {
    NewJob {
        id: JobId::from_uuid(Uuid::from_u128(1_000 + number)),
        queue: QueueName::Node,
        tier: Tier::Normal,
        tenant: TenantName::trusted("default"),
        workflow: None,
        job_type: JobType::trusted("step"),
        data: "{}".to_owned(),
        run_at: Timestamp(0),
        expires_at: None,
        retries_max: 3,
        backoff: Backoff::default(),
        timeout: None,
        unique_key: None,
        concurrency_key: None,
        rate_key: None,
        tags: Vec::new(),
        traceparent: None,
        execution_id: Some(execution),
        node_id: Some(NodeId::trusted("step")),
        attributes: Vec::new(),
    }
}

async fn a_message_that_is_too_large_dies(pushed: Pushed) {
    pushed.broker.refuse_above(2_000);
    let relay = pushed.relay();
    let large = format!("\"{}\"", "x".repeat(3_000));
    let ids = pushed
        .enqueue_with(2, |number| {
            let data = if number == 0 { large.as_str() } else { "{}" };
            JobRequest::new(JobType::trusted("charge"), data)
        })
        .await;
    eventually("it is dead", || async {
        let job = pushed.harness.engine.job(&pushed.harness.admin(), ids[0]).await.unwrap();
        job.status == JobStatus::DeadLetter
            && job.error.is_some_and(|error| error.code.as_deref() == Some("message_too_large"))
    })
    .await;
    pushed.published(1).await;
    relay.stop().await;
}

async fn a_broker_that_is_away_costs_nothing(pushed: Pushed) {
    pushed.broker.set(Mode::Away);
    let relay = pushed.relay_with(Pushed::with_a_short_term());
    let ids = pushed.enqueue("charge", 20).await;
    eventually("it is said", || async { pushed.harness.engine.broker_away_since().is_some() }).await;
    assert_eq!(pushed.standing().await, 0, "nothing is claimed for a broker that is away");
    eventually("the others know", || async { pushed.why(ids[0]).await == "broker_away" }).await;
    let alerts = || async {
        pushed.harness.engine.alerts_tick().await.unwrap();
        let open = pushed.harness.store.open_alerts().await.unwrap();
        open.iter().any(|alert| alert.rule == "broker_away" && alert.status == AlertStatus::Firing)
    };
    eventually("an alert fires", &alerts).await;
    let report = pushed.harness.engine.dispatch(&pushed.harness.admin()).await.unwrap();
    assert_eq!((report.outbox.jobs, report.view.lag()), (20, 0));
    assert_eq!(pushed.harness.store.ended_jobs(&ids).await.unwrap().len(), 0);
    pushed.broker.set(Mode::Up);
    pushed.published(20).await;
    eventually("it is said no more", || async { pushed.harness.engine.broker_away_since().is_none() }).await;
    eventually("the alert is over", || async { !alerts().await }).await;
    eventually("the figures are there", || async {
        let view = pushed.harness.engine.dispatch(&pushed.harness.admin()).await.unwrap().view;
        view.nodes.iter().any(|node| node.figures.published == 20) && view.lag() == 20
    })
    .await;
    assert!(pushed.broker.offers().iter().all(|offer| offer["job"]["attempt"] == 1));
    relay.stop().await;
}

/// What was claimed before a broker went away goes back, so that jobs of higher tiers that come meanwhile are offered first:
/// messages that failed, and those that the producer has.
async fn i05_what_waits_for_a_broker_keeps_no_higher_tier_back(pushed: Pushed) {
    let of_tier =
        |tier| move |_| JobRequest { tier: Some(tier), ..JobRequest::new(JobType::trusted("charge"), "{}") };
    let relay = pushed.relay_with(RelayOptions { window: 4, ..Pushed::options() });
    let mut before = 0;
    for is_stalled in [false, true] {
        if is_stalled {
            pushed.broker.set(Mode::Stalled);
        } else {
            pushed.broker.fail_until_away();
        }
        pushed.enqueue_with(4, of_tier(Tier::Low)).await;
        eventually("the window is full", || async { pushed.standing().await == 4 }).await;
        if is_stalled {
            pushed.published(before + 4).await;
        }
        pushed.broker.set(Mode::Away);
        eventually("the offers went back", || async { pushed.standing().await == 0 }).await;
        before = pushed.broker.len();
        pushed.enqueue_with(4, of_tier(Tier::High)).await;
        pushed.broker.set(Mode::Up);
        pushed.published(before + 4).await;
        let high = pushed.broker.offers().split_off(before);
        assert!(high.iter().all(|offer| offer["job"]["priority"] == "high"), "{high:?}");
        let accepted = pushed.accept("w1", &high).await;
        pushed.complete(&accepted).await;
        pushed.published(before + 8).await;
        let low = pushed.broker.offers().split_off(before + 4);
        let accepted = pushed.accept("w1", &low).await;
        assert!(accepted.iter().all(|job| job.outcome == AcceptOutcome::Ok));
        pushed.complete(&accepted).await;
        if is_stalled {
            let late = pushed.accept("w2", &pushed.broker.offers()[..before]).await;
            let is_ok = late.iter().any(|job| job.outcome == AcceptOutcome::Ok);
            assert!(!is_ok, "what was taken back is worth nothing");
        }
        before = pushed.broker.len();
    }
    assert!(pushed.broker.offers().iter().all(|offer| offer["job"]["attempt"] == 1));
    relay.stop().await;
}

/// An offer that the broker has not acknowledged does not come back, however long that takes.
async fn unacknowledged_offers_stand(pushed: Pushed) {
    pushed.broker.set(Mode::Stalled);
    let relay = pushed.relay_with(Pushed::with_a_long_term());
    pushed.enqueue("charge", 3).await;
    pushed.published(3).await;
    for _ in 0..4 {
        let until = pushed.harness.clock.advance(DurationMs(OFFER.0 / 2 + 1_000)).plus(OFFER);
        let holders: Vec<_> = (0..SHARDS).map(holder_of).collect();
        eventually("they are kept", || async {
            let offers = pushed.harness.store.standing_offers(&holders).await.unwrap();
            offers.len() == 3 && offers.iter().all(|offer| offer.until >= until)
        })
        .await;
        pushed.harness.engine.reap_tick().await.unwrap();
    }
    pushed.broker.set(Mode::Up);
    let offers = pushed.broker.offers();
    assert_eq!(offers.len(), 3, "nothing was offered anew");
    assert_eq!(outcomes(&pushed.accept("w1", &offers).await), [AcceptOutcome::Ok; 3]);
    relay.stop().await;
}

async fn two_relays_share_the_shards(pushed: Pushed) {
    let first = pushed.relay_with(Pushed::with_a_short_term());
    let other = pushed.harness.node(2).engine;
    let second = relay::start(other.clone(), pushed.broker.clone(), Pushed::with_a_short_term());
    eventually("each has half of them", || async {
        let view = pushed.harness.store.relay_view(pushed.harness.engine.now()).await.unwrap();
        let of = |id| view.shards.iter().filter(|shard| shard.owner == Some(id)).count();
        of(pushed.harness.engine.relay_id()) == 4 && of(other.relay_id()) == 4
    })
    .await;
    let ids = pushed
        .enqueue_with(40, |number| JobRequest::new(JobType::trusted(format!("type-{}", number % 16)), "{}"))
        .await;
    pushed.published(40).await;
    let offers = pushed.broker.offers();
    let accepted = pushed.accept("w1", &offers).await;
    pushed.complete(&accepted.into_iter().filter(|job| job.lease.is_some()).collect::<Vec<_>>()).await;
    assert_eq!(pushed.harness.store.ended_jobs(&ids).await.unwrap().len(), 40);
    first.stop().await;
    pushed.harness.engine.leave_dispatch().await.unwrap();
    eventually("the other has all of them", || async {
        let view = pushed.harness.store.relay_view(pushed.harness.engine.now()).await.unwrap();
        view.shards.iter().all(|shard| shard.owner == Some(other.relay_id()))
    })
    .await;
    second.stop().await;
}
