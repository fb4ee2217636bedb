//! External workers over REST: they poll and complete in batches. And the bulk enqueue that feeds them.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::http::{Connection, Served};
use crate::jobs::payload;
use crate::measure::rate;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::{Report, Target};

const EXPLANATION: &str = "The REST interface on loopback with an API key, on PostgreSQL; clients, server and database \
    share the machine. *Workers*: two connections that poll up to 100 jobs, read them, and complete them in one request. \
    *Single workers*: 64 connections that poll and complete one job at a time; reference: claims of 100 all the same. *Bulk enqueue*: `POST /v1/jobs/batch` with 1,000 jobs, one connection. Reference: raw SQL, claims of 100 with two \
    claimers, and `UNNEST` inserts of 500.";

const ENQUEUE: usize = 1_000;

/// Workers, and how many jobs each takes at once.
#[derive(Clone, Copy)]
pub(super) struct Workers {
    pub(super) count: usize,
    pub(super) batch: u32,
}

pub(super) const BATCHED: Workers = Workers { count: 2, batch: 100 };
pub(super) const SINGLE: Workers = Workers { count: 64, batch: 1 };

/// What a worker reads of a poll's answer.
#[derive(Deserialize)]
struct Polled<'a> {
    #[serde(borrow)]
    jobs: Vec<PolledJob<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PolledJob<'a> {
    id: &'a str,
    lease_token: &'a str,
    #[serde(borrow)]
    data: &'a RawValue,
}

#[derive(Deserialize)]
struct Outcomes<'a> {
    #[serde(borrow)]
    results: Vec<OutcomeOf<'a>>,
}

#[derive(Deserialize)]
struct OutcomeOf<'a> {
    outcome: &'a str,
}

/// Runs it.
pub(crate) async fn http_workers(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("External workers over REST", EXPLANATION);
    let mut runs: [Vec<f64>; 5] = Default::default();
    let count = arguments.sizes.jobs;
    for _ in 0..arguments.sizes.rounds {
        let reference = PostgresReference::start(&arguments.postgres_url).await?;
        runs[0].push(reference.enqueue(count).await?);
        reference.vacuum().await?;
        runs[1].push(reference.drain(count, i64::from(BATCHED.batch)).await?);
        reference.end().await?;

        let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
        let (served, key) = Served::api(&node.engine).await?;
        runs[2].push(enqueue(served.address, &key, count).await?);
        node.vacuum().await?;
        runs[3].push(work(served.address, &key, BATCHED, count).await?);
        // Few jobs at a time take longer.
        enqueue(served.address, &key, count / 4).await?;
        runs[4].push(work(served.address, &key, SINGLE, count / 4).await?);
        served.end().await?;
        node.end().await?;
    }
    let [raw_enqueued, raw_drained, enqueued, drained, drained_singly] = &runs;
    let what = format!("bulk enqueue over REST, batches of {ENQUEUE}");
    report.add(what, "jobs/s", raw_enqueued, enqueued).aim(Target::RatioMin(0.3));
    let what = format!("workers over REST, batches of {}", BATCHED.batch);
    report.add(what, "jobs/s", raw_drained, drained).aim(Target::RatioMin(0.25));
    let what = format!("{} workers over REST, one job at a time", SINGLE.count);
    report.add(what, "jobs/s", raw_drained, drained_singly);
    Ok(report)
}

pub(super) async fn enqueue(address: SocketAddr, key: &str, count: usize) -> Result<f64> {
    let mut connection = Connection::open(address, key).await?;
    let started_at = Instant::now();
    for start in (0..count).step_by(ENQUEUE) {
        let jobs: Vec<String> = (start..count.min(start + ENQUEUE))
            .map(|number| format!(r#"{{"jobType":"noop","data":{}}}"#, payload(number)))
            .collect();
        let body = format!(r#"{{"jobs":[{}]}}"#, jobs.join(","));
        connection.send("POST", "/v1/jobs/batch", &body).await?;
    }
    Ok(rate(count, started_at))
}

pub(super) async fn work(address: SocketAddr, key: &str, workers: Workers, count: usize) -> Result<f64> {
    let done = AtomicUsize::new(0);
    let started_at = Instant::now();
    let each = (0..workers.count).map(|number| worker(address, key, (number, workers.batch), (&done, count)));
    futures::future::try_join_all(each).await?;
    let rate = rate(count, started_at);
    ensure!(done.into_inner() == count, "the workers lost jobs");
    Ok(rate)
}

async fn worker(
    address: SocketAddr,
    key: &str,
    (number, batch): (usize, u32),
    (done, count): (&AtomicUsize, usize),
) -> Result<()> {
    let mut connection = Connection::open(address, key).await?;
    let poll = format!(r#"{{"workerId":"load-{number}","jobTypes":["noop"],"maxJobs":{batch},"wait":"1s"}}"#);
    while done.load(Ordering::Relaxed) < count {
        let answer = connection.send("POST", "/v1/jobs/poll", &poll).await?;
        let polled: Polled<'_> = serde_json::from_slice(answer).context("the answer to a poll")?;
        if polled.jobs.is_empty() {
            continue;
        }
        let finished = polled.jobs.len();
        let mut body = String::from(r#"{"jobs":["#);
        for (place, job) in polled.jobs.iter().enumerate() {
            ensure!(job.data.get().len() > 2, "a job came without its payload");
            let comma = if place == 0 { "" } else { "," };
            write!(body, r#"{comma}{{"id":"{}","leaseToken":"{}"}}"#, job.id, job.lease_token)?;
        }
        body.push_str("]}");
        let answer = connection.send("POST", "/v1/jobs/complete", &body).await?;
        let outcomes: Outcomes<'_> = serde_json::from_slice(answer).context("the answer to a report")?;
        let is_good = |result: &OutcomeOf<'_>| result.outcome == "ok";
        ensure!(outcomes.results.iter().all(is_good), "a lease was lost");
        done.fetch_add(finished, Ordering::Relaxed);
    }
    Ok(())
}
