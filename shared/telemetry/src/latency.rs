//! The histograms of jobs: how long they wait, run and take in all, each with an example of a trace for every bucket.
//!
//! They are kept here and not by the recorder of all other metrics, which knows no exemplars.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::catalog::{JOB_SECONDS, JobSeconds};
use crate::labels::{JobLabels, Shown, shared};

/// One of the histograms of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobTime {
    /// From claimable to claimed.
    Wait,
    /// From claimed to settled, of one attempt.
    Run,
    /// From created to ended.
    EndToEnd,
}

/// Which form of the text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// What Prometheus has always read.
    Prometheus,
    /// OpenMetrics 1.0, which knows exemplars.
    OpenMetrics,
}

/// A histogram.
#[derive(Debug)]
struct Histogram {
    of: &'static JobSeconds,
    series: Mutex<BTreeMap<Shown, Series>>,
}

#[derive(Debug, Clone)]
struct Series {
    /// One for each bound and one for all beyond; not cumulative.
    counts: Vec<u64>,
    sum: f64,
    examples: Vec<Option<Example>>,
}

#[derive(Debug, Clone)]
struct Example {
    trace_id: String,
    seconds: f64,
    at: f64,
}

static HISTOGRAMS: LazyLock<[Histogram; 3]> =
    LazyLock::new(|| JOB_SECONDS.each_ref().map(|of| Histogram { of, series: Mutex::default() }));

#[expect(clippy::disallowed_methods, reason = "an example bears the scraper's time, not the engine's")]
/// Records how long something about a job took. `traceparent` is the W3C context that the job carries.
pub fn record_job_time(time: JobTime, labels: &JobLabels<'_>, seconds: f64, traceparent: Option<&str>) {
    let histogram = &HISTOGRAMS[time as usize];
    let example = traceparent.and_then(trace_id).map(|trace_id| {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        Example { trace_id: trace_id.to_owned(), seconds, at }
    });
    histogram.record(shared().shown(labels), seconds, example);
}

/// Makes the series of a queue's tier exist, so that a rate over them starts at zero.
pub(crate) fn touch(queue: &'static str, tier: &'static str) {
    for histogram in HISTOGRAMS.iter() {
        let shown = Shown { queue, tier, tenant: None, job_type: None };
        histogram.lock().entry(shown).or_insert_with(|| Series::new(histogram.of.buckets.len()));
    }
}

/// Appends all of them.
pub(crate) fn render(to: &mut String, format: TextFormat) {
    for histogram in HISTOGRAMS.iter() {
        histogram.render(to, format);
    }
}

/// The trace of a W3C `traceparent`, if it is one.
fn trace_id(traceparent: &str) -> Option<&str> {
    let mut parts = traceparent.split('-');
    let (_version, trace) = (parts.next()?, parts.next()?);
    let is_trace = trace.len() == 32
        && trace.bytes().all(|byte| byte.is_ascii_hexdigit())
        && trace.bytes().any(|byte| byte != b'0');
    is_trace.then_some(trace)
}

impl Series {
    fn new(bounds: usize) -> Self {
        Self { counts: vec![0; bounds + 1], sum: 0.0, examples: vec![None; bounds + 1] }
    }
}

impl Histogram {
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Shown, Series>> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, shown: Shown, seconds: f64, example: Option<Example>) {
        // A clock that steps makes no negative times.
        let seconds = if seconds.is_finite() { seconds.max(0.0) } else { return };
        let place = self.of.buckets.partition_point(|bound| *bound < seconds);
        let mut all = self.lock();
        let series = all.entry(shown).or_insert_with(|| Series::new(self.of.buckets.len()));
        series.counts[place] += 1;
        series.sum += seconds;
        if example.is_some() {
            series.examples[place] = example;
        }
    }

    fn render(&self, to: &mut String, format: TextFormat) {
        let name = self.of.name;
        let _ = writeln!(to, "# HELP {name} {}", self.of.help);
        let _ = writeln!(to, "# TYPE {name} histogram");
        for (shown, series) in self.lock().iter() {
            let labels = labels_text(shown);
            let mut total = 0;
            for (place, (count, example)) in series.counts.iter().zip(&series.examples).enumerate() {
                total += count;
                let bound = self.of.buckets.get(place).map_or("+Inf".to_owned(), |bound| bound_text(*bound));
                let _ = write!(to, "{name}_bucket{{{labels},le=\"{bound}\"}} {total}");
                if let (Some(example), TextFormat::OpenMetrics) = (example, format) {
                    let Example { trace_id, seconds, at } = example;
                    let _ = write!(to, " # {{trace_id=\"{trace_id}\"}} {seconds} {at:.3}");
                }
                to.push('\n');
            }
            let _ = writeln!(to, "{name}_sum{{{labels}}} {}", series.sum);
            let _ = writeln!(to, "{name}_count{{{labels}}} {total}");
        }
    }
}

/// A bound in the form that OpenMetrics asks for, which Prometheus reads as well.
fn bound_text(bound: f64) -> String {
    if bound.fract() == 0.0 { format!("{bound:.1}") } else { bound.to_string() }
}

fn labels_text(shown: &Shown) -> String {
    let mut text = format!("queue=\"{}\",tier=\"{}\"", shown.queue, shown.tier);
    for (name, value) in [("tenant", &shown.tenant), ("job_type", &shown.job_type)] {
        if let Some(value) = value {
            let _ = write!(text, ",{name}=\"{}\"", escaped(value));
        }
    }
    text
}

/// The value of a label as it stands between quotation marks.
pub(crate) fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn histogram() -> Histogram {
        Histogram { of: &JOB_SECONDS[JobTime::Wait as usize], series: Mutex::default() }
    }

    fn shown() -> Shown {
        Shown { queue: "workflow-node", tier: "low", tenant: None, job_type: Some("a\"b".into()) }
    }

    fn text(histogram: &Histogram, format: TextFormat) -> String {
        let mut text = String::new();
        histogram.render(&mut text, format);
        text
    }

    #[test]
    fn buckets_are_cumulative_and_examples_are_for_openmetrics_alone() {
        let histogram = histogram();
        let example = Example { trace_id: "abc".into(), seconds: 0.003, at: 7.0 };
        histogram.record(shown(), 0.003, Some(example));
        histogram.record(shown(), 0.005, None);
        histogram.record(shown(), -1.0, None);
        histogram.record(shown(), 1e9, None);
        let plain = text(&histogram, TextFormat::Prometheus);
        let labels = "queue=\"workflow-node\",tier=\"low\",job_type=\"a\\\"b\"";
        for line in [
            "# TYPE trunkline_job_wait_seconds histogram".to_owned(),
            format!("trunkline_job_wait_seconds_bucket{{{labels},le=\"0.0005\"}} 1"),
            format!("trunkline_job_wait_seconds_bucket{{{labels},le=\"0.005\"}} 3"),
            format!("trunkline_job_wait_seconds_bucket{{{labels},le=\"1.0\"}} 3"),
            format!("trunkline_job_wait_seconds_bucket{{{labels},le=\"+Inf\"}} 4"),
            format!("trunkline_job_wait_seconds_count{{{labels}}} 4"),
        ] {
            assert!(plain.lines().any(|found| found == line), "{line:?} is not in\n{plain}");
        }
        assert!(!plain.contains("trace_id"), "{plain}");
        let open = text(&histogram, TextFormat::OpenMetrics);
        assert!(open.contains("le=\"0.005\"} 3 # {trace_id=\"abc\"} 0.003 7.000\n"), "{open}");
    }

    #[test]
    fn only_a_trace_context_gives_an_example() {
        assert_eq!(trace_id(PARENT), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
        for wrong in ["", "00", "00-xyz-1-01", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"] {
            assert_eq!(trace_id(wrong), None, "{wrong}");
        }
    }
}
