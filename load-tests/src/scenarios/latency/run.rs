//! The latencies, on the same node and on another.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use domain::names::{JobType, WorkerId};
use domain::time::DurationMs;
use engine::{Caller, CompleteItem, Engine, JobRequest, PollRequest};

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs::payload;
use crate::measure::percentile;
use crate::node::Node;
use crate::reference::{PostgresReference, notify};
use crate::report::{Report, Target};
use crate::scenarios::latency::Times;

const EXPLANATION: &str = "50 jobs a second on PostgreSQL, each enqueued alone; the time from the call of enqueue to \
    the start by one of eight workers that wait with long polls and complete what they get (the calls of the REST \
    interface, without HTTP). *Other node*: a node whose store and engine are apart from the sender's, so that the hint \
    travels over the database; reference: raw SQL of an insert with `NOTIFY` in one transaction, a listener, and a \
    claim of one job. *Same node*: reference: raw SQL that inserts the job as claimed and starts its handler in the \
    same process when the insert is committed, the least that can be. The first 50 jobs of each run are shown apart: a \
    statement is planned where a connection uses it for the first time, and so many samples have their 99th percentile \
    there otherwise. Smaller is better.";

const EVERY: Duration = Duration::from_millis(20);
const WORKERS: usize = 8;
/// So many jobs at the beginning of a run are shown apart.
pub(crate) const FIRSTS: usize = 50;
/// Which percentiles the table has.
pub(crate) const PERCENTS: [f64; 3] = [50.0, 95.0, 99.0];

/// Runs it.
pub(crate) async fn latency(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("From enqueue to start", EXPLANATION);
    let mut runs: [Vec<Vec<f64>>; 4] = Default::default();
    for _ in 0..arguments.sizes.rounds {
        runs[0].push(raw_notified(arguments).await?);
        runs[1].push(polled(arguments, true).await?);
        runs[2].push(raw_direct(arguments).await?);
        runs[3].push(polled(arguments, false).await?);
    }
    let [notified, other, direct, same] = runs;
    // What is aimed at: the ratio of the medians, and milliseconds of the 99th percentile.
    let compared = [("other node", &notified, &other, (1.5, 5.0)), ("same node", &direct, &same, (1.3, 3.0))];
    for (what, reference, ours, (ratio_max, ms_max)) in compared {
        for percent in PERCENTS {
            let of = |runs: &[Vec<f64>]| {
                runs.iter().map(|run| percentile(&run[FIRSTS..], percent)).collect::<Vec<_>>()
            };
            let line =
                report.add(format!("enqueue to start, {what}, p{percent}"), "ms", &of(reference), &of(ours));
            if percent < 60.0 {
                line.aim(Target::RatioMax(ratio_max));
            } else if percent > 98.0 {
                line.aim(Target::ValueMax(ms_max));
            }
        }
        let of =
            |runs: &[Vec<f64>]| runs.iter().map(|run| percentile(&run[..FIRSTS], 100.0)).collect::<Vec<_>>();
        let figure = format!("enqueue to start, {what}, the slowest of the first {FIRSTS}");
        report.add(figure, "ms", &of(reference), &of(ours));
    }
    Ok(report)
}

/// Milliseconds of jobs that workers wait for with long polls, as external ones do, HTTP aside.
pub(crate) async fn polled(arguments: &Arguments, is_other_node: bool) -> Result<Vec<f64>> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let other = if is_other_node { Some(node.join().await?) } else { None };
    let milliseconds = starts(&node, other.as_ref(), count(arguments)).await?;
    if let Some(other) = other {
        other.end().await?;
    }
    node.end().await?;
    Ok(milliseconds)
}

/// Milliseconds of so many jobs that one node enqueues and workers of another one, or of the same, wait for. The engine of
/// the workers shuts down.
pub(crate) async fn starts(node: &Node, other: Option<&Node>, count: usize) -> Result<Vec<f64>> {
    let times = Times::new(count);
    let engine = &other.unwrap_or(node).engine;
    let workers: Vec<_> =
        (0..WORKERS).map(|number| tokio::spawn(work(engine.clone(), number, Arc::clone(&times)))).collect();
    let (sender, sent) = (node.engine.clone(), Arc::clone(&times));
    send(count, sent, move |number| {
        let engine = sender.clone();
        async move {
            let job = JobRequest::new(JobType::trusted("noop"), payload(number));
            engine.enqueue(&Caller::system(), vec![job]).await?;
            Ok(())
        }
    })
    .await?;
    let milliseconds = times.milliseconds().await?;
    engine.begin_shutdown();
    for worker in workers {
        worker.await??;
    }
    Ok(milliseconds)
}

/// Waits for jobs, starts and completes them, until the engine shuts down.
async fn work(engine: Engine, number: usize, times: Arc<Times>) -> Result<()> {
    let caller = Caller::system();
    while !engine.shutdown_started() {
        let request = PollRequest {
            worker_id: WorkerId::trusted(format!("load-tests/{number}")),
            job_types: vec![JobType::trusted("noop")],
            jobs_max: 10,
            lease: None,
            wait: Some(DurationMs::from_secs(20)),
            tenant: None,
            build: None,
            builds: Vec::new(),
        };
        let jobs = engine.poll(&caller, request).await?.taken();
        let items = jobs.iter().map(|job| {
            times.start(&job.data);
            CompleteItem { lease: job.lease(), result: None, attributes: BTreeMap::new() }
        });
        let items: Vec<CompleteItem> = items.collect();
        if !items.is_empty() {
            engine.complete(&caller, items).await?;
        }
    }
    Ok(())
}

/// Milliseconds of raw SQL over `NOTIFY`.
pub(crate) async fn raw_notified(arguments: &Arguments) -> Result<Vec<f64>> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let times = Times::new(count(arguments));
    let starts = Arc::clone(&times);
    let worker = notify::listen(&reference.pool, move |data| starts.start(data)).await?;
    let (pool, sent) = (reference.pool.clone(), Arc::clone(&times));
    send(count(arguments), sent, move |number| {
        let pool = pool.clone();
        async move { notify::send_notified(&pool, number).await }
    })
    .await?;
    let milliseconds = times.milliseconds().await?;
    worker.abort();
    // It ends by being cut off, which is what was asked for.
    let _ = worker.await;
    reference.end().await?;
    Ok(milliseconds)
}

/// Milliseconds of raw SQL that starts the job in the process that inserted it.
pub(crate) async fn raw_direct(arguments: &Arguments) -> Result<Vec<f64>> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let times = Times::new(count(arguments));
    let (pool, starts) = (reference.pool.clone(), Arc::clone(&times));
    send(count(arguments), Arc::clone(&times), move |number| {
        let (pool, starts) = (pool.clone(), Arc::clone(&starts));
        async move {
            let id = notify::send_claimed(&pool, number).await?;
            starts.start_number(number);
            notify::complete(&pool, id).await
        }
    })
    .await?;
    let milliseconds = times.milliseconds().await?;
    reference.end().await?;
    Ok(milliseconds)
}

/// Sends at a steady pace, from a task of the runtime as a server does.
pub(crate) async fn send<F>(
    count: usize,
    times: Arc<Times>,
    one: impl Fn(usize) -> F + Send + 'static,
) -> Result<()>
where
    F: Future<Output = Result<()>> + Send,
{
    let sending = tokio::spawn(async move {
        let mut ticks = tokio::time::interval(EVERY);
        for number in 0..count {
            ticks.tick().await;
            times.send(number);
            one(number).await?;
        }
        Ok(())
    });
    sending.await?
}

/// How many jobs are sent.
pub(crate) const fn count(arguments: &Arguments) -> usize {
    (arguments.sizes.seconds * 50) as usize + FIRSTS
}
