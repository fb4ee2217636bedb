package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;

/** One attempt of a job, as its handler sees it. Once it is cancelled, the handler's thread is interrupted too. */
public interface JobContext {
  /**
   * The job.
   *
   * @return its id
   */
  String jobId();

  /**
   * The job type.
   *
   * @return the type
   */
  String jobType();

  /**
   * The number of this attempt.
   *
   * @return from 1
   */
  int attempt();

  /**
   * The tenant of the job.
   *
   * @return its name
   */
  String tenant();

  /**
   * The same for every attempt of the job: send it with external side effects.
   *
   * @return the key
   */
  String idempotencyKey();

  /**
   * When the attempt times out, if the job has a timeout.
   *
   * @return the instant
   */
  Optional<Instant> deadline();

  /**
   * The last progress reported by an earlier attempt with {@link #progress}.
   *
   * @return the progress
   */
  Optional<JsonNode> previousProgress();

  /**
   * W3C trace context; calls of a client in the handler's thread propagate it.
   *
   * @return the header's value
   */
  Optional<String> traceparent();

  /**
   * The execution whose node the job is.
   *
   * @return its id
   */
  Optional<String> executionId();

  /**
   * The node that the job is.
   *
   * @return its id
   */
  Optional<String> nodeId();

  /**
   * The workflow of the execution.
   *
   * @return its name
   */
  Optional<String> workflow();

  /**
   * Whether the job was cancelled, its lease was lost, or the timeout of the attempt or the drain has passed.
   *
   * @return whether to stop
   */
  boolean isCancelled();

  /**
   * Ends the handler if it is cancelled.
   *
   * @throws Cancelled if it is
   */
  void throwIfCancelled();

  /**
   * Reports progress. It is sent with the next heartbeat, and the next attempt receives the last value.
   *
   * @param value anything that Jackson writes
   */
  void progress(Object value);

  /**
   * Logs with the IDs of job and attempt in the MDC. Lines from level info on are also stored with the attempt on the
   * server.
   *
   * @return the logger
   */
  Logger log();
}
