//! Layouts of the row side by side: what each logs, leaves behind and drains.

use std::fmt::Write as _;

use anyhow::Result;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::layouts::{ALL, Layout, Logged, ON_SQLITE, Speed, logged, speed, sqlite_speed};
use crate::life::{LIFE, Phase, bytes, deaths, entries, table};
use crate::measure::percentile;
use crate::reference::SqliteReference;
use crate::report::{Comparison, Report, number};

const EXPLANATION: &str = "Layouts of the row in raw SQL on PostgreSQL, ten lanes, from enqueue to pruned. Log: bytes for each \
    job, record by record without images of whole pages, enqueued in batches of 500, claimed in batches of 100, settled in \
    the batches of the claims and, in another run, one at a time. Drains: two claimers, everything enqueued and vacuumed \
    before, in turns with the reference. All but the lean reference claim one at a time under the expected epoch of the \
    queue, with floors and tokens, as the engine does; none has limits, keys, retries or results. On SQLite one lane and one \
    connection; the reference is that of `drain`.";

/// Batches of the drains.
const BATCHES: [usize; 2] = [100, 500];

/// What was measured of one layout.
struct Measured {
    layout: &'static Layout,
    logged: Logged,
    /// By batch, round by round.
    speeds: [Vec<Speed>; 2],
}

/// Runs them.
pub(crate) async fn layouts(arguments: &Arguments) -> Result<Report> {
    let (server, sizes) = (&arguments.postgres_url, &arguments.sizes);
    let mut all = Vec::new();
    for layout in ALL {
        eprintln!("   {}: reading its log", layout.name);
        let logged = logged(layout, server, sizes.rows).await?;
        all.push(Measured { layout, logged, speeds: Default::default() });
    }
    for round in 1..=sizes.rounds {
        eprintln!("   drains: round {round} of {}", sizes.rounds);
        for (place, batch) in BATCHES.into_iter().enumerate() {
            for measured in &mut all {
                measured.speeds[place].push(speed(measured.layout, server, sizes.jobs, batch).await?);
            }
        }
    }
    let mut report = report(&all);
    add_sqlite(arguments, &mut report).await?;
    Ok(report)
}

/// Layouts on SQLite beside the raw SQL of `drain`, in turns.
async fn add_sqlite(arguments: &Arguments, report: &mut Report) -> Result<()> {
    let (server, count) = (&arguments.postgres_url, arguments.sizes.jobs);
    for batch in BATCHES {
        let mut reference: [Vec<f64>; 2] = Default::default();
        let mut runs: Vec<[Vec<f64>; 2]> = ON_SQLITE.iter().map(|_| Default::default()).collect();
        for _ in 0..arguments.sizes.rounds {
            let raw = SqliteReference::start(server).await?;
            reference[0].push(raw.enqueue(count).await?);
            reference[1].push(raw.drain(count, batch as i64).await?);
            raw.end().await?;
            for (layout, [enqueues, drains]) in ON_SQLITE.iter().zip(&mut runs) {
                let Speed { enqueue, drain } = sqlite_speed(layout, server, count, batch).await?;
                enqueues.push(enqueue);
                drains.push(drain);
            }
        }
        for (layout, [enqueues, drains]) in ON_SQLITE.iter().zip(&runs) {
            let name = format!("{}, {}", Kind::Sqlite.name(), layout.name);
            report.add(format!("{name}: drain, batch {batch}"), "jobs/s", &reference[1], drains);
            if batch == BATCHES[0] {
                report.add(format!("{name}: bulk enqueue"), "jobs/s", &reference[0], enqueues);
            }
        }
    }
    Ok(())
}

fn report(all: &[Measured]) -> Report {
    let mut report = Report::new("Layouts of the row", EXPLANATION);
    let Some((lean, others)) = all.split_first() else {
        return report;
    };
    for measured in others {
        let mut add = |what: &str, unit: &str, values: &dyn Fn(&Measured) -> Vec<f64>| {
            let what = format!("{}: {what}", measured.layout.name);
            report.add(what, unit, &values(lean), &values(measured));
        };
        add("enqueue to pruned", "bytes/job", &|of| vec![of.by_batch(&LIFE)]);
        add("drain, batch 100", "jobs/s", &|of| of.drains(0));
        add("drain, batch 500", "jobs/s", &|of| of.drains(1));
        add("bulk enqueue", "jobs/s", &Measured::enqueues);
    }
    report.sections.push(side_by_side(lean, all));
    for measured in all {
        let Measured { layout, logged, .. } = measured;
        report.sections.push(format!("**{}**: {}.", layout.name, layout.about));
        report.sections.push(table(layout.name, &logged.by_batch, logged.jobs));
    }
    report.comparisons.push(Comparison {
        name: "log".to_owned(),
        title: "Bytes of log a job, from enqueue to pruned".to_owned(),
        bars: all.iter().map(|of| (of.layout.name.to_owned(), of.by_batch(&LIFE))).collect(),
    });
    report
}

/// All layouts in one table.
fn side_by_side(lean: &Measured, all: &[Measured]) -> String {
    let mut text = String::from(
        "### Side by side\n\nBytes of log, dead rows and index entries a job; speeds as ratios to the lean reference.\n\n\
         | layout | enqueue | claim | settle | prune | sum | settled one at a time | vacuum | dead rows | index entries \
         | drain 100 | drain 500 | enqueue |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    );
    for of in all {
        let _ = write!(text, "\n| {} |", of.layout.name);
        for phase in LIFE {
            let _ = write!(text, " {} |", number(of.by_batch(&[phase])));
        }
        let singles = bytes(&of.logged.one_by_one, &LIFE) / of.logged.single_jobs;
        let [vacuum, dead, entries] =
            [of.by_batch(&[Phase::Vacuum]), deaths(&of.logged.by_batch), entries(&of.logged.by_batch)];
        let [dead, entries] = [dead, entries].map(|count| count / of.logged.jobs);
        let _ = write!(text, " **{}** | {} |", number(of.by_batch(&LIFE)), number(singles));
        let _ = write!(text, " {} | {dead:.2} | {entries:.2} |", number(vacuum));
        let ratio =
            |ours: Vec<f64>, reference: Vec<f64>| percentile(&ours, 50.0) / percentile(&reference, 50.0);
        for place in 0..BATCHES.len() {
            let _ = write!(text, " {:.2} |", ratio(of.drains(place), lean.drains(place)));
        }
        let _ = write!(text, " {:.2} |", ratio(of.enqueues(), lean.enqueues()));
    }
    text
}

impl Measured {
    /// Bytes a job in these phases, settled in the batches of the claims.
    fn by_batch(&self, phases: &[Phase]) -> f64 {
        bytes(&self.logged.by_batch, phases) / self.logged.jobs
    }

    fn drains(&self, place: usize) -> Vec<f64> {
        self.speeds[place].iter().map(|speed| speed.drain).collect()
    }

    fn enqueues(&self) -> Vec<f64> {
        self.speeds.iter().flatten().map(|speed| speed.enqueue).collect()
    }
}
