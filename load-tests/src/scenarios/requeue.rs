//! Very many dead letters that are requeued at a rate, by a process that is killed in the middle.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::access::Role;
use engine::Caller;
use serde_json::{Value, json};
use sqlx::Row as _;
use sqlx::postgres::PgPool;
use tokio::time::{MissedTickBehavior, interval};

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::http::Connection;
use crate::measure::{ms, percentile, rate};
use crate::node::Node;
use crate::report::{Report, Target};
use crate::seed::{Scale, run, seed};
use crate::server::Server;

const EXPLANATION: &str = "Dead letters of a month on PostgreSQL, requeued by one bulk operation of the server's binary at 5,000 a \
    second; the process is killed with SIGKILL when half of them are done, and another goes on. Each has one entry and one \
    job afterwards. The rate is that from the first ones to the kill: they are listed before, and a takeover waits until the \
    operation has not moved for some seconds. Reference of the claims: single jobs of another type, 50 a second, from enqueue to \
    the answer of the poll, before the operation began; as many at the same rate in three spells of the first half of the operation.";

const RATE: u32 = 5_000;
/// Makes a store that was filled one at work: vacuumed, with plans that know of the rows. One at work was vacuumed as it grew. Left
/// to PostgreSQL, the first vacuum of all that was filled in would begin after the reference, and take a core beside the operation.
const AT_WORK: [&str; 5] = [
    "VACUUM (ANALYZE) job_done",
    "VACUUM (ANALYZE) dead_letter",
    "ALTER TABLE job_done RESET (autovacuum_enabled)",
    "ALTER TABLE dead_letter RESET (autovacuum_enabled)",
    "CHECKPOINT",
];
/// How long the operation may take beside what the rate allows.
const LATE: Duration = Duration::from_mins(5);
/// How many claims are timed in a spell: at least, and at most, for fewer letters are soon gone.
const CLAIMS: (u64, u64) = (100, 500);
/// One claim for so many letters.
const LETTERS_PER_CLAIM: u64 = 500;
/// How often a job is enqueued and polled, with the operation and without it. One after the other, they would be fewer in a second
/// the longer they take.
const CLAIM_EVERY: Duration = Duration::from_millis(20);
/// In how many spells, spread over the first half of the operation.
const SPELLS: u64 = 3;

/// Runs it.
pub(crate) async fn requeue(arguments: &Arguments) -> Result<Report> {
    let binary = Server::binary(arguments)?;
    let folder = tempfile::tempdir()?;
    let mut report = Report::new("Bulk requeue", EXPLANATION);
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let dead = arguments.sizes.dead;
    let scale = Scale::of(dead * 10, 1_000, dead, node.engine.now())?;
    seed(node.database()?, Kind::Postgres, node.store(), scale).await?;
    for statement in AT_WORK {
        run(node.database()?, Kind::Postgres, statement).await?;
    }
    let pool = node.postgres(1).await?;
    let open = number(&pool, "SELECT count(*) FROM dead_letter WHERE status = 'open'").await?;

    let (_, key) = node.engine.create_key(&Caller::system(), "load", Role::Admin, None).await?;
    let variables = [("DATABASE_URL", node.url())];
    let server = Server::start(&binary, folder.path(), &variables).await?;
    let client = |server: &Server| Client { address: server.address, key: key.reveal().to_owned() };
    let mut asked = client(&server);
    let claims = (open / LETTERS_PER_CLAIM).clamp(CLAIMS.0, CLAIMS.1);
    // Plans and connections are made.
    asked.claims(claims).await?;
    let before = asked.claims(claims * SPELLS).await?;
    let body = json!({"filter": {}, "all": true, "ratePerSecond": RATE, "reason": "a load test"});
    let batch = asked.post("/v1/dead-letters/requeue", &body).await?;
    let path = format!("/v1/batches/{}", batch["id"].as_str().context("no batch")?);
    let begun_at = Instant::now();
    let allowed = LATE + Duration::from_secs(open / u64::from(RATE));
    let first = asked.wait(&path, allowed, |batch| done_of(batch) > 0).await?;
    let (listed_in, first_at) = (begun_at.elapsed(), Instant::now());
    let to_half = async {
        let half = asked.wait(&path, allowed, |batch| done_of(batch) >= open / 2).await?;
        let per_second = rate(usize::try_from(done_of(&half) - done_of(&first))?, first_at);
        Ok::<_, anyhow::Error>((half, per_second))
    };
    let ((half, per_second), during) =
        tokio::try_join!(to_half, asked.claims_in_spells(&path, allowed, (claims, open / 2)))?;
    server.kill().await?;
    let killed_at = Instant::now();
    let server = Server::start(&binary, folder.path(), &variables).await?;
    asked = client(&server);
    // Of few letters all may have been done before.
    let goes_on = |batch: &Value| done_of(batch) > done_of(&half) || !batch["finishedAt"].is_null();
    asked.wait(&path, allowed, goes_on).await?;
    let taken_over_in = killed_at.elapsed();
    let ended = asked.wait(&path, allowed, |batch| !batch["finishedAt"].is_null()).await?;
    let took = begun_at.elapsed();
    ensure!(ended["status"] == "completed", "the operation ended as {ended}");

    let done = number(&pool, "SELECT count(*) FROM batch_item WHERE outcome = 'done'").await?;
    let requeued = number(&pool, "SELECT count(*) FROM dead_letter WHERE status = 'requeued'").await?;
    let twice = "SELECT count(*) FROM (SELECT job_id FROM dead_letter WHERE status = 'requeued' GROUP BY job_id \
        HAVING count(*) > 1) t";
    ensure!(number(&pool, twice).await? == 0, "a job came back twice");
    ensure!((done, requeued) == (open, open), "{done} entries and {requeued} requeued of {open}");
    report.facts.push(("dead letters".to_owned(), open.to_string()));
    report.facts.push(("done before the kill".to_owned(), done_of(&half).to_string()));
    for (what, time) in
        [("listed within", listed_in), ("taken over within", taken_over_in), ("all of it within", took)]
    {
        report.facts.push((what.to_owned(), format!("{:.1} s", time.as_secs_f64())));
    }
    add_figures(&mut report, per_second, [&before, &during]);
    server.kill().await?;
    pool.close().await;
    node.end().await?;
    Ok(report)
}

/// The rate, and what claims took before the operation and during it.
fn add_figures(report: &mut Report, per_second: f64, claims: [&Vec<f64>; 2]) {
    report
        .add("requeued, of what was asked for", "a second", &[f64::from(RATE)], &[per_second])
        .aim(Target::RatioMin(0.95));
    for (percent, unit) in [(50.0, "ms p50"), (99.0, "ms p99")] {
        let [before, during] = claims.map(|claims| vec![percentile(claims, percent)]);
        let what = "from enqueue to the answer of a poll meanwhile";
        report.add(what, unit, &before, &during).aim(Target::RatioMax(1.3));
    }
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

    /// Single jobs, so many in each of some spells, which are spread until so many of the operation are done.
    async fn claims_in_spells(
        &self,
        path: &str,
        within: Duration,
        (count, done): (u64, u64),
    ) -> Result<Vec<f64>> {
        let mut took = Vec::new();
        for spell in 1..=SPELLS {
            let begins_at = done * spell / (SPELLS + 1);
            self.wait(path, within, |batch| done_of(batch) >= begins_at).await?;
            took.extend(self.claims(count).await?);
        }
        Ok(took)
    }

    /// Single jobs that are enqueued and polled at a rate: how long each takes, in milliseconds.
    async fn claims(&self, count: u64) -> Result<Vec<f64>> {
        let mut connection = Connection::open(self.address, &self.key).await?;
        let job = json!({"jobType": "quick", "data": {}}).to_string();
        let poll = json!({"workerId": "w", "jobTypes": ["quick"], "maxJobs": 1, "wait": "5s"}).to_string();
        let mut took = Vec::new();
        let mut turns = interval(CLAIM_EVERY);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for _ in 0..count {
            turns.tick().await;
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

/// How many of an operation are done.
fn done_of(batch: &Value) -> u64 {
    batch["done"].as_u64().unwrap_or_default()
}

async fn number(pool: &PgPool, query: &'static str) -> Result<u64> {
    Ok(u64::try_from(sqlx::query(query).fetch_one(pool).await?.try_get::<i64, _>(0)?)?)
}
