//! Work that an application commits in SQL: from its commit until a claim can take it.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::process::Command;

use crate::arguments::Arguments;
use crate::database::{Database, Kind};
use crate::jobs::payload;
use crate::measure::{ms, percentile};
use crate::report::{Report, Target};
use crate::scenarios::latency::PERCENTS;
use crate::server::Server;

const EXPLANATION: &str = "`SELECT trunkline.enqueue(…)` in a transaction of an application, 50 a second, on the PostgreSQL of the server's \
    binary: from the answer of the commit until the job is a row that a claim can take, seen by a connection that looks for it without a \
    pause. The commit notifies the server, which takes the row of the intake and makes the job. Application, watcher, server and database \
    share the machine. There is nothing to compare with; the reference column holds the target of the median. Smaller is better.";

const KEY: &str = "tl_load_tests_0123456789abcdef0123456789abcdef";

/// A role that may call the functions and nothing else.
const ROLE: &str = "trunkline_load_shop";

const EVERY: Duration = Duration::from_millis(20);

/// So many calls at the beginning plan their statements, and do not count.
const FIRSTS: u64 = 50;

/// The most that the median may be.
const CLAIMABLE_MS: f64 = 10.0;

/// How long one may take.
const LATE: Duration = Duration::from_secs(10);

/// Runs it.
pub(crate) async fn sql_enqueue(arguments: &Arguments) -> Result<Report> {
    let binary = Server::binary(arguments)?;
    let mut report = Report::new("Enqueue in SQL", EXPLANATION);
    let mut runs = Vec::new();
    for _ in 0..arguments.sizes.rounds {
        runs.push(one(&binary, &arguments.postgres_url, arguments.sizes.seconds * 50).await?);
    }
    for percent in PERCENTS {
        let each: Vec<f64> = runs.iter().map(|run| percentile(run, percent)).collect();
        let line = report.add(format!("commit to claimable, p{percent}"), "ms", &[CLAIMABLE_MS], &each);
        if percent < 60.0 {
            line.aim(Target::ValueMax(CLAIMABLE_MS));
        }
    }
    Ok(report)
}

/// Milliseconds of so many calls.
async fn one(binary: &Path, postgres: &str, count: u64) -> Result<Vec<f64>> {
    let database = Database::create(Kind::Postgres, postgres).await?;
    let folder = tempfile::tempdir()?;
    let variables = [("DATABASE_URL", database.url.as_str()), ("TRUNKLINE_BOOTSTRAP_KEY", KEY)];
    let server = Server::start(binary, folder.path(), &variables).await?;
    install(binary, &database.url).await?;
    let mut shop = PgConnection::connect(&database.url).await?;
    shop.execute(AssertSqlSafe(format!("SET ROLE {ROLE}"))).await?;
    let mut watcher = PgConnection::connect(&database.url).await?;
    let (mut milliseconds, mut ticks) = (Vec::new(), tokio::time::interval(EVERY));
    for number in 0..FIRSTS + count {
        ticks.tick().await;
        let took = commit(&mut shop, &mut watcher, number as usize).await?;
        if number >= FIRSTS {
            milliseconds.push(ms(took));
        }
    }
    shop.close().await?;
    watcher.close().await?;
    server.kill().await?;
    database.remove().await?;
    Ok(milliseconds)
}

/// Creates the functions, as an operator does.
async fn install(binary: &Path, url: &str) -> Result<()> {
    let output = Command::new(binary)
        .args(["sql", "install", "--database-url", url, "--role", ROLE, "--tenant", "acme"])
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .await?;
    ensure!(
        output.status.success(),
        "the functions are not installed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// Commits a call, and waits until its job is there.
async fn commit(shop: &mut PgConnection, watcher: &mut PgConnection, number: usize) -> Result<Duration> {
    let mut transaction = shop.begin().await?;
    let id: String = sqlx::query_scalar("SELECT trunkline.enqueue('noop', $1::jsonb)")
        .bind(payload(number))
        .fetch_one(&mut *transaction)
        .await?;
    transaction.commit().await?;
    let committed_at = Instant::now();
    let id = id.strip_prefix("job_").context("the call answered no id of a job")?;
    loop {
        let is_there: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM job WHERE id = $1::uuid)")
            .bind(id)
            .fetch_one(&mut *watcher)
            .await?;
        if is_there {
            return Ok(committed_at.elapsed());
        }
        ensure!(committed_at.elapsed() < LATE, "job {number} is not there");
    }
}
