//! What a job writes to the log of PostgreSQL from its insert until it is pruned, by kind of record and table.
//!
//! It counts and times nothing, so that a busy machine and a build without optimisation give the same figures.

use anyhow::{Result, ensure};
use domain::names::WorkerId;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use store::jobs::{ClaimedJob, LeaseExtension};
use store::operations::Retention;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::life::{Course, LIFE, Life, Phase, bars, bytes, deaths, entries, is_death, sum, table};
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::{Comparison, Report, Target};

const EXPLANATION: &str = "Bytes of write-ahead log for each job on PostgreSQL, read record by record (`pg_walinspect`), \
    without images of whole pages: enqueued in batches of 500, then, a thousand jobs at a time, claimed in batches of 100 \
    under the name of a pool of a server, renewed once, and settled; then all are pruned, and the tables vacuumed. Nothing \
    is timed. Reference: the same life in raw SQL.";

const QUEUE: QueueName = QueueName::Node;
/// How many jobs are under way at once.
const CHUNK: usize = 1_000;
const BATCH: u32 = 100;

/// Runs it.
pub(crate) async fn row(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("What a job writes", EXPLANATION);
    let count = arguments.sizes.rows;
    let raw = reference(arguments, count).await?;
    let ours = engine(arguments, count).await?;
    let jobs = count as f64;
    let mut add = |what: &str, unit: &str, value: &dyn Fn(&Life) -> f64, target: Option<Target>| {
        let line = report.add(what, unit, &[value(&raw) / jobs], &[value(&ours) / jobs]);
        line.target = target;
    };
    for phase in LIFE {
        add(phase.name(), "bytes/job", &|life| bytes(life, &[phase]), None);
    }
    let of_life = |life: &Life| bytes(life, &LIFE);
    add("enqueue to pruned", "bytes/job", &of_life, Some(Target::ValueMax(750.0)));
    add("vacuum of what is left", "bytes/job", &|life| bytes(life, &[Phase::Vacuum]), None);
    add("dead rows", "rows/job", &deaths, Some(Target::ValueMax(1.0)));
    add("index entries", "entries/job", &entries, None);
    add_heartbeats(&mut report, &raw, &ours);
    for (name, life) in [("reference", &raw), ("Trunkline", &ours)] {
        report.sections.push(table(name, life, jobs));
    }
    report.comparisons.push(Comparison {
        name: "records".to_owned(),
        title: "Bytes of log a job, by record and table".to_owned(),
        bars: bars("reference", &raw, jobs).chain(bars("Trunkline", &ours, jobs)).collect(),
    });
    Ok(report)
}

/// What a heartbeat writes, and how many write to no index.
fn add_heartbeats(report: &mut Report, raw: &Life, ours: &Life) {
    let count = |life: &Life, counted: fn(&str) -> bool| {
        sum(life, &[Phase::Renew], |kind, written| if counted(kind) { written.records } else { 0 })
    };
    let bytes = |life: &Life| sum(life, &[Phase::Renew], |_, written| written.bytes) / count(life, is_death);
    let hot = |life: &Life| 100.0 * count(life, |kind| kind == "Heap HOT_UPDATE") / count(life, is_death);
    report.add("a heartbeat", "bytes", &[bytes(raw)], &[bytes(ours)]);
    let line = report.add("heartbeats without index entries", "%", &[hot(raw)], &[hot(ours)]);
    line.aim(Target::ValueMin(95.0));
}

async fn engine(arguments: &Arguments, count: usize) -> Result<Life> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let engine = &node.engine;
    let worker = WorkerId::of_pool(QUEUE, engine.entropy().uuid(engine.now()));
    let tables = ["job", "job_done"];
    let mut course = Course::begin(node.url(), &tables).await?;
    jobs::enqueue(engine, count).await?;
    course.end(Phase::Enqueue).await?;
    let mut done = 0;
    while done < count {
        let mut held = Vec::new();
        for _ in 0..CHUNK / BATCH as usize {
            held.push(jobs::claim_as(engine, QUEUE, BATCH, worker.clone()).await?);
        }
        course.end(Phase::Claim).await?;
        for batch in &held {
            let renew =
                |job: &ClaimedJob| LeaseExtension { lease: job.lease(), extend: None, progress: None };
            engine.extend(&batch.iter().map(renew).collect::<Vec<_>>()).await?;
        }
        course.end(Phase::Renew).await?;
        let before = done;
        for batch in held {
            done += batch.len();
            jobs::settle(engine, batch).await?;
        }
        ensure!(done > before, "{} jobs were not claimed", count - done);
        course.end(Phase::Settle).await?;
    }
    let retention = only_finished_jobs(engine.now());
    let mut gone = 0;
    while gone < count as u64 {
        let removed = engine.store().prune(&retention, engine.policy().upkeep_batch).await?;
        ensure!(removed > 0, "{} jobs were not pruned", count as u64 - gone);
        gone += removed;
    }
    course.end(Phase::Prune).await?;
    course.wal.vacuum(&tables).await?;
    course.end(Phase::Vacuum).await?;
    let Course { wal, life, .. } = course;
    wal.close().await;
    node.end().await?;
    Ok(life)
}

/// A retention under which jobs that ended a moment ago are not kept, and everything else is.
pub(super) fn only_finished_jobs(now: Timestamp) -> Retention {
    let kept = Timestamp(0);
    Retention {
        completed_before: now.plus(DurationMs::from_secs(1)),
        failed_before: kept,
        cancelled_before: kept,
        archive_before: kept,
        executions_before: kept,
        schedule_runs_before: kept,
        idempotency_before: kept,
        deliveries_before: kept,
        audit_before: kept,
        logs_before: kept,
        workers_before: kept,
        now,
        subjects: Vec::new(),
    }
}

async fn reference(arguments: &Arguments, count: usize) -> Result<Life> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let tables = ["ref_job", "ref_history"];
    let mut course = Course::begin(reference.url(), &tables).await?;
    reference.enqueue(count).await?;
    course.end(Phase::Enqueue).await?;
    let mut done = 0;
    while done < count {
        let mut held = Vec::new();
        for _ in 0..CHUNK / BATCH as usize {
            held.push(reference.claim(i64::from(BATCH)).await?);
        }
        course.end(Phase::Claim).await?;
        for ids in &held {
            reference.renew(ids).await?;
        }
        course.end(Phase::Renew).await?;
        let before = done;
        for ids in held {
            reference.complete(&ids).await?;
            done += ids.len();
        }
        ensure!(done > before, "the reference lost jobs");
        course.end(Phase::Settle).await?;
    }
    while reference.prune(CHUNK as i64).await? > 0 {}
    course.end(Phase::Prune).await?;
    course.wal.vacuum(&tables).await?;
    course.end(Phase::Vacuum).await?;
    let Course { wal, life, .. } = course;
    wal.close().await;
    reference.end().await?;
    Ok(life)
}
