//! All systems in one table, and what is drawn of them.

use std::fmt::Write as _;

use crate::report::{Comparison, number};
use crate::scenarios::peers::system::{Figure, Role, System};

/// The table.
pub(super) fn markdown(systems: &[System]) -> String {
    let mut text = String::from(
        "## All systems\n\n\
         | system | settings | enqueue/s | drain/s | drain ÷ raw SQL | start p50 ms | p99 ms | WAL bytes/job | \
         commits/job | dead rows |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let reference = systems.iter().find(|system| system.role == Role::Reference);
    let raw = reference.and_then(|system| system.median(|run| run.drain));
    for system in systems {
        let cell = |figure: Figure| system.median(figure).map_or("–".to_owned(), number);
        let drained = system.median(|run| run.drain);
        let ratio = drained.zip(raw).map_or("–".to_owned(), |(ours, raw)| format!("{:.3}", ours / raw));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {ratio} | {} | {} | {} | {} | {} |",
            system.title(),
            if system.role == Role::Reference { "" } else { system.mode.as_str() },
            cell(|run| run.enqueue),
            cell(|run| run.drain),
            cell(|run| run.p50_ms),
            cell(|run| run.p99_ms),
            cell(|run| run.wal_bytes),
            cell(|run| run.commits),
            cell(|run| run.dead_tuples),
        );
    }
    text.push_str(
        "\ngraphile-worker, and procrastinate with its fast settings, delete jobs that are done; the others keep them. \
         Redis may lose its last second in a crash; on PostgreSQL every commit is on disk.",
    );
    text
}

/// The charts.
pub(super) fn comparisons(systems: &[System]) -> Vec<Comparison> {
    let charts: [(&str, &str, Figure); 3] = [
        ("drain", "Drain, jobs a second (more is better)", |run| run.drain),
        ("enqueue", "Bulk enqueue, jobs a second (more is better)", |run| run.enqueue),
        ("start", "From enqueue to start at 50 jobs a second, p50, ms (less is better)", |run| run.p50_ms),
    ];
    let charts = charts.map(|(name, title, figure)| {
        let bar = |system: &System| Some((label(system), system.median(figure)?));
        let mut bars: Vec<(String, f64)> = systems.iter().filter_map(bar).collect();
        bars.sort_by(|left, right| right.1.total_cmp(&left.1));
        Comparison { name: name.to_owned(), title: title.to_owned(), bars }
    });
    charts.into_iter().filter(|chart| !chart.bars.is_empty()).collect()
}

fn label(system: &System) -> String {
    match system.role {
        Role::Reference => system.title(),
        Role::Ours | Role::Peer => format!("{} ({})", system.title(), system.mode.as_str()),
    }
}
