//! Several processes on one PostgreSQL, each on a host of its own: throughput, fairness, limits, and a host that is cut off.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sqlx::postgres::PgConnectOptions;
use tempfile::TempDir;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::arguments::Arguments;
use crate::database::{Database, Kind};
use crate::hosts::Host;
use crate::http::Connection;
use crate::jobs::payload;
use crate::measure::{ms, rate};
use crate::report::{Report, Target};
use crate::server::Server;

const EXPLANATION: &str = "One, two and four processes of the server's binary on one PostgreSQL, each in a network namespace with an \
    address and a link of its own, and as many workers in all, spread over the processes, that poll and complete 20 jobs at a time over REST; \
    tenants have equally many jobs. The reference of a drain is the one with one process. *Least to most served* compares tenants when \
    half of the jobs are done. *At once* is what workers hold of one tenant, by their own account, under a limit. *Cut off*: the link of one \
    process of several is taken down for longer than a lease, in the middle of a drain by workers that need 200 ms for 20 jobs, and \
    given back; what the others do then is their part of what all did. Processes, workers and database share \
    the machine, whose cores are the bound: it is shown that processes do not get in each other's way, not what more machines give.";

const KEY: &str = "tl_load_tests_0123456789abcdef0123456789abcdef";

/// How many processes.
const NODES: [u8; 3] = [1, 2, 4];

/// Workers in all.
const WORKERS: usize = 8;

const TENANTS: usize = 8;

/// How many jobs a worker takes at once.
const BATCH: usize = 20;

/// How many jobs are enqueued by one request.
const ENQUEUE: usize = 1_000;

/// How many jobs of a tenant may run at once where that is measured.
const LIMIT: usize = 4;

/// How long a worker works on what it polled, where limits are measured.
const WORK: Duration = Duration::from_millis(10);

/// The same where a host is cut off: the drain is to go on for longer than that, however fast the machine is.
const SLOW_WORK: Duration = Duration::from_millis(200);

/// How many jobs are drained where a host is cut off: 15 seconds of such work.
const CUT_JOBS: usize = 12_000;

/// How long a lease is.
const LEASE: &str = "3s";

/// How long a host is cut off.
const CUT: Duration = Duration::from_secs(6);

/// How long a worker waits for an answer before it asks again.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The longest that a drain may take.
const STUCK_AFTER: Duration = Duration::from_mins(10);

/// Runs it.
pub(crate) async fn scale_out(arguments: &Arguments) -> Result<Report> {
    let binary = Server::binary(arguments)?;
    let count = arguments.sizes.jobs;
    let mut report = Report::new("Several processes", EXPLANATION);
    let mut alone = Vec::new();
    for nodes in NODES {
        let (mut rates, mut shares, mut peaks, mut cuts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..arguments.sizes.rounds {
            let deployment = Deployment::start(&binary, &arguments.postgres_url, nodes).await?;
            let drained = deployment.drain(count, None, false).await?;
            rates.push(drained.rate);
            shares.push(drained.share);
            peaks.push(deployment.limited(count / 10).await?);
            if nodes > 1 {
                cuts.push(deployment.drain(CUT_JOBS, Some(SLOW_WORK), true).await?);
            }
            deployment.end().await?;
        }
        if nodes == 1 {
            alone.clone_from(&rates);
        }
        let what = format!("{nodes} process(es)");
        report.add(format!("{what}: drain"), "jobs/s", &alone, &rates);
        report
            .add(format!("{what}: least to most served tenant"), "of 1", &[1.0], &shares)
            .aim(Target::ValueMin(0.5));
        let most = LIMIT as f64;
        report
            .add(format!("{what}: at once of a tenant, limit {LIMIT}"), "jobs", &[most], &peaks)
            .aim(Target::ValueMax(most));
        if !cuts.is_empty() {
            let each = |figure: fn(&Drained) -> f64| cuts.iter().map(figure).collect::<Vec<f64>>();
            let before = each(|cut| cut.rate_before);
            let what = format!("{what}, one cut off for {} s", CUT.as_secs());
            report.add(
                format!("{what}: done by the others, and before"),
                "jobs/s",
                &before,
                &each(|cut| cut.rate_cut),
            );
            report.add(
                format!("{what}: healed until it is polled again"),
                "ms",
                &[0.0],
                &each(|cut| cut.back_ms),
            );
            report
                .add(format!("{what}: completed twice"), "jobs", &[0.0], &each(|cut| cut.twice))
                .aim(Target::ValueMax(0.0));
        }
    }
    Ok(report)
}

/// What a drain came to.
struct Drained {
    rate: f64,
    /// Of the least served tenant to the most served one, halfway.
    share: f64,
    /// Jobs a second before a host was cut off, and while it was.
    rate_before: f64,
    rate_cut: f64,
    /// From the heal until a worker of that host was given jobs.
    back_ms: f64,
    twice: f64,
}

/// Processes on hosts of their own, and their database.
struct Deployment {
    servers: Vec<Server>,
    hosts: Vec<Host>,
    _folder: TempDir,
    database: Database,
}

impl Deployment {
    async fn start(binary: &Path, postgres: &str, nodes: u8) -> Result<Self> {
        let database = Database::create(Kind::Postgres, postgres).await?;
        let options = PgConnectOptions::from_str(&database.url)?;
        let at = SocketAddr::from(([127, 0, 0, 1], options.get_port()));
        let folder = tempfile::tempdir()?;
        let (mut servers, mut hosts) = (Vec::new(), Vec::new());
        for number in 1..=nodes {
            let host = Host::make(number, at).await?;
            let authority = format!("{}:{}", options.get_host(), options.get_port());
            let url = database.url.replace(&authority, &host.database.to_string());
            ensure!(url != database.url, "the URL of PostgreSQL has no host with a port");
            let variables = [
                ("DATABASE_URL", url.as_str()),
                ("TRUNKLINE_BOOTSTRAP_KEY", KEY),
                ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", LEASE),
            ];
            servers.push(Server::start_on(&host, binary, folder.path(), &variables).await?);
            hosts.push(host);
        }
        Ok(Self { servers, hosts, _folder: folder, database })
    }

    /// The address of the process that serves a worker or a request with this number.
    fn address(&self, number: usize) -> SocketAddr {
        self.servers[number % self.servers.len()].address
    }

    async fn enqueue(&self, count: usize) -> Result<()> {
        for start in (0..count).step_by(ENQUEUE) {
            let jobs: Vec<String> = (start..count.min(start + ENQUEUE))
                .map(|number| {
                    let tenant = number % TENANTS;
                    format!(r#"{{"jobType":"noop","tenant":"t{tenant}","data":{}}}"#, payload(number))
                })
                .collect();
            let body = format!(r#"{{"jobs":[{}]}}"#, jobs.join(","));
            let mut connection = Connection::open(self.address(start / ENQUEUE), KEY).await?;
            connection.send("POST", "/v1/jobs/batch", &body).await?;
        }
        Ok(())
    }

    /// Enqueues jobs and works until all are done; `cuts` takes the link of the last host away in between.
    async fn drain(&self, count: usize, work: Option<Duration>, cuts: bool) -> Result<Drained> {
        self.enqueue(count).await?;
        let seen = Arc::new(Seen::of(count));
        let mut workers = JoinSet::new();
        for number in 0..WORKERS {
            let worker = Worker { number, address: self.address(number), work, seen: Arc::clone(&seen) };
            workers.spawn(worker.run());
        }
        let started_at = Instant::now();
        let (mut rate_before, mut rate_cut, mut back_ms) = (f64::NAN, f64::NAN, f64::NAN);
        if cuts {
            seen.until(count / 4).await?;
            rate_before = rate(seen.done(), started_at);
            let (host, last) = (self.hosts.last().context("a host")?, self.servers.len() - 1);
            let (cut_at, before) = (Instant::now(), seen.done());
            host.cut()?;
            tokio::time::sleep(CUT).await;
            rate_cut = rate(seen.done() - before, cut_at);
            host.heal()?;
            let healed_at = Instant::now();
            let given = seen.given(last, self.servers.len()).await;
            while seen.given(last, self.servers.len()).await == given && seen.done() < count {
                ensure!(healed_at.elapsed() < STUCK_AFTER, "the process does not come back");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            back_ms = ms(healed_at.elapsed());
        }
        seen.until(count).await?;
        let rate = rate(count, started_at);
        seen.stop.store(true, Ordering::Relaxed);
        while let Some(ended) = workers.join_next().await {
            ended.context("a worker")?;
        }
        let share = seen.share.lock().await.unwrap_or(f64::NAN);
        let twice = seen.tenants.lock().await.twice as f64;
        Ok(Drained { rate, share, rate_before, rate_cut, back_ms, twice })
    }

    /// The most jobs of one tenant that workers held at once under a limit.
    async fn limited(&self, count: usize) -> Result<f64> {
        self.limit(Some(LIMIT)).await?;
        self.enqueue(count).await?;
        let seen = Arc::new(Seen::of(count));
        let mut workers = JoinSet::new();
        for number in 0..WORKERS {
            let address = self.address(number);
            workers.spawn(Worker { number, address, work: Some(WORK), seen: Arc::clone(&seen) }.run());
        }
        seen.until(count).await?;
        seen.stop.store(true, Ordering::Relaxed);
        while let Some(ended) = workers.join_next().await {
            ended.context("a worker")?;
        }
        self.limit(None).await?;
        let tenants = seen.tenants.lock().await;
        Ok(tenants.peak as f64)
    }

    async fn limit(&self, limit: Option<usize>) -> Result<()> {
        let limits = limit.map_or(Value::Null, |limit| json!({ "tenantMaxConcurrent": limit }));
        let body = json!({ "workflow-node": limits }).to_string();
        let mut connection = Connection::open(self.address(0), KEY).await?;
        connection.send("PUT", "/v1/limits", &body).await.map(drop)
    }

    async fn end(self) -> Result<()> {
        for server in self.servers {
            server.kill().await?;
        }
        drop(self.hosts);
        self.database.remove().await
    }
}

/// What workers see of one drain.
struct Seen {
    count: usize,
    done: AtomicUsize,
    stop: AtomicBool,
    tenants: Mutex<Tenants>,
    /// Of the least to the most served tenant, once half is done.
    share: Mutex<Option<f64>>,
}

#[derive(Default)]
struct Tenants {
    held: HashMap<String, usize>,
    peak: usize,
    done: HashMap<String, usize>,
    /// Jobs by id, of completions that were acknowledged.
    completed: HashMap<String, usize>,
    twice: usize,
    /// Polls that were answered with jobs, by worker.
    given: HashMap<usize, usize>,
}

impl Seen {
    fn of(count: usize) -> Self {
        Self {
            count,
            done: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            tenants: Mutex::default(),
            share: Mutex::default(),
        }
    }

    fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    async fn until(&self, count: usize) -> Result<()> {
        let started_at = Instant::now();
        while self.done() < count {
            ensure!(
                started_at.elapsed() < STUCK_AFTER,
                "{} of {} jobs are done, and no more",
                self.done(),
                self.count
            );
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok(())
    }

    /// How often workers of one process of so many were given jobs.
    async fn given(&self, process: usize, processes: usize) -> usize {
        let tenants = self.tenants.lock().await;
        tenants
            .given
            .iter()
            .filter(|(worker, _)| *worker % processes == process)
            .map(|(_, times)| times)
            .sum()
    }

    async fn take(&self, worker: usize, jobs: &[Value]) {
        let mut tenants = self.tenants.lock().await;
        let tenants = &mut *tenants;
        *tenants.given.entry(worker).or_default() += 1;
        for job in jobs {
            let held = tenants.held.entry(text(&job["tenant"])).or_default();
            *held += 1;
            tenants.peak = tenants.peak.max(*held);
        }
    }

    /// Comes before the report is sent: from then on the slot may be free.
    async fn leave(&self, jobs: &[Value]) {
        let mut tenants = self.tenants.lock().await;
        for job in jobs {
            if let Some(held) = tenants.held.get_mut(&text(&job["tenant"])) {
                *held -= 1;
            }
        }
    }

    async fn complete(&self, jobs: &[Value], results: &[Value]) {
        let mut tenants = self.tenants.lock().await;
        for (job, result) in jobs.iter().zip(results) {
            // A report that is repeated finds what it did before.
            if !matches!(result["outcome"].as_str(), Some("ok" | "already_done")) {
                continue;
            }
            let times = tenants.completed.entry(text(&job["id"])).or_default();
            *times += 1;
            if *times > 1 {
                tenants.twice += 1;
                continue;
            }
            *tenants.done.entry(text(&job["tenant"])).or_default() += 1;
            if self.done.fetch_add(1, Ordering::Relaxed) + 1 == self.count / 2 {
                let of = |number: usize| tenants.done.get(&format!("t{number}")).copied().unwrap_or_default();
                let (least, most) = ((0..TENANTS).map(of).min(), (0..TENANTS).map(of).max());
                let share = least.unwrap_or_default() as f64 / most.unwrap_or_default().max(1) as f64;
                *self.share.lock().await = Some(share);
            }
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

struct Worker {
    number: usize,
    address: SocketAddr,
    work: Option<Duration>,
    seen: Arc<Seen>,
}

impl Worker {
    async fn run(self) {
        let (mut connection, seen) = (None, Arc::clone(&self.seen));
        let poll = json!({
            "workerId": format!("load-{}", self.number), "jobTypes": ["noop"], "maxJobs": BATCH, "wait": "1s"
        });
        let poll = poll.to_string();
        while !seen.stop.load(Ordering::Relaxed) {
            let Some(polled) = self.ask(&mut connection, "/v1/jobs/poll", &poll).await else { continue };
            let jobs = polled["jobs"].as_array().cloned().unwrap_or_default();
            if jobs.is_empty() {
                continue;
            }
            seen.take(self.number, &jobs).await;
            if let Some(work) = self.work {
                tokio::time::sleep(work).await;
            }
            seen.leave(&jobs).await;
            let reports: Vec<Value> =
                jobs.iter().map(|job| json!({ "id": job["id"], "leaseToken": job["leaseToken"] })).collect();
            let report = json!({ "jobs": reports }).to_string();
            while !seen.stop.load(Ordering::Relaxed) {
                if let Some(answer) = self.ask(&mut connection, "/v1/jobs/complete", &report).await {
                    let results = answer["results"].as_array().cloned().unwrap_or_default();
                    seen.complete(&jobs, &results).await;
                    break;
                }
            }
        }
    }

    /// One request on a connection that is made where there is none. Nothing where it is not answered in time, or not with success.
    async fn ask(&self, connection: &mut Option<Connection>, path: &str, body: &str) -> Option<Value> {
        let asked = async {
            if connection.is_none() {
                *connection = Connection::open(self.address, KEY).await.ok();
            }
            let answer = connection.as_mut()?.send("POST", path, body).await.ok()?;
            serde_json::from_slice(answer).ok()
        };
        let answer = tokio::time::timeout(ANSWER_WITHIN, asked).await.ok().flatten();
        if answer.is_none() {
            *connection = None;
            // A process that refuses at once is not asked in a circle.
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        answer
    }
}
