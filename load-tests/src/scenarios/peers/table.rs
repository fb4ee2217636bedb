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

/// Workflows of a few steps, where any system ran them.
pub(super) fn steps(systems: &[System]) -> Option<String> {
    let ran = |system: &&System| system.runs.iter().any(|run| !run.steps.is_empty());
    let mut rows = systems.iter().filter(ran).peekable();
    rows.peek()?;
    let mut text = String::from(
        "## Workflows of a few steps\n\nFrom the call that starts one to the answer that it has completed, p50 / p99 \
         in ms.\n\n\
         | system | settings | one at a time: 1 step | 3 steps | 9 steps | 64 in flight, 3 steps | executions/s |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for system in rows {
        let cell = |figure: Figure| system.median(figure).map_or("–".to_owned(), number);
        let cells: [[Figure; 2]; 4] = [
            [|run| run.steps(1, 1)?.p50_ms, |run| run.steps(1, 1)?.p99_ms],
            [|run| run.steps(3, 1)?.p50_ms, |run| run.steps(3, 1)?.p99_ms],
            [|run| run.steps(9, 1)?.p50_ms, |run| run.steps(9, 1)?.p99_ms],
            [|run| run.steps(3, 64)?.p50_ms, |run| run.steps(3, 64)?.p99_ms],
        ];
        let _ = write!(text, "| {} | {} |", system.title(), system.mode.as_str());
        for [p50, p99] in cells {
            let _ = write!(text, " {} / {} |", cell(p50), cell(p99));
        }
        let _ = writeln!(text, " {} |", cell(|run| run.steps(3, 64).map(|run| run.per_second)));
    }
    Some(text)
}

/// The charts.
pub(super) fn comparisons(systems: &[System]) -> Vec<Comparison> {
    let charts: [(&str, &str, Figure); 4] = [
        ("drain", "Drain, jobs a second (more is better)", |run| run.drain),
        ("enqueue", "Bulk enqueue, jobs a second (more is better)", |run| run.enqueue),
        ("start", "From enqueue to start at 50 jobs a second, p50, ms (less is better)", |run| run.p50_ms),
        ("steps", "Workflows of three steps, one at a time, p50, ms (less is better)", |run| {
            run.steps(3, 1)?.p50_ms
        }),
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
        Role::Ours | Role::OursOverRest | Role::Peer => {
            format!("{} ({})", system.title(), system.mode.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::steps;
    use crate::peers::{Figures, Mode};
    use crate::scenarios::peers::system::{Role, System};

    #[test]
    fn workflows_have_a_row_for_each_engine_that_ran_them() {
        let queue = System::new("River", Role::Peer, Mode::Fast);
        assert_eq!(steps(std::slice::from_ref(&queue)), None);
        let mut engine = System::new("Temporal", Role::Peer, Mode::Fast);
        for p50 in ["3.0", "5.0", "4.0"] {
            let lines = [
                format!(
                    r#"{{"version":"1","scenario":"steps","perSecond":9.0,"steps":3,"inFlight":1,"p50Ms":{p50},"p99Ms":6.5}}"#
                ),
                r#"{"version":"1","scenario":"steps","perSecond":23.0,"steps":3,"inFlight":64}"#.to_owned(),
            ];
            engine.runs.push(Figures::parse(&lines.join("\n")).expect("figures"));
        }
        let text = steps(&[queue, engine]).expect("a table");
        let row = "| Temporal 1 | fast | – / – | 4.00 / 6.50 | – / – | – / – | 23.00 |";
        assert!(text.ends_with(&format!("{row}\n")) && !text.contains("River"), "{text}");
    }
}
