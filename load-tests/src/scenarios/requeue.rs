//! Very many dead letters that are requeued at a rate, by a process that is killed in the middle.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::access::Role;
use engine::Caller;
use serde_json::{Value, json};
use sqlx::Row as _;
use sqlx::postgres::PgPool;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::http::Connection;
use crate::measure::{ms, percentile, rate};
use crate::node::Node;
use crate::report::{Report, Target};
use crate::seed::{Scale, seed};
use crate::server::Server;

const EXPLANATION: &str = "Dead letters of a month on PostgreSQL, requeued by one bulk operation of the server's binary at 5,000 a \
    second; the process is killed with SIGKILL when half of them are done, and another goes on. Each has one entry and one \
    job afterwards. Reference of the claims: single jobs of another type, from enqueue to the answer of the poll, before the \
    operation began.";

const RATE: u32 = 5_000;
/// How long the operation may take beside what the rate allows.
const LATE: Duration = Duration::from_mins(5);
/// How many claims are timed.
const CLAIMS: usize = 100;

/// Runs it.
pub(crate) async fn requeue(arguments: &Arguments) -> Result<Report> {
    let binary = Server::binary(arguments)?;
    let folder = tempfile::tempdir()?;
    let mut report = Report::new("Bulk requeue", EXPLANATION);
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let dead = arguments.sizes.dead;
    let scale = Scale::of(dead * 10, 1_000, dead, node.engine.now())?;
    seed(node.database()?, Kind::Postgres, node.store(), scale).await?;
    let pool = node.postgres(1).await?;
    let open = number(&pool, "SELECT count(*) FROM dead_letter WHERE status = 'open'").await?;

    let (_, key) = node.engine.create_key(&Caller::system(), "load", Role::Admin, None).await?;
    let variables = [("DATABASE_URL", node.url())];
    let server = Server::start(&binary, folder.path(), &variables).await?;
    let client = |server: &Server| Client { address: server.address, key: key.reveal().to_owned() };
    let mut asked = client(&server);
    let before = asked.claims().await?;
    let body = json!({"filter": {}, "all": true, "ratePerSecond": RATE, "reason": "a load test"});
    let batch = asked.post("/v1/dead-letters/requeue", &body).await?;
    let path = format!("/v1/batches/{}", batch["id"].as_str().context("no batch")?);
    let begun_at = Instant::now();
    let allowed = LATE + Duration::from_secs(open / u64::from(RATE));
    asked.wait(&path, allowed, |batch| batch["done"].as_u64() >= Some(open / 4)).await?;
    let during = asked.claims().await?;
    asked.wait(&path, allowed, |batch| batch["done"].as_u64() >= Some(open / 2)).await?;
    server.kill().await?;
    let server = Server::start(&binary, folder.path(), &variables).await?;
    asked = client(&server);
    let ended = asked.wait(&path, allowed, |batch| !batch["finishedAt"].is_null()).await?;
    let per_second = rate(usize::try_from(open)?, begun_at);
    ensure!(ended["status"] == "completed", "the operation ended as {ended}");

    let done = number(&pool, "SELECT count(*) FROM batch_item WHERE outcome = 'done'").await?;
    let requeued = number(&pool, "SELECT count(*) FROM dead_letter WHERE status = 'requeued'").await?;
    let twice = "SELECT count(*) FROM (SELECT job_id FROM dead_letter WHERE status = 'requeued' GROUP BY job_id \
        HAVING count(*) > 1) t";
    ensure!(number(&pool, twice).await? == 0, "a job came back twice");
    ensure!((done, requeued) == (open, open), "{done} entries and {requeued} requeued of {open}");
    report.facts.push(("dead letters".to_owned(), open.to_string()));
    report.add("requeued, with a kill in the middle", "a second", &[f64::from(RATE)], &[per_second]);
    let p99 = |claims: &[f64]| vec![percentile(claims, 99.0)];
    report
        .add("from enqueue to the answer of a poll meanwhile", "ms p99", &p99(&before), &p99(&during))
        .aim(Target::RatioMax(1.3));
    server.kill().await?;
    pool.close().await;
    node.end().await?;
    Ok(report)
}

/// Whoever asks the server.
struct Client {
    address: SocketAddr,
    key: String,
}

impl Client {
    async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let mut connection = Connection::open(self.address, &self.key).await?;
        Ok(serde_json::from_slice(connection.send("POST", path, &body.to_string()).await?)?)
    }

    /// Looks at the operation until a condition holds.
    async fn wait(&self, path: &str, within: Duration, holds: impl Fn(&Value) -> bool) -> Result<Value> {
        let mut connection = Connection::open(self.address, &self.key).await?;
        let begun_at = Instant::now();
        loop {
            let batch: Value = serde_json::from_slice(connection.send("GET", path, "").await?)?;
            if holds(&batch) {
                return Ok(batch);
            }
            ensure!(begun_at.elapsed() < within, "the operation does not go on: {batch}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Single jobs that are enqueued and polled: how long each takes, in milliseconds.
    async fn claims(&self) -> Result<Vec<f64>> {
        let mut connection = Connection::open(self.address, &self.key).await?;
        let job = json!({"jobType": "quick", "data": {}}).to_string();
        let poll = json!({"workerId": "w", "jobTypes": ["quick"], "maxJobs": 1, "wait": "5s"}).to_string();
        let mut took = Vec::with_capacity(CLAIMS);
        for _ in 0..CLAIMS {
            let begun_at = Instant::now();
            connection.send("POST", "/v1/jobs", &job).await?;
            let polled: Value =
                serde_json::from_slice(connection.send("POST", "/v1/jobs/poll", &poll).await?)?;
            took.push(ms(begun_at.elapsed()));
            let job = polled["jobs"].get(0).context("no job was there")?;
            let report = json!({"jobs": [{"id": job["id"], "leaseToken": job["leaseToken"]}]});
            connection.send("POST", "/v1/jobs/complete", &report.to_string()).await?;
        }
        Ok(took)
    }
}

async fn number(pool: &PgPool, query: &'static str) -> Result<u64> {
    Ok(u64::try_from(sqlx::query(query).fetch_one(pool).await?.try_get::<i64, _>(0)?)?)
}
