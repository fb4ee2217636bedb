//! External workers over streams of gRPC, beside those over REST in the same run.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Result, ensure};
use tokio_util::sync::CancellationToken;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::http::{Came, Served, StreamWorker};
use crate::measure::rate;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::{Report, Target};
use crate::scenarios::http_workers::{BATCHED, SINGLE, Workers, enqueue, work};

const EXPLANATION: &str = "Streams of gRPC on loopback with an API key, on PostgreSQL; clients, server and database share the \
    machine. *Single workers*: 64 streams, each over a connection of its own, with room for one job: the next one is offered \
    when the one before is reported. *Batches*: two streams with room for 100 jobs that report what came together in one \
    message. *REST*: the same workers with polls, as in the table of workers over REST. Reference: raw SQL, claims of 100 with \
    two claimers.";

/// Runs it.
pub(crate) async fn grpc_workers(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("External workers over gRPC", EXPLANATION);
    let mut runs: [Vec<f64>; 5] = Default::default();
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
    }
    let [raw, batched, singly, rest_batched, rest_singly] = &runs;
    let batches = format!("batches of up to {}", BATCHED.batch);
    report.add(format!("streams, {batches}"), "jobs/s", raw, batched).aim(Target::RatioMin(0.5));
    let single = format!("{} workers, one job at a time", SINGLE.count);
    report.add(format!("streams, {single}"), "jobs/s", raw, singly).aim(Target::RatioMin(0.35));
    report.add(format!("REST, {batches}"), "jobs/s", raw, rest_batched);
    report.add(format!("REST, {single}"), "jobs/s", raw, rest_singly);
    Ok(report)
}

/// Lets workers on streams do so many jobs; answers the rate.
async fn serve(address: SocketAddr, key: &str, workers: Workers, count: usize) -> Result<f64> {
    let (done, all_done) = (AtomicUsize::new(0), CancellationToken::new());
    let started_at = Instant::now();
    let each = (0..workers.count).map(|number| {
        let (done, all_done) = (&done, &all_done);
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
                            all_done.cancel();
                        }
                    }
                    None => anyhow::bail!("a stream ended"),
                }
            }
        }
    });
    futures::future::try_join_all(each).await?;
    let rate = rate(count, started_at);
    ensure!(done.into_inner() == count, "the workers lost jobs");
    Ok(rate)
}
