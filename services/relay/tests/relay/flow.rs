//! What goes right: jobs are offered, accepted and completed, within windows and limits.

use domain::dispatch::{AcceptOutcome, TopicLayout, TopicNames};
use domain::job::JobStatus;
use domain::limits::LimitScope;
use domain::names::JobType;
use domain::queue::{QueueName, Tier};
use domain::scaling::Selection;
use engine::{JobRequest, PollRequest};
use relay::RelayOptions;
use store::limits::LimitChange;
use testkit::eventually;

use crate::harness::{OFFER, Pushed, on_both_databases, outcomes};

on_both_databases!(
    i01_jobs_reach_their_worker_once,
    i03_limits_hold_for_offers,
    the_window_bounds_offers,
    what_is_accepted_makes_room_without_a_comparison,
    a_hint_is_answered_without_a_look,
    one_topic_serves_all_types,
    i05_higher_tiers_are_offered_first,
    nobody_polls_where_jobs_are_pushed,
    nobody_is_missed_where_jobs_are_pushed,
    an_offer_that_nobody_takes_returns,
    a_drain_ends_offers,
);

async fn i01_jobs_reach_their_worker_once(pushed: Pushed) {
    let relay = pushed.relay();
    let ids = pushed.enqueue("charge", 120).await;
    pushed.published(120).await;
    let offers = pushed.broker.offers();
    let accepted = pushed.accept("w1", &offers).await;
    assert!(accepted.iter().all(|job| job.outcome == AcceptOutcome::Ok));
    let again = pushed.accept("w2", &offers[..3]).await;
    assert_eq!(outcomes(&again), [AcceptOutcome::Taken; 3]);
    let mut twice = offers[..1].to_vec();
    twice.extend_from_slice(&offers[..1]);
    let twice = pushed.accept("w1", &twice).await;
    assert_eq!(outcomes(&twice), [AcceptOutcome::Ok, AcceptOutcome::Taken], "a repeat, and a second mention");
    pushed.complete(&accepted).await;
    let ended = pushed.harness.store.ended_jobs(&ids).await.unwrap();
    assert_eq!(ended.len(), 120);
    let late = pushed.accept("w2", &offers[..1]).await;
    assert_eq!(outcomes(&late), [AcceptOutcome::AlreadyDone]);
    assert_eq!(pushed.broker.topics(), ["t.jobs.charge.high", "t.jobs.charge.low", "t.jobs.charge.normal"]);
    assert_eq!(pushed.broker.len(), 120, "nothing is published twice");
    relay.stop().await;
}

async fn i03_limits_hold_for_offers(pushed: Pushed) {
    let limit =
        LimitChange { queue: QueueName::Node, scope: LimitScope::Global, max_concurrent: Some(Some(3)) };
    pushed.harness.store.change_limits_and_rates(&[limit], &[], pushed.harness.engine.now()).await.unwrap();
    let relay = pushed.relay();
    pushed.enqueue("charge", 9).await;
    for round in 1..=3 {
        pushed.published(3 * round).await;
        let offers = pushed.broker.offers();
        assert_eq!(offers.len(), 3 * round, "the slots of the limit count offers and leases");
        let accepted = pushed.accept("w1", &offers[3 * (round - 1)..]).await;
        assert_eq!(pushed.broker.len(), 3 * round, "accepting frees no slot");
        pushed.complete(&accepted).await;
    }
    relay.stop().await;
}

async fn the_window_bounds_offers(pushed: Pushed) {
    let relay = pushed.relay_with(RelayOptions { window: 2, ..Pushed::options() });
    pushed.enqueue("charge", 7).await;
    pushed.published(2).await;
    let first = pushed.broker.offers();
    let standing = pushed.harness.store.dispatch_view(pushed.harness.engine.now()).await.unwrap().offers;
    assert_eq!((standing.len(), standing[0].standing, first.len()), (1, 2, 2));
    pushed.accept("w1", &first[..1]).await;
    pushed.published(3).await;
    assert_eq!(pushed.broker.len(), 3, "one was accepted, one more is offered");
    relay.stop().await;
}

/// A relay that never compares finds out all the same what was taken, and does not exceed its window.
async fn what_is_accepted_makes_room_without_a_comparison(pushed: Pushed) {
    const WINDOW: usize = 40;
    let options = RelayOptions {
        window: WINDOW as u64,
        compare_every: std::time::Duration::from_hours(1),
        ..Pushed::with_a_long_term()
    };
    let relay = pushed.relay_with(options);
    let ids = pushed.enqueue("charge", 600).await;
    let mut taken = 0;
    while taken < 600 {
        pushed.published(taken + 1).await;
        let offers = pushed.broker.offers().split_off(taken);
        assert!(offers.len() <= WINDOW, "{} offers stand", offers.len());
        // Some are accepted, and some are settled by the token of their message.
        let (accepted, settled) = offers.split_at(offers.len().div_ceil(2));
        let accepted = pushed.accept("w1", accepted).await;
        assert!(accepted.iter().all(|job| job.outcome == AcceptOutcome::Ok));
        pushed.complete(&accepted).await;
        if !settled.is_empty() {
            pushed.complete_offers(settled).await;
        }
        taken += offers.len();
    }
    assert_eq!(pushed.harness.store.ended_jobs(&ids).await.unwrap().len(), 600);
    assert_eq!(pushed.broker.len(), 600, "nothing is published twice");
    relay.stop().await;
}

/// On an idle system a job is offered when it comes, and not when the relay looks next.
async fn a_hint_is_answered_without_a_look(pushed: Pushed) {
    let an_hour = std::time::Duration::from_hours(1);
    let options = RelayOptions { look_least: an_hour, look_most: an_hour, ..Pushed::with_a_long_term() };
    let relay = pushed.relay_with(options);
    eventually("the relay has its shards", || async {
        let view = pushed.harness.store.relay_view(pushed.harness.engine.now()).await.unwrap();
        view.shards.iter().all(|shard| shard.owner.is_some())
    })
    .await;
    for round in 1..=3 {
        pushed.enqueue("charge", 1).await;
        pushed.published(round).await;
    }
    relay.stop().await;
}

/// The other layout of topics: by tiers alone.
async fn one_topic_serves_all_types(pushed: Pushed) {
    let topics = TopicNames { prefix: "t".to_owned(), layout: TopicLayout::Single };
    let relay = pushed.relay_with(RelayOptions { topics, ..Pushed::options() });
    pushed
        .enqueue_with(12, |number| JobRequest {
            tier: Some(Tier::ALL[number % 3]),
            ..JobRequest::new(JobType::trusted(format!("type-{}", number % 2)), "{}")
        })
        .await;
    pushed.published(12).await;
    for (message, offer) in pushed.broker.log().iter().zip(pushed.broker.offers()) {
        let job = &offer["job"];
        assert_eq!(message.topic, format!("t.jobs.{}", job["priority"].as_str().unwrap()));
        let header = message.headers.iter().find(|(name, _)| *name == "tl-job-type");
        assert_eq!(header.map(|(_, value)| value.as_str()), job["jobType"].as_str());
    }
    assert_eq!(pushed.broker.topics(), ["t.jobs.high", "t.jobs.low", "t.jobs.normal"]);
    let accepted = pushed.accept("w1", &pushed.broker.offers()).await;
    assert!(accepted.iter().all(|job| job.outcome == AcceptOutcome::Ok));
    relay.stop().await;
}

async fn i05_higher_tiers_are_offered_first(pushed: Pushed) {
    let tiers = [Tier::Low, Tier::Normal, Tier::High];
    pushed
        .enqueue_with(30, |number| JobRequest {
            tier: Some(tiers[number % 3]),
            ..JobRequest::new(JobType::trusted("charge"), "{}")
        })
        .await;
    let relay = pushed.relay();
    pushed.published(30).await;
    let order: Vec<String> =
        pushed.broker.offers().iter().map(|offer| offer["job"]["priority"].to_string()).collect();
    let rank = |tier: &String| ["\"high\"", "\"normal\"", "\"low\""].iter().position(|name| name == tier);
    assert!(order.is_sorted_by_key(rank), "{order:?}");
    relay.stop().await;
}

async fn nobody_polls_where_jobs_are_pushed(pushed: Pushed) {
    let request = PollRequest {
        worker_id: domain::names::WorkerId::trusted("w"),
        job_types: vec![JobType::trusted("charge")],
        jobs_max: 1,
        lease: None,
        wait: None,
        tenant: None,
        build: None,
        builds: Vec::new(),
    };
    let error = pushed.harness.engine.poll(&pushed.harness.admin(), request).await.unwrap_err();
    assert_eq!(error.code(), "dispatched_by_kafka");
    assert!(error.public_message().contains("t.jobs.charge.high"), "{error}");
}

/// Workers name their types to the broker alone: that the server knows of none says nothing.
async fn nobody_is_missed_where_jobs_are_pushed(pushed: Pushed) {
    pushed.enqueue("charge", 3).await;
    let engine = &pushed.harness.engine;
    let scaling =
        engine.scaling(&pushed.harness.admin(), QueueName::Node, Selection::default()).await.unwrap();
    assert_eq!((scaling.scaling.queued, scaling.no_worker), (3, 0));
}

async fn an_offer_that_nobody_takes_returns(pushed: Pushed) {
    let relay = pushed.relay_with(Pushed::with_a_long_term());
    let ids = pushed.enqueue("charge", 1).await;
    pushed.published(1).await;
    let why = pushed.harness.engine.why(&pushed.harness.admin(), ids[0]).await.unwrap();
    assert_eq!(why.reason.as_str(), "offered");
    pushed.harness.clock.advance(OFFER);
    pushed.harness.clock.advance(domain::time::DurationMs::from_secs(1));
    eventually("it is offered anew", || async {
        pushed.harness.engine.reap_tick().await.unwrap();
        pushed.broker.len() >= 2
    })
    .await;
    let offers = pushed.broker.offers();
    assert_eq!(offers[1]["job"]["attempt"], 1, "nobody tried it");
    assert_ne!(offers[0]["eventId"], offers[1]["eventId"], "it is another offer");
    let why = pushed.harness.engine.why(&pushed.harness.admin(), ids[0]).await.unwrap();
    assert!(why.detail.contains("was returned"), "{}", why.detail);
    let answers = outcomes(&pushed.accept("w1", &offers).await);
    assert_eq!(
        answers,
        [AcceptOutcome::LeaseLost, AcceptOutcome::Ok],
        "the message of before is worth nothing"
    );
    relay.stop().await;
}

async fn a_drain_ends_offers(pushed: Pushed) {
    let now = pushed.harness.engine.now();
    let relay = pushed.relay();
    // The first relay of a store that polled sets its mode, which ends a drain of before.
    eventually("the relay has its shards", || async {
        let view = pushed.harness.store.relay_view(now).await.unwrap();
        view.shards.iter().all(|shard| shard.owner.is_some())
    })
    .await;
    pushed.harness.store.set_dispatch_draining(true, now).await.unwrap();
    let ids = pushed.enqueue("charge", 2).await;
    let record = pushed.harness.engine.job(&pushed.harness.admin(), ids[0]).await.unwrap();
    assert_eq!((record.status, record.offered_until), (JobStatus::Queued, None));
    assert_eq!(pushed.why(ids[0]).await, "dispatch_draining");
    // So does one that starts while it lasts.
    relay.stop().await;
    let relay = pushed.relay();
    eventually("the next relay has its shards", || async {
        let view = pushed.harness.store.relay_view(now).await.unwrap();
        view.shards.iter().all(|shard| shard.owner.is_some())
    })
    .await;
    let record = pushed.harness.engine.job(&pushed.harness.admin(), ids[0]).await.unwrap();
    assert_eq!((record.status, record.offered_until), (JobStatus::Queued, None));
    pushed.harness.store.set_dispatch_draining(false, now).await.unwrap();
    pushed.published(2).await;
    relay.stop().await;
}
