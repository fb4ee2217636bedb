//! What happened in a worker, as `/metrics` beside `/healthz` shows it to Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use parking_lot::Mutex;

use super::Event;

/// Values by names with their labels.
#[derive(Default)]
pub(super) struct Metrics(Mutex<BTreeMap<String, f64>>);

impl Metrics {
    /// Takes an event in.
    pub(super) fn count(&self, event: &Event<'_>) {
        match event {
            Event::Started { job_type } => {
                let job_type = label(job_type);
                self.add(format!("trunkline_worker_jobs_started_total{{job_type={job_type}}}"), 1.0);
            }
            Event::Finished { job_type, outcome, duration } => {
                let job_type = label(job_type);
                let how = label(if *outcome == "none" { "lost" } else { outcome });
                self.add(format!("trunkline_worker_jobs_ended_total{{how={how},job_type={job_type}}}"), 1.0);
                self.add(
                    format!("trunkline_worker_handler_seconds_total{{job_type={job_type}}}"),
                    duration.as_secs_f64(),
                );
            }
            Event::PollFailed { .. } => self.add("trunkline_worker_poll_failures_total".to_owned(), 1.0),
            Event::HeartbeatFailed { .. } => {
                self.add("trunkline_worker_heartbeat_failures_total".to_owned(), 1.0);
            }
            Event::Polled { .. } => {}
        }
    }

    fn add(&self, name: String, value: f64) {
        *self.0.lock().entry(name).or_default() += value;
    }

    /// All values as Prometheus text.
    pub(super) fn render(&self) -> String {
        let mut text = String::new();
        for (name, value) in &*self.0.lock() {
            // Text takes whatever is written to it.
            let _ = writeln!(text, "{name} {value}");
        }
        text
    }
}

fn label(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Event, Metrics};

    #[test]
    fn metrics_are_those_of_all_languages() {
        let metrics = Metrics::default();
        for _ in 0..2 {
            metrics.count(&Event::Started { job_type: "greet" });
        }
        let duration = Duration::from_millis(1500);
        metrics.count(&Event::Finished { job_type: "greet", outcome: "complete", duration });
        metrics.count(&Event::Finished { job_type: "a\"b\\", outcome: "none", duration: Duration::ZERO });
        let text = metrics.render();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                r#"trunkline_worker_handler_seconds_total{job_type="a\"b\\"} 0"#,
                r#"trunkline_worker_handler_seconds_total{job_type="greet"} 1.5"#,
                r#"trunkline_worker_jobs_ended_total{how="complete",job_type="greet"} 1"#,
                r#"trunkline_worker_jobs_ended_total{how="lost",job_type="a\"b\\"} 1"#,
                r#"trunkline_worker_jobs_started_total{job_type="greet"} 2"#,
            ]
        );
    }
}
