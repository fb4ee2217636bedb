package dev.trunkline;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import dev.trunkline.api.Transport;
import dev.trunkline.model.JobError;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The calls of a worker: poll, report, renew, give back. */
final class JobChannel {
  // How much later than it was to wait a poll may be answered before it is given up: the jobs of an answer that nobody takes
  // would wait for the end of their leases.
  private static final Duration POLL_GRACE = Duration.ofSeconds(10);
  private static final Duration REPORT_TIMEOUT = Duration.ofSeconds(30);
  private final Transport transport;

  JobChannel(Transport transport) {
    this.transport = transport;
  }

  /** A leased job. Older servers do not send all of it. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  record LeasedJob(String id, String jobType, JsonNode data, int attempt, String tenant, String leaseToken,
      Instant leaseExpiresAt, String idempotencyKey, Instant deadline, JsonNode progress, String traceparent,
      String executionId, String nodeId, String workflow) {}

  /** What came of a poll. With {@code drain} an operator drains this worker: it gets no more jobs, and ends. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  record LeasedJobs(List<LeasedJob> jobs, boolean drain) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Poll(String workerId, List<String> jobTypes, int maxJobs, @JsonProperty("wait") String waitFor,
      String lease, String tenant, String build, List<String> builds) {}

  /** What is reported of an attempt: also the last part of the call's path. */
  enum Kind { COMPLETE, FAIL, RELEASE }

  /** One report; which fields are set depends on the kind. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Report(String id, String leaseToken, JsonNode result, JobError error, Boolean retryable, String retryAfter,
      String delay) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Beat(String id, String leaseToken, JsonNode progress) {}

  /** A line that a handler logged. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record LogLine(Instant at, String level, String message, JsonNode fields, int sequence) {}

  /** What a call sends for one job. */
  record JobLines(String id, String leaseToken, List<LogLine> lines) {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  record Answer(String id, String outcome, String reason) {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  record Answers(List<Answer> results) {}

  LeasedJobs poll(Poll poll, Duration wait) {
    var options = CallOptions.within(wait.plus(POLL_GRACE)).once();
    return transport.call(post("pollJobs", "poll", poll), new TypeReference<LeasedJobs>() {}, options);
  }

  /** Sends reports of one kind. All carry their lease, so that repeating them is safe. */
  List<Answer> report(Kind kind, List<Report> reports) {
    String path = kind.name().toLowerCase(Locale.ROOT);
    var request = post(path + "Jobs", path, Map.of("jobs", reports));
    return transport.call(request, new TypeReference<Answers>() {}, CallOptions.within(REPORT_TIMEOUT)).results();
  }

  /** Renews leases once. */
  List<Answer> heartbeat(List<Beat> beats, Duration limit) {
    var request = post("heartbeatJobs", "heartbeat", Map.of("jobs", beats));
    return transport.call(request, new TypeReference<Answers>() {}, CallOptions.within(limit).once()).results();
  }

  /** Sends lines of leased jobs once. */
  void log(List<JobLines> jobs, Duration limit) {
    var request = post("logJobs", "logs", Map.of("jobs", jobs));
    transport.call(request, new TypeReference<Answers>() {}, CallOptions.within(limit).once());
  }

  private static Request post(String name, String path, Object body) {
    return new Request(name, "POST", "/v1/jobs/" + path, Map.of(), body, false);
  }
}
