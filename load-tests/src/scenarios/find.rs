//! Lists of a store that has been at work for long.

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Context as _, Result};
use domain::attribute::Searchable;
use domain::queue::QueueName;
use domain::search::{Search, SearchList};
use engine::{Caller, Engine, EngineError, ListRequest};
use store::attributes::AttributeStore as _;
use store::dead_letters::DeadLetterFilter;
use store::page::Place;
use store::search::{NAMED_PAIRS, SearchPage};

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::measure::{ms, percentile};
use crate::node::Node;
use crate::report::{Report, Target, number};
use crate::seed::{Scale, run, seed};

const EXPLANATION: &str = "The thirty named pairs of list and filter on a store of finished jobs, executions and dead \
    letters of a month, through the engine, pages of 50 from the first on, before and after ANALYZE; the first page of \
    each with its count; and what the console asks for beside lists. There is nothing to compare with; the reference \
    column holds the target of each call.";

/// What a page may take.
const TARGET_MS: f64 = 300.0;

/// How many pages follow on one another.
const PAGES: usize = 4;

/// How long a pair took.
struct Measured {
    name: &'static str,
    p50: f64,
    p99: f64,
    /// How many objects the first page had, and whether it was short because what was looked at is bounded.
    first: (usize, bool),
}

/// Runs it.
pub(crate) async fn find(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Find", EXPLANATION);
    for kind in [Kind::Postgres, Kind::Sqlite] {
        if arguments.sizes.find_on_sqlite || kind == Kind::Postgres {
            find_on(arguments, kind, &mut report).await?;
        }
    }
    Ok(report)
}

async fn find_on(arguments: &Arguments, kind: Kind, report: &mut Report) -> Result<()> {
    let sizes = &arguments.sizes;
    let node = Node::start(kind, &arguments.postgres_url).await?;
    let scale = Scale::of(sizes.jobs, sizes.executions, sizes.dead, node.engine.now())?;
    let database = node.database()?;
    let started_at = Instant::now();
    seed(database, kind, node.store(), scale).await?;
    let seeded = format!("{:.0} s", started_at.elapsed().as_secs_f64());
    report.facts.push((format!("seeded on {}", kind.name()), seeded));
    while node.engine.add_up_dead_letters_tick().await.context("dead letters are added up")? {}
    let searchable = Searchable::of(&node.store().declared_attributes(10_000).await?);
    let (before, slow_before) = measure(arguments, &node.engine, scale, &searchable).await?;
    run(database, kind, "ANALYZE").await?;
    let (after, slow_after) = measure(arguments, &node.engine, scale, &searchable).await?;
    let slow = format!("`{slow_before}`, after ANALYZE `{slow_after}`");
    report.facts.push((format!("pair with the slowest count on {}", kind.name()), slow));
    for (state, measured) in [("before ANALYZE", &before), ("after ANALYZE", &after)] {
        let (pairs, beside) = measured.split_at(NAMED_PAIRS.len());
        let worst: Vec<f64> = vec![pairs.iter().map(|one| one.p99).fold(0.0, f64::max)];
        let what = format!("slowest of thirty pairs, {}, {state}", kind.name());
        report.add(what, "ms p99", &[TARGET_MS], &worst).aim(Target::ValueMax(TARGET_MS));
        for one in beside {
            let what = format!("{}, {}, {state}", one.name, kind.name());
            report.add(what, "ms p99", &[TARGET_MS], &[one.p99]).aim(Target::ValueMax(TARGET_MS));
        }
    }
    report.sections.push(table(kind, scale, &before, &after));
    node.end().await
}

async fn measure(
    arguments: &Arguments,
    engine: &Engine,
    scale: Scale,
    searchable: &Searchable,
) -> Result<(Vec<Measured>, &'static str)> {
    let mut all = Vec::with_capacity(NAMED_PAIRS.len());
    let (mut counted, rounds) = (Vec::new(), arguments.sizes.rounds * 5);
    for pair in NAMED_PAIRS {
        let search = pair
            .search(|word| scale.value_of(word), searchable, engine.now())
            .map_err(|fault| anyhow::anyhow!("{}: at {}: {}", pair.name, fault.position, fault.message))?;
        let (mut took, mut first) = (Vec::new(), (0, false));
        for _ in 0..rounds {
            let mut after = None;
            for page in 0..PAGES {
                let begun_at = Instant::now();
                let listed = list(engine, &search, after, false).await;
                let (found, next, is_short) =
                    listed.with_context(|| format!("page {page} of {}", pair.name))?;
                took.push(ms(begun_at.elapsed()));
                if page == 0 {
                    first = (found, is_short);
                }
                after = next;
                if after.is_none() {
                    break;
                }
            }
        }
        all.push(measured(pair.name, &took, first));
        let mut took = Vec::new();
        for _ in 0..rounds {
            let begun_at = Instant::now();
            list(engine, &search, None, true)
                .await
                .with_context(|| format!("{} with its count", pair.name))?;
            took.push(ms(begun_at.elapsed()));
        }
        counted.push(measured(pair.name, &took, first));
    }
    let worst = counted.into_iter().max_by(|one, other| one.p99.total_cmp(&other.p99));
    let slow = worst.as_ref().map_or("none", |worst| worst.name);
    all.extend(worst.map(|worst| Measured { name: "slowest first page with its count", ..worst }));
    let caller = Caller::system();
    let (mut groups, mut queues) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let begun_at = Instant::now();
        let groups_of = engine.dead_letter_groups(&caller, &DeadLetterFilter::default(), &[], 50).await;
        groups_of.context("groups of dead letters")?;
        groups.push(ms(begun_at.elapsed()));
        let begun_at = Instant::now();
        for queue in QueueName::ALL {
            engine.queue_figures(&caller, queue).await.context("figures of queues")?;
        }
        queues.push(ms(begun_at.elapsed()));
    }
    all.push(measured("groups of dead letters", &groups, (0, false)));
    all.push(measured("figures of the queues", &queues, (0, false)));
    Ok((all, slow))
}

fn measured(name: &'static str, took: &[f64], first: (usize, bool)) -> Measured {
    let measured = Measured { name, p50: percentile(took, 50.0), p99: percentile(took, 99.0), first };
    eprintln!("   {name}: {:.1} ms, {:.1} ms p99, {first:?}", measured.p50, measured.p99);
    measured
}

/// A page: how many objects, where the next one begins, and whether it is short.
async fn list(
    engine: &Engine,
    search: &Search,
    after: Option<Place>,
    counts: bool,
) -> Result<(usize, Option<Place>, bool), EngineError> {
    let page = SearchPage { limit: 50, after };
    let request = ListRequest { search: search.clone(), page, counts };
    let caller = Caller::system();
    Ok(match search.list {
        SearchList::Jobs => {
            let listed = engine.search_jobs(&caller, &request).await?;
            (listed.items.len(), listed.next, listed.scanned_to.is_some())
        }
        SearchList::Executions => {
            let listed = engine.search_executions(&caller, &request).await?;
            (listed.items.len(), listed.next, listed.scanned_to.is_some())
        }
        _ => {
            let listed = engine.search_dead_letters(&caller, &request).await?;
            (listed.items.len(), listed.next, listed.scanned_to.is_some())
        }
    })
}

fn table(kind: Kind, scale: Scale, before: &[Measured], after: &[Measured]) -> String {
    let mut text = format!(
        "## {}\n\n{} jobs, {} executions, {} dead letters. Milliseconds for a page of 50; a short page looked at as many rows \
         as one call may, and says how far.\n\n| pair | p50 | p99 | p50 after ANALYZE | p99 after ANALYZE | first page |\n\
         |---|---|---|---|---|---|\n",
        kind.name(),
        scale.jobs,
        scale.executions,
        scale.dead
    );
    for (one, other) in before.iter().zip(after) {
        let (found, is_short) = other.first;
        let short = if is_short { ", short" } else { "" };
        let figures = [one.p50, one.p99, other.p50, other.p99].map(number);
        let _ = writeln!(text, "| `{}` | {} | {found}{short} |", one.name, figures.join(" | "));
    }
    text
}
