package dev.trunkline.testing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.Cancelled;
import dev.trunkline.JobContext;
import dev.trunkline.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A context for handlers that a test calls by hand. */
public final class FakeContext implements JobContext {
  private final List<JsonNode> reported = new CopyOnWriteArrayList<>();
  private final int attempt;
  private final JsonNode previousProgress;
  private volatile boolean isCancelled;

  /** The first attempt. */
  public FakeContext() {
    this(1, null);
  }

  /**
   * A later attempt.
   *
   * @param attempt its number
   * @param previousProgress what the attempt before said; may be null
   */
  public FakeContext(int attempt, Object previousProgress) {
    this.attempt = attempt;
    this.previousProgress = previousProgress == null ? null : Json.mapper().valueToTree(previousProgress);
  }

  /** Cancels the handler, as the server would, without the interrupt. */
  public void cancel() {
    isCancelled = true;
  }

  /**
   * What the handler said with {@link #progress}.
   *
   * @return in order
   */
  public List<JsonNode> reported() {
    return List.copyOf(reported);
  }

  @Override
  public String jobId() {
    return "job_test";
  }

  @Override
  public String jobType() {
    return "test";
  }

  @Override
  public int attempt() {
    return attempt;
  }

  @Override
  public String tenant() {
    return "default";
  }

  @Override
  public String idempotencyKey() {
    return "job_test";
  }

  @Override
  public Optional<Instant> deadline() {
    return Optional.empty();
  }

  @Override
  public Optional<JsonNode> previousProgress() {
    return Optional.ofNullable(previousProgress);
  }

  @Override
  public Optional<String> traceparent() {
    return Optional.empty();
  }

  @Override
  public Optional<String> executionId() {
    return Optional.empty();
  }

  @Override
  public Optional<String> nodeId() {
    return Optional.empty();
  }

  @Override
  public Optional<String> workflow() {
    return Optional.empty();
  }

  @Override
  public boolean isCancelled() {
    return isCancelled;
  }

  @Override
  public void throwIfCancelled() {
    if (isCancelled) {
      throw new Cancelled();
    }
  }

  @Override
  public void progress(Object value) {
    reported.add(Json.mapper().valueToTree(value));
  }

  @Override
  public Logger log() {
    return LoggerFactory.getLogger(FakeContext.class);
  }
}
