//! Executions of a few steps over REST: started with `?wait=true`, done by workers that take one job at a time.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::queue::QueueName;
use domain::workflow::parse::Format;
use engine::Caller;
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use worker::Handlers;

use crate::arguments::Arguments;
use crate::counters::Counters;
use crate::database::Kind;
use crate::http::{Connection, Served};
use crate::measure::{ms, percentile, rate};
use crate::node::Node;
use crate::report::{Report, Target};

const EXPLANATION: &str = "Executions of a chain of SERVICE_TASK nodes over REST on PostgreSQL, started with \
    `?wait=true`; workers take one job at a time, or as many as the figure says. Clients, workers, server and database \
    share the machine, limits are never reached. *Reference*: workers that call `poll` and `complete` in turns. *Ours*: \
    workers whose `complete` polls next (`\"poll\"`), and which wait in a long poll only when there was nothing. The clock \
    stops at the last answer. Commits and log are those of the whole run, by execution. The times of the first 20 do not \
    count: a statement is planned where a connection uses it for the first time.";

/// How many slots the execution pool has at least.
const SLOTS: usize = 64;
const DRAIN: Duration = Duration::from_secs(10);
/// The times of so many executions at the beginning do not count.
const FIRSTS: usize = 20;

/// How a worker asks for its next job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// By a call of its own.
    Apart,
    /// With its report.
    WithReport,
}

/// One measure.
#[derive(Debug, Clone, Copy)]
struct Load {
    nodes: usize,
    in_flight: usize,
    workers: usize,
    /// How many jobs a worker takes at once.
    taken: usize,
    executions: usize,
}

/// What the figures of a measure are to be: those of many executions at once, or the times of one after another.
#[derive(Debug, Clone, Copy)]
enum Aim {
    Rate { least: f64 },
    Times { p50_ms: f64, p99_ms: f64 },
}

/// Commits of an execution of three steps at most, and its log in KiB.
const COMMITS_MAX: f64 = 2.0;
const LOG_KIB_MAX: f64 = 5.0;

/// What came of it.
#[derive(Debug, Default)]
struct Figures {
    rate: f64,
    commits: f64,
    log_kib: f64,
    times: Vec<f64>,
}

/// What a worker reads of an answer with jobs.
#[derive(Debug, Default, Deserialize)]
struct Answer {
    #[serde(default)]
    jobs: Vec<Job>,
    #[serde(default)]
    results: Vec<Outcome>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Job {
    id: String,
    lease_token: String,
}

#[derive(Debug, Deserialize)]
struct Outcome {
    outcome: String,
}

/// Runs it.
pub(crate) async fn steps(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Executions of a few steps over REST", EXPLANATION);
    let executions = arguments.sizes.executions;
    let busy = Load { nodes: 3, in_flight: 64, workers: 32, taken: 1, executions };
    compare(&mut report, arguments, busy, Aim::Rate { least: 1_200.0 }).await?;
    let batched = Load { in_flight: 256, workers: 16, taken: 50, ..busy };
    compare(&mut report, arguments, batched, Aim::Rate { least: 3_000.0 }).await?;
    for (nodes, p50_ms, p99_ms) in [(1, 2.5, 6.0), (3, 4.0, 9.0), (9, 11.0, 22.0)] {
        let single = Load {
            nodes,
            in_flight: 1,
            workers: 8,
            taken: 1,
            executions: (executions / 10 / nodes).max(150),
        };
        compare(&mut report, arguments, single, Aim::Times { p50_ms, p99_ms }).await?;
    }
    Ok(report)
}

async fn compare(report: &mut Report, arguments: &Arguments, load: Load, aim: Aim) -> Result<()> {
    let mut runs: [Vec<Figures>; 2] = Default::default();
    for _ in 0..arguments.sizes.rounds {
        for (style, runs) in [Style::Apart, Style::WithReport].into_iter().zip(&mut runs) {
            runs.push(run(arguments, load, style).await?);
        }
    }
    let Load { nodes, in_flight, workers, taken, .. } = load;
    let of_so_many = if taken == 1 { String::new() } else { format!(" of {taken}") };
    let what = format!("{nodes} steps, {in_flight} in flight, {workers} workers{of_so_many}");
    let mut add = |figure: &str, unit: &str, target: Option<Target>, of: &dyn Fn(&Figures) -> f64| {
        let [apart, with_report] = runs.each_ref().map(|runs| runs.iter().map(of).collect::<Vec<_>>());
        report.add(format!("{what}: {figure}"), unit, &apart, &with_report).target = target;
    };
    let (p50, p99) = match aim {
        Aim::Rate { least } => {
            add("executions", "1/s", Some(Target::ValueMin(least)), &|figures| figures.rate);
            add("commits by execution", "commits", Some(Target::ValueMax(COMMITS_MAX)), &|figures| {
                figures.commits
            });
            add("log by execution", "KiB", Some(Target::ValueMax(LOG_KIB_MAX)), &|figures| figures.log_kib);
            (None, None)
        }
        Aim::Times { p50_ms, p99_ms } => (Some(Target::ValueMax(p50_ms)), Some(Target::ValueMax(p99_ms))),
    };
    add("start to answer, p50", "ms", p50, &|figures| percentile(&figures.times, 50.0));
    add("start to answer, p99", "ms", p99, &|figures| percentile(&figures.times, 99.0));
    Ok(())
}

async fn run(arguments: &Arguments, load: Load, style: Style) -> Result<Figures> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    register(&node, load.nodes).await?;
    let pools = node.start_pool(QueueName::Execution, SLOTS.max(load.in_flight), Handlers::new())?;
    let (served, key) = Served::api(&node.engine).await?;
    let counters = Counters::start(node.url()).await?;
    let (is_over, started) = (AtomicBool::new(false), AtomicUsize::new(0));
    let workers =
        (0..load.workers).map(|number| work(served.address, &key, (number, load.taken), style, &is_over));
    let clients = async {
        let began_at = Instant::now();
        let count = load.executions + FIRSTS;
        let clients = (0..load.in_flight).map(|_| start(served.address, &key, count, &started));
        let times = futures::future::try_join_all(clients).await;
        let rate = rate(count, began_at);
        is_over.store(true, Ordering::Relaxed);
        times.map(|times| (rate, times.concat()))
    };
    let ((rate, times), _) = tokio::try_join!(clients, futures::future::try_join_all(workers))?;
    pools.drain(DRAIN, CancellationToken::new()).await;
    served.end().await?;
    let counted = counters.end().await?;
    node.end().await?;
    let each = (load.executions + FIRSTS) as f64;
    Ok(Figures { rate, commits: counted.commits / each, log_kib: counted.wal_bytes / each / 1_024.0, times })
}

async fn register(node: &Node, nodes: usize) -> Result<()> {
    let nodes: Vec<_> = (0..nodes)
        .map(|place| {
            let (id, input) = match place.checked_sub(1) {
                None => ("n0".to_owned(), "${input}".to_owned()),
                Some(before) => (format!("n{place}"), format!("${{nodes.n{before}.output}}")),
            };
            let before: Vec<String> = place.checked_sub(1).map(|before| format!("n{before}")).into_iter().collect();
            json!({ "id": id, "type": "SERVICE_TASK", "jobType": "step", "input": input, "dependsOn": before })
        })
        .collect();
    let definition = json!({ "name": "steps", "version": 1, "nodes": nodes }).to_string();
    node.engine.register_workflow(&Caller::system(), definition.as_bytes(), Format::Json).await?;
    Ok(())
}

/// Starts executions one after another until all are started; answers how long each took that counts, in milliseconds.
async fn start(address: SocketAddr, key: &str, count: usize, started: &AtomicUsize) -> Result<Vec<f64>> {
    let mut connection = Connection::open(address, key).await?.accepting_gzip();
    let mut times = Vec::new();
    loop {
        let number = started.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return Ok(times);
        }
        let body = format!(r#"{{"workflow":"steps","input":{{"n":{number}}}}}"#);
        let began_at = Instant::now();
        let answer = connection.send("POST", "/v1/executions?wait=true&timeout=30s", &body).await?;
        times.extend((number >= FIRSTS).then(|| ms(began_at.elapsed())));
        let ended = std::str::from_utf8(answer)?.contains(r#""COMPLETED""#);
        ensure!(ended, "an execution did not complete: {}", String::from_utf8_lossy(answer));
    }
}

/// A worker, its number and how many jobs it takes at once, until all is over.
async fn work(
    address: SocketAddr,
    key: &str,
    (number, taken): (usize, usize),
    style: Style,
    is_over: &AtomicBool,
) -> Result<()> {
    let mut connection = Connection::open(address, key).await?.accepting_gzip();
    let ask = format!(r#""workerId":"load-{number}","jobTypes":["step"],"maxJobs":{taken}"#);
    let (poll, next) = (format!(r#"{{{ask},"wait":"500ms"}}"#), format!(r#","poll":{{{ask}}}"#));
    let next = if style == Style::WithReport { next.as_str() } else { "" };
    let mut jobs: Vec<Job> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let answer = if jobs.is_empty() {
            connection.send("POST", "/v1/jobs/poll", &poll).await?
        } else {
            let report = |Job { id, lease_token }: Job| {
                format!(r#"{{"id":"{id}","leaseToken":"{lease_token}","result":{{"n":1}}}}"#)
            };
            let reports = jobs.drain(..).map(report).collect::<Vec<_>>().join(",");
            let body = format!(r#"{{"jobs":[{reports}]{next}}}"#);
            connection.send("POST", "/v1/jobs/complete", &body).await?
        };
        let answer: Answer = serde_json::from_slice(answer).context("the answer to a worker")?;
        ensure!(answer.results.iter().all(|result| result.outcome == "ok"), "a lease was lost");
        jobs.extend(answer.jobs);
    }
    Ok(())
}
