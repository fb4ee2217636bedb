//! What a job writes to the log of PostgreSQL from its insert until it is pruned, by kind of record and table.
//!
//! It counts and times nothing, so that a busy machine and a build without optimisation give the same figures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, ensure};
use domain::names::WorkerId;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use store::jobs::{ClaimedJob, LeaseExtension};
use store::operations::Retention;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::{Comparison, Report, Target};
use crate::wal::{Records, Wal, Written};

const EXPLANATION: &str = "Bytes of write-ahead log for each job on PostgreSQL, read record by record (`pg_walinspect`), \
    without images of whole pages: enqueued in batches of 500, then, a thousand jobs at a time, claimed in batches of 100 \
    under the name of a pool of a server, renewed once, and settled; then all are pruned, and the tables vacuumed. Nothing \
    is timed. Reference: the same life in raw SQL.";

const QUEUE: QueueName = QueueName::Node;
/// How many jobs are under way at once.
const CHUNK: usize = 1_000;
const BATCH: u32 = 100;

/// A part of a job's life. All but the last two are its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Enqueue,
    Claim,
    Settle,
    Prune,
    Renew,
    Vacuum,
}

const LIFE: [Phase; 4] = [Phase::Enqueue, Phase::Claim, Phase::Settle, Phase::Prune];

impl Phase {
    const fn name(self) -> &'static str {
        match self {
            Self::Enqueue => "enqueue",
            Self::Claim => "claim",
            Self::Settle => "settle",
            Self::Prune => "prune",
            Self::Renew => "heartbeat",
            Self::Vacuum => "vacuum",
        }
    }
}

/// The records of each phase.
type Life = BTreeMap<Phase, Records>;

/// Reads the log phase by phase.
struct Course {
    wal: Wal,
    life: Life,
    from: String,
}

impl Course {
    async fn begin(url: &str, tables: &[&str]) -> Result<Self> {
        let wal = Wal::open(url, tables).await?;
        let from = wal.mark().await?;
        Ok(Self { wal, life: Life::new(), from })
    }

    /// What was written since the last call belongs to this phase.
    async fn end(&mut self, phase: Phase) -> Result<()> {
        let until = self.wal.mark().await?;
        self.wal.add(self.life.entry(phase).or_default(), (&self.from, &until)).await?;
        // Reading may have cleaned pages up, which is nobody's work.
        self.from = self.wal.mark().await?;
        Ok(())
    }
}

/// Runs it.
pub(crate) async fn row(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("What a job writes", EXPLANATION);
    let count = arguments.sizes.rows;
    let raw = reference(arguments, count).await?;
    let ours = engine(arguments, count).await?;
    let jobs = count as f64;
    let bytes = |life: &Life, phases: &[Phase]| sum(life, phases, |_, written| written.bytes) / jobs;
    for phase in LIFE {
        let (raw, ours) = (bytes(&raw, &[phase]), bytes(&ours, &[phase]));
        report.add(phase.name(), "bytes/job", &[raw], &[ours]);
    }
    let (raw_bytes, our_bytes) = (bytes(&raw, &LIFE), bytes(&ours, &LIFE));
    report.add("enqueue to pruned", "bytes/job", &[raw_bytes], &[our_bytes]).aim(Target::ValueMax(750.0));
    let (raw_bytes, our_bytes) = (bytes(&raw, &[Phase::Vacuum]), bytes(&ours, &[Phase::Vacuum]));
    report.add("vacuum of what is left", "bytes/job", &[raw_bytes], &[our_bytes]);
    let dead = |life: &Life| {
        sum(life, &LIFE, |kind, written| if is_death(kind) { written.records } else { 0 }) / jobs
    };
    report.add("dead rows", "rows/job", &[dead(&raw)], &[dead(&ours)]).aim(Target::ValueMax(1.0));
    let entries = |life: &Life| {
        sum(life, &LIFE, |kind, written| if is_entry(kind) { written.records } else { 0 }) / jobs
    };
    report.add("index entries", "entries/job", &[entries(&raw)], &[entries(&ours)]);
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
            engine.extend(batch.iter().map(renew).collect()).await?;
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

fn sum(life: &Life, phases: &[Phase], value: impl Fn(&str, &Written) -> i64) -> f64 {
    let of = phases.iter().filter_map(|phase| life.get(phase)).flatten();
    of.map(|((kind, _), written)| value(kind, written)).sum::<i64>() as f64
}

/// Whether a record leaves a version of a row behind that a vacuum removes.
fn is_death(kind: &str) -> bool {
    matches!(kind, "Heap UPDATE" | "Heap HOT_UPDATE" | "Heap DELETE")
}

/// Whether a record is an entry in an index.
fn is_entry(kind: &str) -> bool {
    matches!(kind, "Btree INSERT_LEAF" | "Btree INSERT_POST" | "Btree SPLIT_L" | "Btree SPLIT_R")
}

/// Records of at least a byte for each job, the largest first.
fn largest(life: &Life, jobs: f64) -> Vec<(Phase, &(String, String), Written)> {
    let all = life
        .iter()
        .flat_map(|(&phase, records)| records.iter().map(move |(of, &written)| (phase, of, written)));
    let mut rows: Vec<_> = all.filter(|(_, _, written)| written.bytes as f64 >= jobs).collect();
    rows.sort_by_key(|(phase, _, written)| (*phase, std::cmp::Reverse(written.bytes)));
    rows
}

fn table(name: &str, life: &Life, jobs: f64) -> String {
    let mut text = format!(
        "### {name}\n\n| phase | record | table or index | records/job | bytes/job | images, bytes/job |\n\
         |---|---|---|---|---|---|"
    );
    for (phase, (kind, relation), written) in largest(life, jobs) {
        let [records, bytes, images] =
            [written.records, written.bytes, written.image_bytes].map(|value| value as f64 / jobs);
        let phase = phase.name();
        let _ = write!(text, "\n| {phase} | {kind} | {relation} | {records:.2} | {bytes:.1} | {images:.1} |");
    }
    text
}

fn bars<'a>(name: &'a str, life: &'a Life, jobs: f64) -> impl Iterator<Item = (String, f64)> + 'a {
    let bar = move |(phase, (kind, relation), written): (Phase, &(String, String), Written)| {
        (format!("{name}: {} {relation} {kind}", phase.name()), written.bytes as f64 / jobs)
    };
    largest(life, jobs).into_iter().map(bar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_summed_by_phase_and_listed_by_size() {
        let written = |records, bytes| Written { records, bytes, image_bytes: 0 };
        let of = |kind: &str, relation: &str| (kind.to_owned(), relation.to_owned());
        let mut life = Life::new();
        let claim = life.entry(Phase::Claim).or_default();
        claim.insert(of("Heap UPDATE", "job"), written(10, 2_000));
        claim.insert(of("Btree INSERT_LEAF", "job_leased"), written(10, 3_000));
        claim.insert(of("Heap LOCK", "job"), written(1, 5));
        life.entry(Phase::Renew).or_default().insert(of("Heap UPDATE", "job"), written(10, 9_000));
        assert!((sum(&life, &LIFE, |_, written| written.bytes) - 5_005.0).abs() < f64::EPSILON);
        assert!(
            (sum(&life, &LIFE, |kind, written| i64::from(is_death(kind)) * written.records) - 10.0).abs()
                < 1e-9
        );
        let text = table("x", &life, 10.0);
        let rows: Vec<&str> = text.lines().skip(4).collect();
        assert_eq!(
            rows,
            [
                "| claim | Btree INSERT_LEAF | job_leased | 1.00 | 300.0 | 0.0 |",
                "| claim | Heap UPDATE | job | 1.00 | 200.0 | 0.0 |",
                "| heartbeat | Heap UPDATE | job | 1.00 | 900.0 | 0.0 |",
            ]
        );
    }
}
