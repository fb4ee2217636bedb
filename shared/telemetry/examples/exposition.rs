//! Prints `/metrics` with each metric recorded once, for tools that check names, types and help texts. With `--openmetrics`
//! as OpenMetrics.

use telemetry::{JobLabels, JobTime, TextFormat, install_metrics, record_each, record_job_time};

fn main() {
    let handle = install_metrics();
    record_each();
    let labels = JobLabels { queue: "workflow-node", tier: "normal", tenant: None, job_type: None };
    for time in [JobTime::Wait, JobTime::Run, JobTime::EndToEnd] {
        record_job_time(time, &labels, 0.25, Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
    }
    let is_open = std::env::args().any(|argument| argument == "--openmetrics");
    print!("{}", handle.render(if is_open { TextFormat::OpenMetrics } else { TextFormat::Prometheus }));
}
