//! External workers over streams of gRPC, beside those over REST in the same run.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use domain::names::JobType;
use engine::{Caller, JobRequest};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::http::{Came, Served, StreamWorker};
use crate::jobs::payload;
use crate::measure::percentile;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::{Report, Target};
use crate::scenarios::http_workers::{BATCHED, SINGLE, Workers, enqueue, work};
use crate::scenarios::latency::{self, FIRSTS, PERCENTS, Times};

const EXPLANATION: &str = "Streams of gRPC on loopback with an API key, on PostgreSQL; clients, server and database share the \
    machine. *Single workers*: 64 streams, each over a connection of its own, with room for one job: the next one is offered \
    when the one before is reported. *Batches*: two streams with room for 100 jobs that report what came together in one \
    message. *REST*: the same workers with polls, as in the table of workers over REST. Reference: raw SQL, claims of 100 with \
    two claimers. The clock stops at the last completion. *Enqueue to start*: 50 jobs a second, each enqueued alone on the node \
    whose streams eight workers hold, from the call of enqueue until the worker has the job. Reference: raw SQL that inserts the \
    job as claimed and starts its handler in the same process when the insert is committed; the first 50 of each run do not \
    count, because a statement is planned where a connection uses it for the first time; smaller is better.";

/// Workers of the measure of starts, and for how many jobs each has room.
const WAITING: (usize, u32) = (8, 10);

/// Runs it.
pub(crate) async fn grpc_workers(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("External workers over gRPC", EXPLANATION);
    let mut runs: [Vec<f64>; 5] = Default::default();
    let mut starts: [Vec<Vec<f64>>; 2] = Default::default();
    let count = arguments.sizes.jobs;
    for _ in 0..arguments.sizes.rounds {
        let reference = PostgresReference::start(&arguments.postgres_url).await?;
        reference.enqueue(count).await?;
        reference.vacuum().await?;
        runs[0].push(reference.drain(count, i64::from(BATCHED.batch)).await?);
        reference.end().await?;

        let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
        let (rest, rest_key) = Served::api(&node.engine).await?;
        let (grpc, grpc_key) = Served::grpc(&node.engine).await?;
        let singly = count / 2;
        let streams = [(1, BATCHED, count), (2, SINGLE, singly)];
        for (place, workers, count) in streams {
            enqueue(rest.address, &rest_key, count).await?;
            node.vacuum().await?;
            runs[place].push(serve(grpc.address, &grpc_key, workers, count).await?);
        }
        for (place, workers, count) in [(3, BATCHED, count), (4, SINGLE, count / 4)] {
            enqueue(rest.address, &rest_key, count).await?;
            node.vacuum().await?;
            runs[place].push(work(rest.address, &rest_key, workers, count).await?);
        }
        grpc.end().await?;
        rest.end().await?;
        node.end().await?;
        starts[0].push(latency::raw_direct(arguments).await?);
        starts[1].push(started(arguments).await?);
    }
    let [raw, batched, singly, rest_batched, rest_singly] = &runs;
    let batches = format!("batches of up to {}", BATCHED.batch);
    report.add(format!("streams, {batches}"), "jobs/s", raw, batched).aim(Target::RatioMin(0.5));
    let single = format!("{} workers, one job at a time", SINGLE.count);
    report.add(format!("streams, {single}"), "jobs/s", raw, singly).aim(Target::RatioMin(0.35));
    report.add(format!("REST, {batches}"), "jobs/s", raw, rest_batched);
    report.add(format!("REST, {single}"), "jobs/s", raw, rest_singly);
    for percent in PERCENTS {
        let of = |runs: &[Vec<f64>]| {
            runs.iter().map(|run| percentile(&run[FIRSTS..], percent)).collect::<Vec<_>>()
        };
        let what = format!("enqueue to start over streams, same node, p{percent}");
        let line = report.add(what, "ms", &of(&starts[0]), &of(&starts[1]));
        if percent < 60.0 {
            line.aim(Target::RatioMax(1.5));
        } else if percent > 98.0 {
            line.aim(Target::ValueMax(5.0));
        }
    }
    Ok(report)
}

/// Lets workers on streams do so many jobs; answers the rate.
async fn serve(address: SocketAddr, key: &str, workers: Workers, count: usize) -> Result<f64> {
    let (done, all_done) = (AtomicUsize::new(0), CancellationToken::new());
    let all_done_at = OnceLock::new();
    let started_at = Instant::now();
    let each = (0..workers.count).map(|number| {
        let (done, all_done, all_done_at) = (&done, &all_done, &all_done_at);
        async move {
            let mut worker = StreamWorker::open(address, key, number, workers.batch).await?;
            loop {
                let came = tokio::select! {
                    came = worker.next() => came?,
                    () = all_done.cancelled() => return anyhow::Ok(()),
                };
                match came {
                    Some(Came::Jobs(jobs)) => {
                        ensure!(jobs.iter().all(|job| job.data.len() > 2), "a job came without its payload");
                        worker.complete(jobs)?;
                    }
                    Some(Came::Accepted(accepted)) => {
                        if done.fetch_add(accepted, Ordering::Relaxed) + accepted >= count {
                            all_done_at.get_or_init(Instant::now);
                            all_done.cancel();
                        }
                    }
                    None => anyhow::bail!("a stream ended"),
                }
            }
        }
    });
    futures::future::try_join_all(each).await?;
    ensure!(done.into_inner() == count, "the workers lost jobs");
    let took = all_done_at.into_inner().context("the last completion")? - started_at;
    Ok(count as f64 / took.as_secs_f64())
}

/// Milliseconds from enqueue to start of jobs that wait for nothing.
async fn started(arguments: &Arguments) -> Result<Vec<f64>> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let (grpc, key) = Served::grpc(&node.engine).await?;
    let count = latency::count(arguments);
    let (times, all_done) = (Times::new(count), CancellationToken::new());
    let mut workers = JoinSet::new();
    for number in 0..WAITING.0 {
        let worker = StreamWorker::open(grpc.address, &key, number, WAITING.1).await?;
        workers.spawn(start_each(worker, Arc::clone(&times), all_done.clone()));
    }
    let engine = node.engine.clone();
    latency::send(count, Arc::clone(&times), move |number| {
        let engine = engine.clone();
        async move {
            let job = JobRequest::new(JobType::trusted("noop"), payload(number));
            engine.enqueue(&Caller::system(), vec![job]).await?;
            Ok(())
        }
    })
    .await?;
    let milliseconds = times.milliseconds().await?;
    all_done.cancel();
    while let Some(ended) = workers.join_next().await {
        ended??;
    }
    grpc.end().await?;
    node.end().await?;
    Ok(milliseconds)
}

/// Starts and completes what comes over a stream.
async fn start_each(mut worker: StreamWorker, times: Arc<Times>, all_done: CancellationToken) -> Result<()> {
    loop {
        let came = tokio::select! {
            came = worker.next() => came?.context("a stream ended")?,
            () = all_done.cancelled() => return Ok(()),
        };
        if let Came::Jobs(jobs) = came {
            for job in &jobs {
                times.start(std::str::from_utf8(&job.data)?);
            }
            worker.complete(jobs)?;
        }
    }
}
