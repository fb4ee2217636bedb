//! External workers over REST: they poll and complete in batches. And the bulk enqueue that feeds them.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::OnceLock;
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
    *Single workers*: 64 connections that poll and complete one job at a time; *in one request*: workers whose `complete` polls \
    next, and which wait in a poll of its own only where that gave nothing. Reference: claims of 100 all the same. The clock \
    stops at the last completion. *Bulk enqueue*: `POST /v1/jobs/batch` with 1,000 jobs, one connection. Reference: raw \
    SQL, claims of 100 with two claimers, and `UNNEST` inserts of 500.";

const ENQUEUE: usize = 1_000;

/// Workers, how many jobs each takes at once, and whether its `complete` polls next.
#[derive(Clone, Copy)]
pub(super) struct Workers {
    pub(super) count: usize,
    pub(super) batch: u32,
    polls_next: bool,
}

pub(super) const BATCHED: Workers = Workers { count: 2, batch: 100, polls_next: false };
pub(super) const SINGLE: Workers = Workers { count: 64, batch: 1, polls_next: false };
const SINGLE_IN_ONE: Workers = Workers { polls_next: true, ..SINGLE };
const BATCHED_IN_ONE: Workers = Workers { polls_next: true, ..BATCHED };

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
    /// What the `poll` of the request gave.
    #[serde(borrow, default)]
    jobs: Vec<PolledJob<'a>>,
}

#[derive(Deserialize)]
struct OutcomeOf<'a> {
    outcome: &'a str,
}

/// Runs it.
pub(crate) async fn http_workers(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("External workers over REST", EXPLANATION);
    let mut runs: [Vec<f64>; 7] = Default::default();
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
        enqueue(served.address, &key, count).await?;
        node.vacuum().await?;
        runs[6].push(work(served.address, &key, BATCHED_IN_ONE, count).await?);
        // Few jobs at a time take longer.
        for (place, workers) in [(4, SINGLE), (5, SINGLE_IN_ONE)] {
            enqueue(served.address, &key, count / 4).await?;
            runs[place].push(work(served.address, &key, workers, count / 4).await?);
        }
        served.end().await?;
        node.end().await?;
    }
    let [raw_enqueued, raw_drained, enqueued, drained, singly, in_one, batches_in_one] = &runs;
    let what = format!("bulk enqueue over REST, batches of {ENQUEUE}");
    report.add(what, "jobs/s", raw_enqueued, enqueued).aim(Target::RatioMin(0.3));
    let what = format!("workers over REST, batches of {}", BATCHED.batch);
    report.add(&what, "jobs/s", raw_drained, drained).aim(Target::RatioMin(0.6));
    report.add(format!("{what}, in one request"), "jobs/s", raw_drained, batches_in_one);
    let what = format!("{} workers over REST, one job at a time", SINGLE.count);
    report.add(&what, "jobs/s", raw_drained, singly);
    report.add(format!("{what}, in one request"), "jobs/s", raw_drained, in_one).aim(Target::RatioMin(0.3));
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

/// Jobs a second until the last was completed.
pub(super) async fn work(address: SocketAddr, key: &str, workers: Workers, count: usize) -> Result<f64> {
    let progress = Progress { done: AtomicUsize::new(0), count, all_done_at: OnceLock::new() };
    let started_at = Instant::now();
    let each = (0..workers.count).map(|number| worker(address, key, (number, workers), &progress));
    futures::future::try_join_all(each).await?;
    ensure!(progress.done.into_inner() == count, "the workers lost jobs");
    // Not now: by now each worker has waited out a poll that found nothing.
    let took = progress.all_done_at.into_inner().context("the last completion")? - started_at;
    Ok(count as f64 / took.as_secs_f64())
}

/// How far the workers are.
struct Progress {
    done: AtomicUsize,
    count: usize,
    all_done_at: OnceLock<Instant>,
}

impl Progress {
    fn is_over(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.count
    }

    fn add(&self, jobs: usize) {
        if self.done.fetch_add(jobs, Ordering::Relaxed) + jobs >= self.count {
            self.all_done_at.get_or_init(Instant::now);
        }
    }
}

async fn worker(
    address: SocketAddr,
    key: &str,
    (number, workers): (usize, Workers),
    progress: &Progress,
) -> Result<()> {
    let mut connection = Connection::open(address, key).await?.accepting_gzip();
    let ask = format!(r#""workerId":"load-{number}","jobTypes":["noop"],"maxJobs":{}"#, workers.batch);
    let (poll, next) = (format!(r#"{{{ask},"wait":"1s"}}"#), format!(r#","poll":{{{ask}}}"#));
    let next = if workers.polls_next { next.as_str() } else { "" };
    while !progress.is_over() {
        let answer = connection.send("POST", "/v1/jobs/poll", &poll).await?;
        let polled: Polled<'_> = serde_json::from_slice(answer).context("the answer to a poll")?;
        let mut reports = completions(&polled.jobs, next)?;
        while let Some((body, jobs)) = reports {
            let answer = connection.send("POST", "/v1/jobs/complete", &body).await?;
            let outcomes: Outcomes<'_> = serde_json::from_slice(answer).context("the answer to a report")?;
            let is_good = |result: &OutcomeOf<'_>| result.outcome == "ok";
            ensure!(outcomes.results.iter().all(is_good), "a lease was lost");
            progress.add(jobs);
            reports = completions(&outcomes.jobs, next)?;
        }
    }
    Ok(())
}

/// The request that completes these jobs, and how many they are; `None` where there is none.
fn completions(jobs: &[PolledJob<'_>], next: &str) -> Result<Option<(String, usize)>> {
    let mut entries = String::new();
    for job in jobs {
        ensure!(job.data.get().len() > 2, "a job came without its payload");
        let comma = if entries.is_empty() { "" } else { "," };
        write!(entries, r#"{comma}{{"id":"{}","leaseToken":"{}"}}"#, job.id, job.lease_token)?;
    }
    let body = format!(r#"{{"jobs":[{entries}]{next}}}"#);
    Ok((!jobs.is_empty()).then_some((body, jobs.len())))
}
