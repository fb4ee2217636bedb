//! What cannot be published holds back its own type, and no other of its shard.

use domain::alerting::AlertStatus;
use domain::dispatch::{AcceptOutcome, NOT_ACKNOWLEDGED, TOPIC_NOT_CREATED, shard_of};
use domain::job::JobStatus;
use domain::limits::LimitScope;
use domain::names::JobType;
use domain::queue::QueueName;
use domain::time::DurationMs;
use relay::{PublishError, RelayOptions};
use store::limits::LimitChange;
use testkit::eventually;

use crate::broker::Mode;
use crate::harness::{Pushed, on_both_databases, outcomes};

on_both_databases!(
    a_topic_that_cannot_be_created_holds_its_type_alone,
    an_alert_fires_where_a_type_is_held_for_long,
    only_jobs_of_the_type_that_is_held_say_so,
    a_type_that_nobody_acknowledges_holds_no_other,
    more_than_a_relay_may_have_under_way_is_taken_back,
    the_next_relay_holds_offers_without_topics_and_no_others,
    jobs_whose_topic_is_invalid_die,
    a_type_without_slots_holds_no_other,
);

/// Two job types of one shard, of which neither is the beginning of the other.
fn of_one_shard() -> (String, String) {
    let first = "bad".to_owned();
    let shard = shard_of(&JobType::trusted(first.as_str()));
    let mut others = (0..100).map(|number| format!("good-{number}"));
    let second = others.find(|other| shard_of(&JobType::trusted(other.as_str())) == shard);
    (first, second.unwrap())
}

fn not_created() -> PublishError {
    PublishError::Later { reason: TOPIC_NOT_CREATED, message: "invalid replication factor".to_owned() }
}

fn of_type<'a>(
    offers: &'a [serde_json::Value],
    job_type: &'a str,
) -> impl Iterator<Item = &'a serde_json::Value> {
    offers.iter().filter(move |offer| offer["job"]["jobType"] == job_type)
}

async fn a_topic_that_cannot_be_created_holds_its_type_alone(pushed: Pushed) {
    let (bad, good) = of_one_shard();
    pushed.broker.create_none("t.jobs.bad.", Some(not_created()));
    let relay = pushed.relay_with(Pushed::with_a_short_term());
    let held = pushed.enqueue(&bad, 3).await;
    pushed.enqueue(&good, 30).await;
    pushed.published(30).await;
    assert_eq!(of_type(&pushed.broker.offers(), &good).count(), 30);
    eventually("it is counted", || async {
        let view = pushed.harness.engine.dispatch(&pushed.harness.admin()).await.unwrap().view;
        let fault = view.nodes.iter().find_map(|node| node.figures.last_error.clone());
        fault.is_some_and(|fault| fault.reason == TOPIC_NOT_CREATED)
    })
    .await;
    assert_eq!(pushed.why(held[0]).await, "topic_not_created");
    let record = pushed.harness.engine.job(&pushed.harness.admin(), held[0]).await.unwrap();
    assert_eq!((record.status, record.offered_until), (JobStatus::Queued, None), "no offer is made of it");
    pushed.broker.create_none("t.jobs.bad.", None);
    pushed.published(33).await;
    let offers = pushed.broker.offers();
    let order: Vec<_> = of_type(&offers, &bad).map(|offer| offer["job"]["id"].as_str().unwrap()).collect();
    assert_eq!(order, held.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert!(offers.iter().all(|offer| offer["job"]["attempt"] == 1));
    relay.stop().await;
}

/// Whether an alert of a rule fires when the rules are evaluated.
async fn is_firing(pushed: &Pushed, rule: &str) -> bool {
    pushed.harness.engine.alerts_tick().await.unwrap();
    let open = pushed.harness.store.open_alerts().await.unwrap();
    open.iter().any(|alert| alert.rule == rule && alert.status == AlertStatus::Firing)
}

async fn an_alert_fires_where_a_type_is_held_for_long(pushed: Pushed) {
    let (bad, _) = of_one_shard();
    pushed.broker.create_none("t.jobs.bad.", Some(not_created()));
    let relay = pushed.relay_with(Pushed::with_a_short_term());
    let held = pushed.enqueue(&bad, 1).await;
    eventually("it is held", || async { pushed.why(held[0]).await == TOPIC_NOT_CREATED }).await;
    assert!(!is_firing(&pushed, "type_held").await, "it may be over soon");
    pushed.harness.clock.advance(DurationMs::from_secs(121));
    eventually("an alert fires", || async { is_firing(&pushed, "type_held").await }).await;
    pushed.broker.create_none("t.jobs.bad.", None);
    pushed.published(1).await;
    eventually("the alert is over", || async { !is_firing(&pushed, "type_held").await }).await;
    relay.stop().await;
}

/// Another type of the same relay waits as well, for another reason.
async fn only_jobs_of_the_type_that_is_held_say_so(pushed: Pushed) {
    let (bad, good) = of_one_shard();
    pushed.broker.create_none("t.jobs.bad.", Some(not_created()));
    // It claims nothing.
    let relay = pushed.relay_with(RelayOptions { unacknowledged_max: 0, ..Pushed::with_a_short_term() });
    let (held, waits) = (pushed.enqueue(&bad, 1).await, pushed.enqueue(&good, 1).await);
    eventually("it says why", || async { pushed.why(held[0]).await == TOPIC_NOT_CREATED }).await;
    assert_ne!(pushed.why(waits[0]).await, TOPIC_NOT_CREATED);
    relay.stop().await;
}

/// Long enough for a machine that is busy, and short enough for types to be tried again.
fn options_with(unacknowledged_max: usize) -> RelayOptions {
    let stalled_after = std::time::Duration::from_millis(500);
    RelayOptions { stalled_after, unacknowledged_max, ..Pushed::with_a_short_term() }
}

/// More than so many make a type one that is held.
const MANY: usize = 150;

/// Accepts what was published last of a type until so many jobs are the worker's.
async fn accept_all_of(pushed: &Pushed, job_type: &str, count: usize) {
    eventually("all are offered, and accepted once", || async {
        let offers: Vec<_> = of_type(&pushed.broker.offers(), job_type).cloned().collect();
        let accepted = pushed.accept("w1", &offers[offers.len().saturating_sub(2 * count)..]).await;
        accepted.iter().filter(|job| job.outcome == AcceptOutcome::Ok).count() == count
    })
    .await;
    assert!(pushed.broker.offers().iter().all(|offer| offer["job"]["attempt"] == 1), "no attempt is lost");
}

async fn offered(pushed: &Pushed, job_type: &str, count: usize) {
    eventually("they are offered", || async { of_type(&pushed.broker.offers(), job_type).count() >= count })
        .await;
}

/// The brokers of a type's partitions are away, and others are there: what was claimed of it goes back, nothing more is, and the
/// room of the relay is for others. When they are back, it is offered again.
async fn a_type_that_nobody_acknowledges_holds_no_other(pushed: Pushed) {
    let (bad, good) = of_one_shard();
    pushed.broker.stall(Some("t.jobs.bad."));
    let relay = pushed.relay_with(options_with(MANY));
    let held = pushed.enqueue(&bad, MANY).await;
    pushed.published(MANY).await;
    pushed.enqueue(&good, 30).await;
    offered(&pushed, &good, 30).await;
    eventually("each job says why", || async { pushed.why(held[0]).await == NOT_ACKNOWLEDGED }).await;
    let view = pushed.harness.engine.dispatch(&pushed.harness.admin()).await.unwrap().view;
    let named: Vec<_> = view.nodes.iter().flat_map(|node| &node.figures.held).collect();
    assert_eq!((named.len(), named[0].job_type.as_str()), (1, bad.as_str()));
    let first: Vec<_> = of_type(&pushed.broker.offers(), &bad).take(1).cloned().collect();
    assert_eq!(outcomes(&pushed.accept("w1", &first).await), [AcceptOutcome::LeaseLost], "it went back");
    pushed.broker.stall(None);
    accept_all_of(&pushed, &bad, MANY).await;
    relay.stop().await;
}

/// What the producer has of stalled types is bounded: beyond that it is taken back, and others go on.
async fn more_than_a_relay_may_have_under_way_is_taken_back(pushed: Pushed) {
    let (bad, good) = of_one_shard();
    pushed.broker.stall(Some("t.jobs.bad."));
    let relay = pushed.relay_with(options_with(100));
    pushed.enqueue(&bad, MANY).await;
    eventually("it is taken back", || async { pushed.broker.recalls() > 0 }).await;
    pushed.enqueue(&good, 30).await;
    offered(&pushed, &good, 30).await;
    pushed.broker.stall(None);
    accept_all_of(&pushed, &bad, MANY).await;
    relay.stop().await;
}

/// What a relay before left of a type without topics is published when they are there, before anything newer of that type.
async fn the_next_relay_holds_offers_without_topics_and_no_others(pushed: Pushed) {
    let (bad, good) = of_one_shard();
    pushed.broker.set(Mode::Stalled);
    let engine = pushed.harness.node(2).engine;
    let relay = relay::Relay::new(engine, pushed.broker.clone(), Pushed::options());
    let dying = tokio::spawn(relay.run(tokio_util::sync::CancellationToken::new()));
    let mut left = pushed.enqueue(&bad, 4).await;
    pushed.enqueue(&good, 4).await;
    pushed.published(8).await;
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    left.extend(pushed.enqueue(&bad, 4).await);
    pushed.enqueue(&good, 4).await;

    pushed.broker.set(Mode::Up);
    pushed.broker.create_none("t.jobs.bad.", Some(not_created()));
    let relay = pushed.relay();
    pushed.harness.clock.advance(DurationMs::from_secs(25));
    pushed.published(16).await;
    let offers = pushed.broker.offers().split_off(8);
    assert_eq!(of_type(&offers, &good).count(), 8, "four again, and four that came later");
    pushed.broker.create_none("t.jobs.bad.", None);
    pushed.published(24).await;
    let offers = pushed.broker.offers().split_off(16);
    let order: Vec<_> = of_type(&offers, &bad).map(|offer| offer["job"]["id"].as_str().unwrap()).collect();
    assert_eq!(order, left.iter().map(ToString::to_string).collect::<Vec<_>>());
    relay.stop().await;
}

/// No message can ever be published there: each job says so, and others go on. When the cause is gone they can be requeued.
async fn jobs_whose_topic_is_invalid_die(pushed: Pushed) {
    let (bad, good) = of_one_shard();
    let message = "it collides with another".to_owned();
    let invalid = PublishError::Refused { code: "topic_invalid", message };
    pushed.broker.create_none("t.jobs.bad.", Some(invalid));
    let relay = pushed.relay();
    let ids = pushed.enqueue(&bad, 2).await;
    pushed.enqueue(&good, 5).await;
    for &id in &ids {
        eventually("it is dead", || async {
            let job = pushed.harness.engine.job(&pushed.harness.admin(), id).await.unwrap();
            job.status == JobStatus::DeadLetter
                && job.error.is_some_and(|error| error.code.as_deref() == Some("topic_invalid"))
        })
        .await;
    }
    pushed.published(5).await;
    pushed.broker.create_none("t.jobs.bad.", None);
    // What was found out a moment ago may hold for some more.
    eventually("it is looked up again", || async {
        pushed.enqueue(&bad, 1).await;
        pushed.broker.len() > 5
    })
    .await;
    relay.stop().await;
}

/// A limit that is reached keeps its own jobs back, however many of them wait in front of others.
async fn a_type_without_slots_holds_no_other(pushed: Pushed) {
    let (bad, good) = of_one_shard();
    let scope = LimitScope::JobType(JobType::trusted(bad.as_str()));
    let limit = LimitChange { queue: QueueName::Node, scope, max_concurrent: Some(Some(1)) };
    pushed.harness.store.change_limits_and_rates(&[limit], &[], pushed.harness.engine.now()).await.unwrap();
    let relay = pushed.relay();
    pushed.enqueue(&bad, 50).await;
    pushed.published(1).await;
    pushed.enqueue(&good, 20).await;
    pushed.published(21).await;
    let offers = pushed.broker.offers();
    assert_eq!(of_type(&offers, &bad).count(), 1, "the limit holds");
    let first: Vec<_> = of_type(&offers, &bad).cloned().collect();
    let accepted = pushed.accept("w1", &first).await;
    assert_eq!(accepted[0].outcome, AcceptOutcome::Ok);
    pushed.complete(&accepted).await;
    pushed.published(22).await;
    relay.stop().await;
}
