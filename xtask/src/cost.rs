//! What a job costs, computed from the results of the load tests. `docs/cost.md` has the tables between two marks, so that they
//! are what the results say: `cost` writes them anew, and `tidy` complains where they differ.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The page.
pub(crate) const PAGE: &str = "docs/cost.md";
/// Where the results are.
pub(crate) const RESULTS: &str = "load-tests/results";

const BEGIN: &str = "<!-- cost:begin -->";
const END: &str = "<!-- cost:end -->";

const MILLION: f64 = 1e6;
const GIB: f64 = 1_073_741_824.0;
const SECONDS_BY_HOUR: f64 = 3_600.0;
const DAYS_BY_MONTH: f64 = 30.0;

/// A price or a quantity that no measurement gives.
#[derive(Debug, Clone, PartialEq)]
struct Assumption {
    name: &'static str,
    value: f64,
    meaning: &'static str,
}

/// Those of the page.
const ASSUMED: [Assumption; 6] = [
    Assumption { name: "core_hour", value: 0.03, meaning: "€ for a core and hour, its memory included" },
    Assumption { name: "gib_month", value: 0.10, meaning: "€ for a GiB of disk and month" },
    Assumption { name: "busy", value: 0.5, meaning: "the fraction of time that paid cores are in use" },
    Assumption {
        name: "copies",
        value: 2.0,
        meaning: "databases that hold the history: a primary and a replica",
    },
    Assumption { name: "history_days", value: 3.0, meaning: "days until retention removes a finished job" },
    Assumption {
        name: "archive_days",
        value: 7.0,
        meaning: "days for which the write-ahead log is archived",
    },
];

/// A figure of a page: what it is called there, and its unit.
type Figure = (&'static str, &'static str, &'static str);

/// A way to use it.
struct Way {
    name: &'static str,
    /// The stages that each job goes through, each with its rate on the whole machine.
    stages: &'static [Figure],
    /// What it writes to the log, and how many bytes one unit of that figure are.
    log: (Figure, f64),
    /// Whether its history is one row of a job.
    has_job_history: bool,
}

const JOB_LOG: (Figure, f64) = (("row", "enqueue to pruned", "bytes/job"), 1.0);
const IN_BATCHES: Figure = ("http-workers", "bulk enqueue over REST, batches of 1000", "jobs/s");

static WAYS: [Way; 5] = [
    Way {
        name: "jobs in bulk, done by the server's own pool",
        stages: &[
            ("drain", "PostgreSQL: bulk enqueue", "jobs/s"),
            ("drain", "PostgreSQL: drain by the node pool's 1000 slots (reference: batch 100)", "jobs/s"),
        ],
        log: JOB_LOG,
        has_job_history: true,
    },
    Way {
        name: "jobs over REST, batches of 1,000 in and 100 out",
        stages: &[IN_BATCHES, ("http-workers", "workers over REST, batches of 100", "jobs/s")],
        log: JOB_LOG,
        has_job_history: true,
    },
    Way {
        name: "jobs over REST in batches of 1,000, out by streams of gRPC",
        stages: &[IN_BATCHES, ("grpc-workers", "streams, batches of up to 100", "jobs/s")],
        log: JOB_LOG,
        has_job_history: true,
    },
    Way {
        name: "jobs over REST, one by one in and out",
        stages: &[
            ("http-post", "64 connections", "requests/s"),
            ("http-workers", "64 workers over REST, one job at a time, in one request", "jobs/s"),
        ],
        log: JOB_LOG,
        has_job_history: true,
    },
    Way {
        name: "executions of three steps over REST, one job at a time",
        stages: &[("steps", "3 steps, 64 in flight, 32 workers: executions", "1/s")],
        log: (("steps", "3 steps, 64 in flight, 32 workers: log by execution", "KiB"), 1_024.0),
        has_job_history: false,
    },
];

/// Writes the page anew, or prints its tables with other assumptions, each as `name=value`.
pub(crate) fn run(root: &Path, given: &[&str]) -> Result<ExitCode> {
    let read = |page: &str| std::fs::read_to_string(root.join(RESULTS).join(format!("{page}.json"))).ok();
    if !given.is_empty() {
        print!("{}", tables(&assumptions(given)?, &read)?);
        return Ok(ExitCode::SUCCESS);
    }
    let file = root.join(PAGE);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    std::fs::write(&file, page(&text, &read)?).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The page with tables that say what the results say. `read` gives the data of a page of results.
pub(crate) fn page(text: &str, read: &impl Fn(&str) -> Option<String>) -> Result<String> {
    let (before, rest) = text.split_once(BEGIN).with_context(|| format!("{PAGE} has no {BEGIN}"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("{PAGE} has no {END}"))?;
    Ok(format!("{before}{BEGIN}\n\n{}\n{END}{after}", tables(&ASSUMED, read)?))
}

fn assumptions(given: &[&str]) -> Result<[Assumption; 6]> {
    let mut taken = ASSUMED;
    for one in given {
        let (name, value) = one.split_once('=').with_context(|| format!("write {one} as name=value"))?;
        let assumption = taken.iter_mut().find(|assumption| assumption.name == name);
        let assumption = assumption.with_context(|| format!("there is no {name}"))?;
        assumption.value = value.parse().with_context(|| format!("{name} must be a number"))?;
        ensure!(assumption.value > 0.0, "{name} must be above zero");
    }
    Ok(taken)
}

/// The assumptions, the costs by them, and where the figures are from.
fn tables(assumed: &[Assumption], read: &impl Fn(&str) -> Option<String>) -> Result<String> {
    let mut text = String::from("| assumption | value | meaning |\n|---|---|---|\n");
    for Assumption { name, value, meaning } in assumed {
        let _ = writeln!(text, "| `{name}` | {value} | {meaning} |");
    }
    text.push_str(
        "\n| a million | a second | a second and core | processor | log | € processor | € log | € history | € |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let results = Results { read };
    for way in &WAYS {
        let cost = results.cost(way, assumed)?;
        let history = cost.history.map_or("–".to_owned(), |euros| format!("{euros:.4}"));
        let sum = cost.processor + cost.log + cost.history.unwrap_or_default();
        let _ = writeln!(
            text,
            "| {} | {:.0} | {:.0} | {:.0} s | {:.2} GiB | {:.4} | {:.4} | {history} | **{sum:.3}** |",
            way.name, cost.rate, cost.rate_by_core, cost.seconds, cost.log_gib, cost.processor, cost.log,
        );
    }
    let _ = writeln!(
        text,
        "\nA job writes {:.0} bytes of log from its insert until it is pruned, and {:.0} bytes of history, by the records of its \
         log.\n\nMeasured: {}.",
        results.value(JOB_LOG.0)?,
        results.history_bytes()?,
        results.origins()?,
    );
    Ok(text)
}

/// What a million costs one way.
struct Cost {
    rate: f64,
    rate_by_core: f64,
    /// Of processor.
    seconds: f64,
    log_gib: f64,
    processor: f64,
    log: f64,
    history: Option<f64>,
}

struct Results<'a, R> {
    read: &'a R,
}

impl<R: Fn(&str) -> Option<String>> Results<'_, R> {
    fn cost(&self, way: &Way, assumed: &[Assumption]) -> Result<Cost> {
        let of = |name: &str| assumed.iter().find(|one| one.name == name).map_or(f64::NAN, |one| one.value);
        // The stages share the machine, so that their times add up.
        let (mut seconds, mut whole) = (0.0, 0.0);
        for figure in way.stages {
            let rate = self.value(*figure)?;
            seconds += self.cores(figure.0)? / rate * MILLION;
            whole += 1.0 / rate;
        }
        let log_gib = self.value(way.log.0)? * way.log.1 * MILLION / GIB;
        let kept = |gib: f64, days: f64| gib * days / DAYS_BY_MONTH * of("gib_month");
        let history = if way.has_job_history {
            let gib = self.history_bytes()? * MILLION / GIB;
            Some(kept(gib, of("history_days")) * of("copies"))
        } else {
            None
        };
        Ok(Cost {
            rate: 1.0 / whole,
            rate_by_core: MILLION / seconds,
            seconds,
            log_gib,
            processor: seconds / SECONDS_BY_HOUR * of("core_hour") / of("busy"),
            log: kept(log_gib, of("archive_days")),
            history,
        })
    }

    fn data(&self, page: &str) -> Result<Value> {
        let text = (self.read)(page).with_context(|| format!("{RESULTS}/{page}.json is not there"))?;
        serde_json::from_str(&text).with_context(|| format!("{RESULTS}/{page}.json is no report"))
    }

    /// The median that was measured of a figure.
    fn value(&self, (page, what, unit): Figure) -> Result<f64> {
        let data = self.data(page)?;
        let line = data["lines"].as_array().into_iter().flatten();
        let value = line
            .filter(|line| line["what"] == what && line["unit"] == unit)
            .find_map(|line| line["ours"]["median"].as_f64().filter(|median| *median > 0.0));
        value.with_context(|| format!("{RESULTS}/{page}.json has no figure `{what}` in {unit}"))
    }

    /// The cores of the machine of a page: its processor is written as `2 × model`.
    fn cores(&self, page: &str) -> Result<f64> {
        let processor = self.fact(page, "processor")?;
        let cores = processor.split(' ').next().and_then(|cores| cores.parse().ok());
        cores.with_context(|| {
            format!("{RESULTS}/{page}.json: `{processor}` does not begin with a number of cores")
        })
    }

    fn fact(&self, page: &str, name: &str) -> Result<String> {
        let data = self.data(page)?;
        let mut facts = data["facts"].as_array().into_iter().flatten();
        let fact = facts.find(|fact| fact[0] == name).and_then(|fact| fact[1].as_str());
        Ok(fact.with_context(|| format!("{RESULTS}/{page}.json does not say its {name}"))?.to_owned())
    }

    /// What a settle writes to the history, row and index entries: about what they take in the tables.
    fn history_bytes(&self) -> Result<f64> {
        let data = self.data("row")?;
        let comparisons = data["comparisons"].as_array().into_iter().flatten();
        let bars = comparisons.filter_map(|comparison| comparison["bars"].as_array()).flatten();
        let is_history =
            |bar: &&Value| bar[0].as_str().is_some_and(|name| name.starts_with("Trunkline: settle job_done"));
        let bytes: f64 = bars.filter(is_history).filter_map(|bar| bar[1].as_f64()).sum();
        ensure!(bytes > 0.0, "{RESULTS}/row.json has no records of `settle` in job_done");
        Ok(bytes)
    }

    /// The pages with their days and commits.
    fn origins(&self) -> Result<String> {
        let mut pages = vec![JOB_LOG.0.0];
        pages.extend(WAYS.iter().flat_map(|way| way.stages).map(|figure| figure.0));
        pages.sort_unstable();
        pages.dedup();
        let origin = |page: &str| -> Result<String> {
            let (date, commit) = (self.fact(page, "date")?, self.fact(page, "commit")?);
            let day = date.split(' ').next().unwrap_or_default().to_owned();
            Ok(format!("[{page}](../{RESULTS}/{page}.md) on {day} at {commit}"))
        };
        Ok(pages.into_iter().map(origin).collect::<Result<Vec<_>>>()?.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ASSUMED, BEGIN, END, Results, WAYS, assumptions, page, tables};

    /// Results in which every rate is 10,000 a second on two cores.
    fn results(page: &str) -> String {
        let stages = WAYS.iter().flat_map(|way| way.stages.iter().copied().map(|figure| (figure, 10_000.0)));
        let logs = WAYS.iter().map(|way| (way.log.0, 1_024.0));
        let lines: Vec<_> = stages
            .chain(logs)
            .filter(|((of, ..), _)| *of == page)
            .map(|((_, what, unit), median)| json!({"what": what, "unit": unit, "ours": {"median": median}}))
            .collect();
        let bars = json!([["Trunkline: settle job_done Heap INSERT", 500.0], ["reference: settle", 9.0]]);
        let data = json!({
            "lines": lines,
            "comparisons": [{"bars": bars}],
            "facts": [["date", "2026-01-02 03:04 UTC"], ["commit", "abc"], ["processor", "2 × Fast"]],
        });
        data.to_string()
    }

    #[test]
    fn costs_follow_from_rates_bytes_and_prices() {
        let given =
            ["core_hour=3.6", "gib_month=30", "busy=1", "copies=2", "history_days=1", "archive_days=1"];
        let assumed = assumptions(&given).expect("assumptions");
        let read = |page: &str| Some(results(page));
        // Two stages of 10,000 a second on two cores: 400 µs of processor a job.
        let cost = Results { read: &read }.cost(&WAYS[1], &assumed).expect("a cost");
        let is_close =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        is_close(cost.seconds, 400.0);
        is_close(cost.rate, 5_000.0);
        is_close(cost.rate_by_core, 2_500.0);
        is_close(cost.processor, 0.4);
        is_close(cost.log_gib, 1_024e6 / 1_073_741_824.0);
        is_close(cost.log, cost.log_gib);
        is_close(cost.history.expect("history"), 2.0 * 500e6 / 1_073_741_824.0);
        let steps = Results { read: &read }.cost(&WAYS[4], &assumed).expect("a cost");
        is_close(steps.log_gib, cost.log_gib * 1_024.0);
        assert!(steps.history.is_none());
    }

    #[test]
    fn the_page_is_written_between_its_marks() {
        let read = |page: &str| Some(results(page));
        let written = page(&format!("a\n{BEGIN}\nstale\n{END}\nz\n"), &read).expect("a page");
        assert!(written.starts_with("a\n<!--") && written.ends_with("-->\nz\n"), "{written}");
        assert!(!written.contains("stale") && written.contains("| `core_hour` | 0.03 |"), "{written}");
        assert_eq!(page(&written, &read).expect("a page"), written);
        assert!(page("no marks", &read).is_err());
    }

    #[test]
    fn what_is_missing_is_named() {
        let none = |page: &str| (page != "steps").then(|| results(page));
        let error = tables(&ASSUMED, &none).expect_err("no steps");
        assert!(format!("{error:#}").contains("steps.json is not there"), "{error:#}");
        let renamed = |page: &str| Some(results(page).replace("batches of 1000", "batches of 500"));
        let error = tables(&ASSUMED, &renamed).expect_err("renamed");
        assert!(format!("{error:#}").contains("bulk enqueue over REST, batches of 1000"), "{error:#}");
        let moved = |page: &str| Some(results(page).replace("settle job_done", "settle job_end"));
        assert!(tables(&ASSUMED, &moved).is_err());
    }

    #[test]
    fn assumptions_are_checked() {
        for wrong in ["core_hour", "cores=1", "busy=much", "busy=0", "copies=-1"] {
            assert!(assumptions(&[wrong]).is_err(), "{wrong}");
        }
        assert_eq!(assumptions(&[]).expect("none"), ASSUMED);
    }
}
