//! A minute in which everything is due.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use domain::workflow::parse::Format;
use engine::{Caller, Engine};
use serde_json::json;
use sqlx::postgres::PgPool;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::http::{Served, post_for};
use crate::jobs::payload;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::{Report, Target};

const EXPLANATION: &str = "Schedules that are all due in the same minute, on PostgreSQL: how long one check takes until \
    every slot is recorded and its execution enqueued, and how single `POST /v1/jobs` requests fare meanwhile (two \
    connections without a pause). Reference: raw SQL that only inserts as many jobs, and the same requests without a \
    check. Smaller is better.";

const CONNECTIONS: usize = 2;
const SLICE: Duration = Duration::from_secs(1);

/// Runs it.
pub(crate) async fn schedules(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Schedules due in one minute", EXPLANATION);
    let count = arguments.sizes.schedules;
    let (mut raw, mut ours) = (Vec::new(), Vec::new());
    let (mut quiet, mut busy) = (Vec::new(), Vec::new());
    for _ in 0..arguments.sizes.rounds {
        let reference = PostgresReference::start(&arguments.postgres_url).await?;
        let started_at = Instant::now();
        reference.enqueue(count).await?;
        raw.push(started_at.elapsed().as_secs_f64());
        reference.end().await?;
        let minute = one_minute(arguments).await?;
        ours.push(minute.check_secs);
        quiet.push(minute.quiet_p99_ms);
        busy.push(minute.busy_p99_ms);
    }
    report.add(format!("{count} schedules enqueued"), "s", &raw, &ours).aim(Target::ValueMax(6.0));
    report.add("requests meanwhile".to_owned(), "ms p99", &quiet, &busy).aim(Target::ValueMax(50.0));
    Ok(report)
}

struct Minute {
    check_secs: f64,
    quiet_p99_ms: f64,
    busy_p99_ms: f64,
}

async fn one_minute(arguments: &Arguments) -> Result<Minute> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    register(&node.engine).await?;
    let setup = node.postgres(1).await?;
    fill(&setup, &node.engine, arguments.sizes.schedules).await?;

    let (served, key) = Served::api(&node.engine).await?;
    let body = format!(r#"{{"jobType":"noop","data":{}}}"#, payload(1));
    let probe = async || post_for(served.address, CONNECTIONS, (&body, &key), SLICE).await;
    probe().await?;
    let quiet_p99_ms = probe().await?.p99_ms;

    let engine = node.engine.clone();
    let started_at = Instant::now();
    let check =
        tokio::spawn(async move { engine.check_schedules().await.map(|done| (done, started_at.elapsed())) });
    let mut busy_p99_ms: f64 = 0.0;
    while !check.is_finished() {
        busy_p99_ms = busy_p99_ms.max(probe().await?.p99_ms);
    }
    let (checked, elapsed) = check.await??;
    ensure!(
        checked.executions == arguments.sizes.schedules,
        "{} executions of {}",
        checked.executions,
        arguments.sizes.schedules
    );
    served.end().await?;
    setup.close().await;
    node.end().await?;
    Ok(Minute { check_secs: elapsed.as_secs_f64(), quiet_p99_ms, busy_p99_ms })
}

async fn register(engine: &Engine) -> Result<()> {
    let nightly = json!({
        "name": "nightly", "version": 1,
        "nodes": [{ "id": "a", "type": "TRANSFORM", "output": { "n": 1 } }]
    });
    engine.register_workflow(&Caller::system(), nightly.to_string().as_bytes(), Format::Json).await?;
    Ok(())
}

/// Schedules of 100 tenants that fire once a year, in the minute that has just begun.
async fn fill(pool: &PgPool, engine: &Engine, count: usize) -> Result<()> {
    let now = engine.now();
    let minute_ms = now.0 - now.0.rem_euclid(60_000);
    let at = domain::time::Timestamp(minute_ms).to_string();
    let number = |range: std::ops::Range<usize>| at[range].parse::<u32>();
    let cron = format!("{} {} {} {} *", number(14..16)?, number(11..13)?, number(8..10)?, number(5..7)?);
    sqlx::query(
        "INSERT INTO schedule (id, tenant, name, workflow_owner, workflow, cron, timezone, input, tier, misfire,
           catch_up_window_ms, catch_up_max, overlap, jitter_ms, is_paused, version, cursor_at, next_run_at,
           tzdb_version, created_at, updated_at)
         SELECT gen_random_uuid(), 't' || n % 100, 's' || n, '', 'nightly', $2, 'UTC', '{}', 1, 'latest',
           86400000, 100, 'allow', 0, 0, 1, $3 - 60000, $3, $4, $3, $3
         FROM generate_series(1, $1) n",
    )
    .bind(count as i64)
    .bind(cron)
    .bind(minute_ms)
    .bind(domain::schedule::tzdb_version())
    .execute(pool)
    .await?;
    Ok(())
}
