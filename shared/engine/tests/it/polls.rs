//! Long polls: woken at once, passed on, ended by shutdown.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::access::{Role, TenantScope};
use domain::id::JobId;
use domain::names::{JobType, TenantName, WorkerId};
use domain::time::DurationMs;
use engine::{EngineError, JobRequest, PollRequest, PolledJobs};
use store::jobs::ClaimedJob;
use testkit::EngineHarness;

fn request(wait: DurationMs) -> PollRequest {
    PollRequest {
        worker_id: WorkerId::trusted("w"),
        job_types: vec![JobType::trusted("encode")],
        jobs_max: 1,
        lease: None,
        wait: Some(wait),
        tenant: None,
        build: None,
        builds: Vec::new(),
    }
}

fn job() -> JobRequest {
    JobRequest::new(JobType::trusted("encode"), "{}")
}

async fn every_waiting_poll_gets_a_job(harness: EngineHarness) {
    let harness = Arc::new(harness);
    let polls: Vec<_> = (0..20)
        .map(|_| {
            let harness = Arc::clone(&harness);
            tokio::spawn(async move {
                harness
                    .engine
                    .poll(&harness.admin(), request(DurationMs::from_secs(20)))
                    .await
                    .expect("it works")
                    .taken()
                    .len()
            })
        })
        .collect();
    let started = Instant::now();
    harness.engine.enqueue(&harness.admin(), (0..20).map(|_| job()).collect()).await.unwrap();
    for poll in polls {
        assert_eq!(poll.await.unwrap(), 1);
    }
    assert!(started.elapsed() < Duration::from_secs(15), "woken by hints, not by the end of the wait");
}

async fn a_waiting_poll_of_a_drained_worker_comes_back(harness: EngineHarness) {
    let harness = Arc::new(harness);
    let id = WorkerId::trusted("w");
    let first = harness.engine.poll(&harness.admin(), request(DurationMs::ZERO)).await.expect("it works");
    assert!(!first.is_draining);
    let waiting = {
        let harness = Arc::clone(&harness);
        let poll = request(DurationMs::from_secs(20));
        tokio::spawn(async move { harness.engine.poll(&harness.admin(), poll).await.expect("it works") })
    };
    let started = Instant::now();
    harness.engine.drain_worker(&harness.admin(), &id, None).await.expect("it is there");
    let polled = waiting.await.expect("no panic");
    assert!(polled.is_draining && polled.jobs.is_empty());
    assert!(started.elapsed() < Duration::from_secs(15), "woken by the drain, not by the end of the wait");
}

async fn a_poll_that_waits_in_vain_comes_back_empty(harness: EngineHarness) {
    let polled = harness.engine.poll(&harness.admin(), request(DurationMs(150))).await.unwrap();
    assert!(polled.jobs.is_empty());
}

async fn a_poll_of_a_stream_gets_jobs_that_come_where_nothing_was_known_to_be(harness: EngineHarness) {
    // Each time but the first it may wait without a look of its own.
    for _ in 0..3 {
        let empty = harness.engine.poll(&harness.admin(), request(DurationMs::ZERO)).await.unwrap();
        assert!(empty.jobs.is_empty());
        let (engine, admin) = (harness.engine.clone(), harness.admin());
        let long_poll = request(DurationMs::from_secs(30));
        let waiting = tokio::spawn(async move { engine.poll_on_stream(&admin, long_poll).await });
        harness.engine.enqueue(&harness.admin(), vec![job()]).await.unwrap();
        assert_eq!(waiting.await.unwrap().unwrap().taken().len(), 1);
    }
    harness.engine.enqueue(&harness.admin(), vec![job()]).await.unwrap();
    let long_poll = request(DurationMs::from_secs(30));
    let there = harness.engine.poll_on_stream(&harness.admin(), long_poll).await.unwrap();
    assert_eq!(there.taken().len(), 1, "that came after the last look");
}

async fn jobs_that_do_not_reach_their_worker_go_back_at_once(harness: EngineHarness) {
    harness.engine.enqueue(&harness.admin(), vec![job()]).await.unwrap();
    let long_poll = request(DurationMs::from_secs(20));
    let unsent = harness.engine.poll(&harness.admin(), long_poll.clone()).await.unwrap();
    let first = unsent.jobs[0].token;
    drop(unsent);
    let again = harness.engine.poll(&harness.admin(), long_poll).await.unwrap().taken();
    assert_eq!(again[0].attempt, 1, "that the worker hung up is not the job's fault");
    assert_ne!(again[0].token, first);
}

async fn shutdown_ends_the_wait(harness: EngineHarness) {
    let engine = harness.engine.clone();
    let admin = harness.admin();
    let poll = tokio::spawn(async move { engine.poll(&admin, request(DurationMs::from_secs(30))).await });
    tokio::task::yield_now().await;
    let started = Instant::now();
    harness.engine.begin_shutdown();
    assert!(poll.await.unwrap().unwrap().jobs.is_empty());
    assert!(started.elapsed() < Duration::from_secs(10));
}

async fn i13_a_bound_worker_gets_only_its_tenants_jobs(harness: EngineHarness) {
    let of = |tenant: &str| JobRequest { tenant: Some(TenantName::trusted(tenant)), ..job() };
    harness.engine.enqueue(&harness.admin(), vec![of("umbrella"), of("acme"), of("umbrella")]).await.unwrap();
    let worker = harness.bound("acme", Role::Worker);
    let all = PollRequest { jobs_max: 10, wait: None, ..request(DurationMs::ZERO) };
    let jobs = harness.engine.poll(&worker, all.clone()).await.unwrap().taken();
    assert_eq!(jobs.iter().map(|job| job.tenant.as_str()).collect::<Vec<_>>(), ["acme"]);
    let other = PollRequest { tenant: Some(TenantName::trusted("umbrella")), ..all };
    let refused = harness.engine.poll(&worker, other).await;
    assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "{refused:?}");
}

/// Polls at once, each by a worker of its own, without waiting; answers what they got.
async fn poll_at_once(harness: &EngineHarness, workers: usize) -> Vec<Vec<ClaimedJob>> {
    let admin = harness.admin();
    let polls = (0..workers).map(|number| {
        let worker_id = WorkerId::trusted(format!("w{number}"));
        harness.engine.poll(&admin, PollRequest { worker_id, wait: None, ..request(DurationMs::ZERO) })
    });
    let polled = futures::future::try_join_all(polls).await.expect("polls work");
    polled.into_iter().map(PolledJobs::taken).collect()
}

async fn polls_at_once_share_what_there_is(harness: EngineHarness) {
    let jobs: Vec<JobRequest> = (0..25).map(|_| job()).collect();
    harness.engine.enqueue(&harness.admin(), jobs).await.unwrap();
    let polled = poll_at_once(&harness, 40).await;
    assert!(polled.iter().all(|jobs| jobs.len() <= 1));
    let ids: BTreeSet<JobId> = polled.iter().flatten().map(|job| job.id).collect();
    assert_eq!(ids.len(), 25, "each job went to one of them");
    for (number, jobs) in polled.iter().enumerate() {
        for job in jobs {
            let record = harness.store.job(&TenantScope::All, job.id).await.unwrap().expect("it is there");
            assert_eq!(record.worker_id, Some(WorkerId::trusted(format!("w{number}"))));
        }
    }
}

/// One claim leases fewer than were asked for, because they are so large.
async fn polls_at_once_all_get_a_large_job(harness: EngineHarness) {
    let large = JobRequest::new(JobType::trusted("encode"), format!("\"{}\"", "x".repeat(1_000_000)));
    for _ in 0..20 {
        harness.engine.enqueue(&harness.admin(), vec![large.clone()]).await.unwrap();
    }
    assert!(poll_at_once(&harness, 20).await.iter().all(|jobs| jobs.len() == 1));
}

async fn polls_have_bounds(harness: EngineHarness) {
    let poll = async |request: PollRequest| match harness.engine.poll(&harness.admin(), request).await {
        Err(EngineError::Invalid(faults)) => {
            faults.into_iter().map(|fault| fault.pointer).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let good = request(DurationMs::ZERO);
    assert_eq!(poll(PollRequest { jobs_max: 0, ..good.clone() }).await, ["/maxJobs"]);
    assert_eq!(poll(PollRequest { jobs_max: 1_001, ..good.clone() }).await, ["/maxJobs"]);
    assert_eq!(poll(PollRequest { job_types: vec![], ..good.clone() }).await, ["/jobTypes"]);
    assert_eq!(poll(PollRequest { lease: Some(DurationMs(99)), ..good.clone() }).await, ["/lease"]);
    assert_eq!(poll(PollRequest { wait: Some(DurationMs::from_secs(31)), ..good }).await, ["/wait"]);
}

on_both_databases!(
    every_waiting_poll_gets_a_job,
    a_poll_that_waits_in_vain_comes_back_empty,
    a_waiting_poll_of_a_drained_worker_comes_back,
    a_poll_of_a_stream_gets_jobs_that_come_where_nothing_was_known_to_be,
    jobs_that_do_not_reach_their_worker_go_back_at_once,
    shutdown_ends_the_wait,
    i13_a_bound_worker_gets_only_its_tenants_jobs,
    polls_at_once_share_what_there_is,
    polls_at_once_all_get_a_large_job,
    polls_have_bounds,
);
