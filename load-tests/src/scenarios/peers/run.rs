//! Runs everything in turns and reports it.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use crate::arguments::Arguments;
use crate::peers::{self, Figures, Mode, Peer};
use crate::report::{Report, Target};
use crate::scenarios::peers::ours;
use crate::scenarios::peers::system::{Figure, Role, System};
use crate::scenarios::peers::table;

const EXPLANATION: &str = "Other queues on the same machine, the same PostgreSQL (BullMQ: a Redis that writes its log \
    every second), the same number of jobs and the same payload, handlers that do nothing, one process each, in turns \
    with Trunkline and with raw SQL. Bulk enqueue, a vacuum, then a drain of the full queue until the store shows \
    nothing unfinished, or for 20 s; on another database 50 jobs a second, enqueued one by one, from the call to the \
    start of the handler. *fast*: what its documentation recommends for speed. *defaults*: what it does when nothing is \
    said. Trunkline has its defaults in both comparisons: the 1,000 slots of its node pool. Write-ahead log, commits and dead rows are those of enqueue and \
    drain together; those of a drain that was cut off are left out. Engines of workflows, and Trunkline as they are used, by \
    its SDK for Go over REST, also run workflows whose steps return their input: from the call that starts one to the \
    answer that it has completed. Engines of others get a twentieth of the jobs.";

/// Runs it.
pub(crate) async fn peers(arguments: &Arguments) -> Result<Report> {
    let list = arguments
        .peers
        .as_ref()
        .context("no list of peers: run load-tests/peers/install.sh, then --peers")?;
    let list = peers::read(list)?;
    let mut systems = vec![System::new("raw SQL", Role::Reference, Mode::Fast)];
    systems.push(System::new("Trunkline", Role::Ours, Mode::Defaults));
    for mode in [Mode::Fast, Mode::Defaults] {
        let there = list.iter().filter(|peer| peer.command.is_ok());
        systems.extend(there.map(|peer| System::of(peer, mode)));
    }
    let mut faults: Vec<String> = list.iter().filter_map(skipped).collect();
    for _ in 0..arguments.sizes.peer_rounds {
        for system in &mut systems {
            eprintln!("   {} ({})", system.name, system.mode.as_str());
            match one(arguments, &list, system).await {
                Ok(figures) => system.runs.push(figures),
                Err(error) => {
                    eprintln!("   failed: {error:#}");
                    faults.push(format!("{} ({}) failed: {error:#}", system.name, system.mode.as_str()));
                }
            }
        }
    }
    let mut report = Report::new("Beside other queues", EXPLANATION);
    compare(&mut report, &systems);
    report.sections.push(table::markdown(&systems));
    report.sections.extend(table::steps(&systems));
    if !faults.is_empty() {
        let mut text = "Left out, or without figures in some run:\n".to_owned();
        for fault in faults {
            let _ = write!(text, "\n- {}", fault.replace('\n', " "));
        }
        report.sections.push(text);
    }
    report.comparisons = table::comparisons(&systems);
    Ok(report)
}

fn skipped(peer: &Peer) -> Option<String> {
    peer.command.as_ref().err().map(|reason| format!("{} was skipped: {reason}", peer.name))
}

async fn one(arguments: &Arguments, list: &[Peer], system: &System) -> Result<Figures> {
    match system.role {
        Role::Reference => ours::raw(arguments).await,
        Role::Ours => ours::trunkline(arguments).await,
        Role::Peer | Role::OursOverRest => {
            let peer = list.iter().find(|peer| peer.name == system.name).context("it is not in the list")?;
            let command = peer.command.as_ref().map_err(|reason| anyhow::anyhow!("{reason}"))?;
            let mut figures = peers::bulk(arguments, command, system.mode).await?;
            let latency = peers::latency(arguments, command, system.mode).await?;
            (figures.p50_ms, figures.p99_ms) = (latency.p50_ms, latency.p99_ms);
            if peer.runs_steps {
                figures.steps = peers::steps(arguments, command, system.mode).await?.steps;
            }
            Ok(figures)
        }
    }
}

/// Trunkline beside the best of the others, by figure.
fn compare(report: &mut Report, systems: &[System]) {
    let Some(ours) = systems.iter().find(|system| system.role == Role::Ours) else { return };
    for (mode, ratio) in [(Mode::Fast, 1.2), (Mode::Defaults, 10.0)] {
        let is_rival = |other: &&System| other.role == Role::Peer && other.mode == mode;
        let what = format!("drain, the fastest peer at {}", mode.as_str());
        let (rivals, drain): (_, Figure) = (systems.iter().filter(is_rival), |run| run.drain);
        line(report, (&what, "jobs/s"), (ours, rivals.collect(), drain), Best::Largest(ratio));
    }
    let on_postgres = || systems.iter().filter(|other| other.is_postgres_peer()).collect();
    line(
        report,
        ("enqueue to start, p50, the quickest PostgreSQL peer", "ms"),
        (ours, on_postgres(), |run| run.p50_ms),
        Best::Smallest,
    );
    let with_history = || systems.iter().filter(|other| other.keeps_history()).collect();
    let costs: [(&str, &str, Figure); 3] = [
        ("write-ahead log, the least of peers with history", "bytes/job", |run| run.wal_bytes),
        ("commits, the least of peers with history", "commits/job", |run| run.commits),
        ("dead rows, the least of peers with history", "rows", |run| run.dead_tuples),
    ];
    for (what, unit, figure) in costs {
        line(report, (what, unit), (ours, with_history(), figure), Best::Smallest);
    }
    compare_steps(report, systems);
}

/// Trunkline over REST beside the best of the engines that run workflows.
fn compare_steps(report: &mut Report, systems: &[System]) {
    let is_ours = |system: &&System| system.role == Role::OursOverRest && system.mode == Mode::Fast;
    let Some(ours) = systems.iter().find(is_ours) else { return };
    let engines = || systems.iter().filter(|other| other.role == Role::Peer).collect();
    let single: [(&str, Figure); 3] = [
        ("one step", |run| run.steps(1, 1)?.p50_ms),
        ("three steps", |run| run.steps(3, 1)?.p50_ms),
        ("nine steps", |run| run.steps(9, 1)?.p50_ms),
    ];
    for (what, figure) in single {
        let what = format!("{what}, one at a time, p50, the quickest engine");
        line(report, (&what, "ms"), (ours, engines(), figure), Best::Smallest);
    }
    let what = "three steps, 64 in flight, the fastest engine";
    let rate: Figure = |run| run.steps(3, 64).map(|run| run.per_second);
    line(report, (what, "executions/s"), (ours, engines(), rate), Best::Largest(1.0));
}

/// Which of several rivals counts, and what is aimed at.
#[derive(Clone, Copy)]
enum Best {
    /// At least so many times the largest.
    Largest(f64),
    /// Below the smallest.
    Smallest,
}

fn line(
    report: &mut Report,
    (what, unit): (&str, &str),
    (ours, rivals, figure): (&System, Vec<&System>, Figure),
    best: Best,
) {
    let mut rivals: Vec<(&System, f64)> =
        rivals.into_iter().filter_map(|rival| Some((rival, rival.median(figure)?))).collect();
    rivals.sort_by(|left, right| left.1.total_cmp(&right.1));
    let found = match best {
        Best::Largest(_) => rivals.last(),
        Best::Smallest => rivals.first(),
    };
    let (Some((rival, _)), false) = (found, ours.values(figure).is_empty()) else { return };
    let what = format!("{what} ({} {})", rival.name, rival.mode.as_str());
    let target = match best {
        Best::Largest(ratio) => Target::RatioMin(ratio),
        Best::Smallest => Target::RatioMax(1.0),
    };
    report.add(what, unit, &rival.values(figure), &ours.values(figure)).aim(target);
}
