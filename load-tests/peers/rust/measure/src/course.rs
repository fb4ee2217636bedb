//! Enqueue and drain, or latency, on one empty database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use crate::arguments::{Arguments, Scenario};
use crate::counters::Counters;
use crate::handled::Handled;
use crate::queue::Queue;

const EVERY: Duration = Duration::from_millis(20);
const LATE: Duration = Duration::from_secs(30);

/// Measures one peer and prints its lines.
pub async fn run(peer: &str, version: &str, arguments: &Arguments, queue: &mut dyn Queue) -> Result<()> {
    let mode = arguments.mode.as_str();
    let emit = |scenario: &str, figures: Value| {
        let mut line = json!({ "peer": peer, "version": version, "mode": mode, "scenario": scenario });
        if let (Some(line), Value::Object(figures)) = (line.as_object_mut(), figures) {
            line.extend(figures);
        }
        println!("{line}");
    };
    match arguments.scenario {
        Scenario::Bulk => bulk(arguments, queue, emit).await,
        Scenario::Latency => {
            let times = latency(arguments, queue).await?;
            let (p50, p99) = (percentile(&times, 50.0), percentile(&times, 99.0));
            let seconds = arguments.latency_seconds;
            emit(
                "latency",
                json!({ "jobs": times.len(), "seconds": seconds, "perSecond": 50, "p50Ms": p50, "p99Ms": p99 }),
            );
            queue.close().await;
            Ok(())
        }
    }
}

async fn bulk(arguments: &Arguments, queue: &mut dyn Queue, emit: impl Fn(&str, Value)) -> Result<()> {
    let jobs = arguments.jobs;
    let mut counters = Counters::open(&arguments.database_url).await?;
    let (before, wal_before) = (counters.read().await?, counters.wal().await?);
    let started_at = Instant::now();
    queue.enqueue(jobs).await?;
    let seconds = started_at.elapsed().as_secs_f64();
    emit("enqueue", json!({ "jobs": jobs, "seconds": seconds, "perSecond": jobs as f64 / seconds }));
    let wal_of_vacuum = counters.vacuum().await?;
    let (done, seconds) = drain(arguments, queue).await?;
    let wal = counters.wal().await? - wal_before - wal_of_vacuum;
    // Its sessions report when they end.
    queue.close().await;
    let after = counters.read().await?;
    let mut figures = json!({ "jobs": done, "seconds": seconds, "perSecond": done as f64 / seconds });
    // A drain that was cut off has enqueued more than it finished: its cost a job would be too high.
    if done == jobs {
        figures["walBytesPerJob"] = json!(wal / done as f64);
        figures["commitsPerJob"] = json!((after.commits - before.commits) / done as f64);
        figures["deadTuples"] = json!(after.dead);
    }
    emit("drain", figures);
    Ok(())
}

/// Starts the workers on a full queue and waits until the store holds nothing unfinished, or the time is up.
async fn drain(arguments: &Arguments, queue: &mut dyn Queue) -> Result<(usize, f64)> {
    let handled = Arc::new(Handled::new(0));
    let started_at = Instant::now();
    let time_is_up = || started_at.elapsed() > Duration::from_secs(arguments.drain_seconds);
    queue.start(Arc::clone(&handled)).await?;
    while handled.count() < arguments.jobs && !time_is_up() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let mut left = queue.unfinished().await?;
    while handled.count() >= arguments.jobs && left > 0 && !time_is_up() {
        tokio::time::sleep(Duration::from_millis(5)).await;
        left = queue.unfinished().await?;
    }
    let seconds = started_at.elapsed().as_secs_f64();
    queue.stop().await?;
    Ok((arguments.jobs.saturating_sub(left), seconds))
}

/// 50 jobs a second, one call each; from the call to the start of the handler, workers idle before.
async fn latency(arguments: &Arguments, queue: &mut dyn Queue) -> Result<Vec<f64>> {
    let count = (arguments.latency_seconds * 50) as usize;
    let handled = Arc::new(Handled::new(count));
    queue.start(Arc::clone(&handled)).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut ticks = tokio::time::interval(EVERY);
    for number in 0..count {
        ticks.tick().await;
        handled.send(number);
        queue.enqueue_one(number).await?;
    }
    let until = Instant::now() + LATE;
    while handled.count() < count && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    queue.stop().await?;
    Ok(handled.milliseconds())
}

fn percentile(values: &[f64], percent: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1) as f64;
    sorted.get((percent / 100.0 * last).round() as usize).copied()
}
