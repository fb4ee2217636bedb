//! The process-wide metrics recorder, in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::OnceLock;

use domain::failure::DeadReason;
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::catalog::{Kind, METRICS, describe};
use crate::latency::{self, TextFormat};
use crate::{labels, names};

/// Reads what was recorded.
#[derive(Debug, Clone)]
pub struct MetricsHandle(PrometheusHandle);

impl MetricsHandle {
    /// All metrics as text, with those of the process as they are now.
    pub fn render(&self, format: TextFormat) -> String {
        record();
        let mut text = self.0.render();
        if format == TextFormat::OpenMetrics {
            text = to_openmetrics(&text);
        }
        latency::render(&mut text, format);
        if format == TextFormat::OpenMetrics {
            text.push_str("# EOF\n");
        }
        text
    }

    /// Folds recorded samples into their buckets. Must be called every few seconds: until then samples take memory,
    /// also when nobody asks for the metrics.
    pub fn upkeep(&self) {
        self.0.run_upkeep();
    }
}

/// Installs the recorder on the first call; later calls return a handle to the same one.
///
/// Panics if another recorder was installed by other means, because then nothing recorded would be seen here.
pub fn install_metrics() -> MetricsHandle {
    static HANDLE: OnceLock<MetricsHandle> = OnceLock::new();
    HANDLE
        .get_or_init(|| {
            let handle = builder().install_recorder().expect("no other crate installs a metrics recorder");
            describe();
            touch();
            MetricsHandle(handle)
        })
        .clone()
}

/// A recorder with explicit buckets: without them each histogram would be a summary that cannot be added up over nodes.
fn builder() -> PrometheusBuilder {
    METRICS.iter().fold(PrometheusBuilder::new(), |builder, metric| match metric.kind {
        Kind::Histogram(buckets) => builder
            .set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)
            .expect("the buckets are not empty"),
        Kind::Counter | Kind::Gauge(_) => builder,
    })
}

/// Makes the metrics of each queue exist before the first job, so that a rate over them starts at zero and an alert on
/// them has something to look at.
fn touch() {
    gauge!(names::BUILD_INFO, names::VERSION => env!("CARGO_PKG_VERSION")).set(1.0);
    for direction in ["forward", "back"] {
        counter!(names::CLOCK_STEPS_TOTAL, names::DIRECTION => direction).increment(0);
    }
    counter!(names::NODES_LOST_TOTAL).increment(0);
    counter!(names::INTAKE_TAKEN_TOTAL).increment(0);
    counter!(names::INTAKE_REFUSED_TOTAL).increment(0);
    for queue in names::QUEUES {
        for name in [names::JOB_LOCK_CONFLICTS_TOTAL, names::LEASE_LOST_TOTAL] {
            counter!(name, names::QUEUE => queue).increment(0);
        }
        drop(histogram!(names::JOB_POLL_LATENCY_SECONDS, names::QUEUE => queue));
        for reason in DeadReason::ALL {
            counter!(names::DEAD_LETTERS_TOTAL, names::QUEUE => queue, names::REASON => reason.as_str())
                .increment(0);
        }
        // With a label more, a series without it would never be added to again.
        if labels::shared().has_only_queue_and_tier() {
            for tier in names::TIERS {
                touch_tier(queue, tier);
            }
        }
    }
}

fn touch_tier(queue: &'static str, tier: &'static str) {
    for name in [
        names::JOBS_ENQUEUED_TOTAL,
        names::JOBS_CLAIMED_TOTAL,
        names::JOBS_REAPED_TOTAL,
        names::JOBS_PROMOTED_TOTAL,
        names::JOBS_CANCELLED_TOTAL,
    ] {
        counter!(name, names::QUEUE => queue, names::TIER => tier).increment(0);
    }
    latency::touch(queue, tier);
}

// What the process takes of its machine, read from `/proc`. Where there is no `/proc` these metrics are absent.

/// Records the state of this moment.
pub(crate) fn record() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(bytes) = resident_bytes(&status) {
        gauge!(names::PROCESS_RESIDENT_MEMORY_BYTES).set(bytes as f64);
    }
    if let Ok(entries) = std::fs::read_dir("/proc/self/fd") {
        gauge!(names::PROCESS_OPEN_FILES).set(entries.count() as f64);
    }
}

/// The value of `VmRSS`, which the kernel gives in kibibytes.
fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

// From the text format of Prometheus to OpenMetrics 1.0, which some scrapers ask for and which alone has exemplars.

/// The same metrics in the form of OpenMetrics, without the mark at the end.
pub(crate) fn to_openmetrics(text: &str) -> String {
    let mut open = String::with_capacity(text.len());
    let counters: Vec<&str> = text.lines().filter_map(counter_of).collect();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Option<Vec<&str>> = line.strip_prefix("# ").map(|rest| rest.splitn(3, ' ').collect());
        if let Some([kind, name, rest]) = words.as_deref() {
            // A family is named without the ending that its samples have.
            let is_counter = counters.contains(name);
            let family = if is_counter { name.trim_end_matches("_total") } else { name };
            let rest = if *kind == "TYPE" && *rest == "untyped" { "unknown" } else { rest };
            let _ = writeln!(open, "# {kind} {family} {rest}");
        } else {
            open.push_str(&canonical_bound(line));
            open.push('\n');
        }
    }
    open
}

/// The counter whose type a line names.
fn counter_of(line: &str) -> Option<&str> {
    line.strip_prefix("# TYPE ")?.strip_suffix(" counter")
}

/// A sample whose bound is a whole number gets the point that OpenMetrics asks for.
fn canonical_bound(line: &str) -> String {
    const MARK: &str = "le=\"";
    let Some(start) = line.rfind(MARK).map(|at| at + MARK.len()) else {
        return line.to_owned();
    };
    let end = start + line[start..].find('"').unwrap_or(0);
    let is_whole = !line[start..end].is_empty() && line[start..end].bytes().all(|byte| byte.is_ascii_digit());
    if is_whole { format!("{}.0{}", &line[..end], &line[end..]) } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use metrics::{counter, histogram};

    use super::{install_metrics, resident_bytes, *};
    use crate::labels::JobLabels;
    use crate::latency::{JobTime, TextFormat, escaped, record_job_time};
    use crate::names;

    #[track_caller]
    fn check_line(text: &str, line: &str) {
        assert!(text.lines().any(|found| found == line), "{line:?} is not in\n{text}");
    }

    /// One test, because the recorder belongs to the whole process.
    #[test]
    fn what_is_recorded_is_rendered() {
        let handle = install_metrics();
        let before = handle.render(TextFormat::Prometheus);
        check_line(&before, "# TYPE trunkline_job_poll_latency_seconds histogram");
        check_line(&before, "trunkline_job_poll_latency_seconds_count{queue=\"workflow-node\"} 0");
        check_line(&before, "trunkline_job_lock_conflicts_total{queue=\"workflow-execution\"} 0");
        // An alert looks at how much it grows, and would not see the first ones of a process.
        let is_dead = |line: &str| line.starts_with("trunkline_dead_letters_total{") && line.ends_with(" 0");
        let of_lost = |line: &str| line.contains("\"workflow-node\"") && line.contains("\"worker_lost\"");
        assert!(before.lines().any(|line| is_dead(line) && of_lost(line)), "{before}");
        assert!(before.contains("# HELP trunkline_job_lock_conflicts_total Claims"), "{before}");
        assert!(before.contains("trunkline_build_info{version="), "{before}");

        histogram!(names::JOB_POLL_LATENCY_SECONDS, names::QUEUE => "workflow-node").record(0.003);
        counter!(names::JOB_LOCK_CONFLICTS_TOTAL, names::QUEUE => "workflow-execution").increment(2);
        handle.upkeep();
        let after = install_metrics().render(TextFormat::Prometheus);
        check_line(
            &after,
            "trunkline_job_poll_latency_seconds_bucket{queue=\"workflow-node\",le=\"0.002\"} 0",
        );
        check_line(
            &after,
            "trunkline_job_poll_latency_seconds_bucket{queue=\"workflow-node\",le=\"0.005\"} 1",
        );
        check_line(&after, "trunkline_job_lock_conflicts_total{queue=\"workflow-execution\"} 2");
        check_line(&after, "trunkline_jobs_claimed_total{queue=\"workflow-node\",tier=\"low\"} 0");

        let labels = JobLabels { queue: "workflow-node", tier: "high", tenant: Some("acme"), job_type: None };
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        record_job_time(JobTime::EndToEnd, &labels, 0.2, Some(parent));
        let open = handle.render(TextFormat::OpenMetrics);
        assert!(open.contains("# {trace_id=\"4bf92f3577b34da6a3ce929d0e0e4736\"} 0.2 "), "{open}");
        check_line(&open, "# TYPE trunkline_job_lock_conflicts counter");
        check_line(&open, "trunkline_job_lock_conflicts_total{queue=\"workflow-execution\"} 2");
        assert!(open.ends_with("\n# EOF\n") && !open.contains("\n\n"), "{open}");
    }

    #[test]
    fn resident_memory_is_read_in_bytes() {
        assert_eq!(resident_bytes("VmSize:\t  10 kB\nVmRSS:\t    2048 kB\n"), Some(2 << 20));
        assert_eq!(resident_bytes("VmSize:\t  10 kB\n"), None);
        assert_eq!(resident_bytes("VmRSS:\t many kB\n"), None);
    }

    #[test]
    fn families_lose_the_ending_that_samples_keep() {
        let text = "# HELP a_total Things.\n# TYPE a_total counter\na_total{queue=\"q\"} 2\n\n# TYPE b untyped\nb 1\n";
        let open = "# HELP a Things.\n# TYPE a counter\na_total{queue=\"q\"} 2\n# TYPE b unknown\nb 1\n";
        assert_eq!(to_openmetrics(text), open);
    }

    #[test]
    fn bounds_have_a_point() {
        let lines = "h_bucket{le=\"5\"} 1\nh_bucket{le=\"0.5\"} 1\nh_bucket{le=\"+Inf\"} 1\n";
        let open = "h_bucket{le=\"5.0\"} 1\nh_bucket{le=\"0.5\"} 1\nh_bucket{le=\"+Inf\"} 1\n";
        assert_eq!(to_openmetrics(lines), open);
    }

    #[test]
    fn values_of_labels_are_escaped() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
