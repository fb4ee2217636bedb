package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.trunkline.JobChannel.LeasedJob;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** One running attempt, and the context of its handler. */
final class Attempt implements JobContext {
  private static final Logger LOG = LoggerFactory.getLogger("dev.trunkline.handler");
  private final LeasedJob job;
  private final ObjectMapper mapper;
  private final BiConsumer<String, JsonNode> onProgress;
  private final LineSender.Lines lines;
  private final Logger log;
  private final CountDownLatch settled = new CountDownLatch(1);
  private Thread thread;
  private JsonNode latest;
  private Cancelled.Reason reason;
  private boolean isClaimed;
  private Future<?> deadlineTimer;

  Attempt(LeasedJob job, ObjectMapper mapper, BiConsumer<String, JsonNode> onProgress, LineSender.Lines lines) {
    this.job = job;
    this.mapper = mapper;
    this.onProgress = onProgress;
    this.lines = lines;
    log = new JobLogger(LOG, mapper, lines::add);
  }

  /** Runs the handler to its end in this thread, and says what is to be reported. */
  Outcome run(Handler<JsonNode, JsonNode> handler, List<Middleware> middleware, PayloadCodec codec) {
    synchronized (this) {
      thread = Thread.currentThread();
    }
    CurrentContext.set(this);
    MDC.put("jobId", job.id());
    MDC.put("attempt", Integer.toString(job.attempt()));
    try {
      throwIfCancelled();
      JsonNode data = codec.decode(orNull(job.data()), new PayloadCodec.Payload(false, job.jobType()));
      Middleware.Next next = () -> handler.handle(data, this);
      for (int i = middleware.size() - 1; i >= 0; i--) {
        Middleware around = middleware.get(i);
        Middleware.Next inner = next;
        next = () -> around.around(data, this, inner);
      }
      JsonNode result = orNull(next.run());
      // A result is reported even after a cancellation: the server decides whether the lease still holds.
      boolean isPlain = job.executionId() != null;
      return Outcome.complete(isPlain ? result : codec.encode(result, new PayloadCodec.Payload(true, job.jobType())));
    } catch (Throwable thrown) { // Errors too: a job must not end without a report.
      return Outcome.of(thrown, cancelReason());
    } finally {
      MDC.remove("jobId");
      MDC.remove("attempt");
      CurrentContext.clear();
      synchronized (this) {
        thread = null;
        // What an interrupt was for is over; the thread may serve another job.
        Thread.interrupted();
      }
    }
  }

  private static JsonNode orNull(JsonNode value) {
    return value == null ? NullNode.getInstance() : value;
  }

  /** Cancels the handler and interrupts its thread; the first reason stays. */
  synchronized void cancel(Cancelled.Reason why) {
    if (reason != null) {
      return;
    }
    reason = why;
    if (thread != null) {
      thread.interrupt();
    }
  }

  synchronized Cancelled.Reason cancelReason() {
    return reason;
  }

  /** The progress that was said since the last time this was asked; null where there was none. */
  synchronized JsonNode takeProgress() {
    JsonNode taken = latest;
    latest = null;
    return taken;
  }

  /** Whether the caller is to report the end: whoever runs the handler, or the drain that gives the job back. */
  synchronized boolean claimReport() {
    boolean isFirst = !isClaimed;
    isClaimed = true;
    return isFirst;
  }

  /** Keeps what ends the attempt at its deadline, until it is over. */
  synchronized void endsBy(Future<?> timer) {
    deadlineTimer = timer;
  }

  synchronized void settle() {
    settled.countDown();
    if (deadlineTimer != null) {
      deadlineTimer.cancel(false);
    }
  }

  /** Waits until the end is reported, however long that takes. */
  void awaitSettled() {
    try {
      settled.await();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  boolean awaitSettled(long nanos) throws InterruptedException {
    return settled.await(nanos, TimeUnit.NANOSECONDS);
  }

  LineSender.Lines lines() {
    return lines;
  }

  LeasedJob job() {
    return job;
  }

  @Override
  public String jobId() {
    return job.id();
  }

  @Override
  public String jobType() {
    return job.jobType();
  }

  @Override
  public int attempt() {
    return job.attempt();
  }

  @Override
  public String tenant() {
    return job.tenant();
  }

  @Override
  public String idempotencyKey() {
    return job.idempotencyKey() == null ? job.id() : job.idempotencyKey();
  }

  @Override
  public Optional<Instant> deadline() {
    return Optional.ofNullable(job.deadline());
  }

  @Override
  public Optional<JsonNode> previousProgress() {
    return Optional.ofNullable(job.progress()).filter(value -> !value.isNull());
  }

  @Override
  public Optional<String> traceparent() {
    return Optional.ofNullable(job.traceparent());
  }

  @Override
  public Optional<String> executionId() {
    return Optional.ofNullable(job.executionId());
  }

  @Override
  public Optional<String> nodeId() {
    return Optional.ofNullable(job.nodeId());
  }

  @Override
  public Optional<String> workflow() {
    return Optional.ofNullable(job.workflow());
  }

  @Override
  public boolean isCancelled() {
    return cancelReason() != null;
  }

  @Override
  public void throwIfCancelled() {
    Cancelled.Reason why = cancelReason();
    if (why != null) {
      throw new Cancelled(why);
    }
  }

  @Override
  public void progress(Object value) {
    JsonNode json = orNull(mapper.valueToTree(value));
    synchronized (this) {
      latest = json;
    }
    onProgress.accept(job.leaseToken(), json);
  }

  @Override
  public Logger log() {
    return log;
  }
}
