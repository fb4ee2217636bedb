package dev.trunkline;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.DoubleAdder;

/** Counts what happens in a worker, as /metrics beside /healthz shows it to Prometheus, and passes it on. */
final class WorkerMetrics implements WorkerListener {
  private final WorkerListener next;
  /** By names with their labels. */
  private final Map<String, DoubleAdder> values = new ConcurrentSkipListMap<>();

  WorkerMetrics(WorkerListener next) {
    this.next = next;
  }

  @Override
  public void polled(int jobs) {
    next.polled(jobs);
  }

  @Override
  public void pollFailed(Throwable error) {
    add("trunkline_worker_poll_failures_total", 1);
    next.pollFailed(error);
  }

  @Override
  public void heartbeatFailed(Throwable error) {
    add("trunkline_worker_heartbeat_failures_total", 1);
    next.heartbeatFailed(error);
  }

  @Override
  public void started(String jobType) {
    add("trunkline_worker_jobs_started_total{job_type=" + label(jobType) + "}", 1);
    next.started(jobType);
  }

  @Override
  public void finished(String jobType, Outcome outcome, Duration took) {
    String how = label(outcome.name().toLowerCase(Locale.ROOT));
    add("trunkline_worker_jobs_ended_total{how=" + how + ",job_type=" + label(jobType) + "}", 1);
    add("trunkline_worker_handler_seconds_total{job_type=" + label(jobType) + "}", took.toNanos() / 1e9);
    next.finished(jobType, outcome, took);
  }

  private void add(String name, double value) {
    values.computeIfAbsent(name, key -> new DoubleAdder()).add(value);
  }

  /** All values as Prometheus text. */
  String render() {
    StringBuilder text = new StringBuilder();
    values.forEach((name, value) -> {
      double sum = value.sum();
      text.append(name).append(' ').append(sum == Math.rint(sum) ? Long.toString((long) sum) : Double.toString(sum)).append('\n');
    });
    return text.toString();
  }

  private static String label(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
  }
}
