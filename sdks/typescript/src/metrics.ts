// What happened in a worker, as /metrics beside /healthz shows it to Prometheus.
import type { WorkerEvent } from "./worker.js";

/** Counts events by names with their labels. */
export class WorkerMetrics {
  private readonly values = new Map<string, number>();

  count(event: WorkerEvent): void {
    switch (event.kind) {
      case "started":
        this.add(`trunkline_worker_jobs_started_total{job_type=${label(event.jobType)}}`, 1);
        break;
      case "finished": {
        const jobType = label(event.jobType);
        this.add(`trunkline_worker_jobs_ended_total{how=${label(event.outcome)},job_type=${jobType}}`, 1);
        this.add(`trunkline_worker_handler_seconds_total{job_type=${jobType}}`, event.durationMs / 1_000);
        break;
      }
      case "pollFailed":
        this.add("trunkline_worker_poll_failures_total", 1);
        break;
      case "heartbeatFailed":
        this.add("trunkline_worker_heartbeat_failures_total", 1);
        break;
      case "polled":
    }
  }

  /** All values as Prometheus text. */
  render(): string {
    const lines = [...this.values].map(([name, value]) => `${name} ${value}\n`);
    return lines.sort().join("");
  }

  private add(name: string, value: number): void {
    this.values.set(name, (this.values.get(name) ?? 0) + value);
  }
}

function label(text: string): string {
  return `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`;
}
