package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.trunkline.JobChannel.Answer;
import dev.trunkline.JobChannel.Beat;
import dev.trunkline.JobChannel.Kind;
import dev.trunkline.JobChannel.LeasedJob;
import dev.trunkline.JobChannel.LeasedJobs;
import dev.trunkline.JobChannel.Poll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Polls, runs handlers side by side, reports and drains. */
final class WorkerLoop {
  private static final int POLL_JOBS_MAX = 100;
  // A poll that is this much later than it was to wait is a channel that does not deliver, whatever becomes of it.
  private static final Duration POLL_LATE = Duration.ofSeconds(2);
  // Cancelled handlers get this long to end before their jobs are given back without them.
  private static final Duration CANCEL_GRACE = Duration.ofSeconds(1);
  // How long reports may take once the worker has to end.
  private static final Duration LAST_REPORTS = Duration.ofSeconds(5);
  // For so long a job of a type that has no handler here goes back, which no server should have sent.
  private static final String NOT_OURS_DELAY = "1s";
  // How many ends of leases are kept for jobs that have not begun.
  private static final int ENDED_MAX = 1_000;

  private final Worker.Builder settings;
  private final JobChannel channel;
  private final Health health = new Health();
  private final WorkerMetrics listener;
  private final ExecutorService handlers = Threads.forHandlers();
  private final ExecutorService reports = Executors.newCachedThreadPool(Threads.daemons("trunkline-reports"));
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, Threads.daemons("trunkline-timer"));
  private final Reporter reporter;
  private final Heartbeats heartbeats;
  private final LineSender lines;
  // By lease token: two attempts of a job may overlap here.
  private final Map<String, Attempt> running = new HashMap<>();

  /** Jobs of types that it does not have, on their way back. */
  private final Set<CompletableFuture<Answer>> returning = ConcurrentHashMap.newKeySet();
  // Why leases ended whose jobs have not begun yet, by lease token.
  private final Map<String, String> lost = new HashMap<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private boolean isStopping;
  private int stops;
  private boolean hasStarted;
  private Thread poller;

  WorkerLoop(Worker.Builder settings) {
    this.settings = settings;
    listener = new WorkerMetrics(settings.listener);
    channel = new JobChannel(settings.client.transport());
    reporter = new Reporter(channel, reports);
    heartbeats = new Heartbeats(channel, listener::heartbeatFailed);
    lines = new LineSender(channel, timer, reports);
    // Deadlines are far away, and hold the data of their jobs.
    timer.setRemoveOnCancelPolicy(true);
  }

  /** How many timers are set. */
  int timers() {
    return timer.getQueue().size();
  }

  Health health() {
    return health;
  }

  void run() {
    synchronized (this) {
      if (hasStarted) {
        throw new IllegalStateException("the worker was started before");
      }
      hasStarted = true;
    }
    HttpServer server = settings.health == null ? null : health.serve(settings.health, listener);
    heartbeats.start();
    settings.client.transport().onCancel(settings.workerId, (token, outcome) -> {
      heartbeats.remove(token);
      lose(token, outcome);
    });
    try {
      poll();
    } finally {
      health.set(Health.Status.DRAINING, null);
      settings.client.transport().endDelivery(settings.workerId);
      drain();
      heartbeats.stopBeating();
      if (server != null) {
        server.stop(0);
      }
      handlers.shutdown();
      reports.shutdown();
      timer.shutdownNow();
      ended.countDown();
    }
  }

  /** Takes nothing new from now on. A second time, it does not wait for handlers. */
  synchronized void requestStop() {
    stops++;
    if (stops > 1) {
      running.values().forEach(attempt -> attempt.cancel(Cancelled.Reason.DRAINING));
    }
    isStopping = true;
    health.set(Health.Status.DRAINING, null);
    if (poller != null) {
      poller.interrupt();
    }
    notifyAll();
  }

  void awaitEnd() {
    synchronized (this) {
      if (!hasStarted) {
        return;
      }
    }
    try {
      ended.await();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  private void poll() {
    int failures = 0;
    boolean hasCome = false;
    synchronized (this) {
      poller = Thread.currentThread();
    }
    try {
      for (int free = awaitFree(); free > 0; free = awaitFree()) {
        try {
          LeasedJobs polled = pollOnce(Math.min(free, POLL_JOBS_MAX));
          failures = 0;
          hasCome = true;
          health.set(Health.Status.OK, null);
          listener.polled(polled.jobs().size());
          polled.jobs().forEach(this::begin);
          if (polled.drain()) {
            Worker.LOG.info("an operator drains this worker: it ends");
            return;
          }
        } catch (Cancelled stopped) {
          return;
        } catch (TrunklineException error) {
          failed(error, hasCome);
          Sleep.orCancelled(Backoffs.before(error, failures++, ThreadLocalRandom.current().nextDouble()));
        }
      }
    } catch (Cancelled stopped) {
      // The worker is to drain.
    } finally {
      synchronized (this) {
        poller = null;
        // What the interrupt was for is over.
        Thread.interrupted();
      }
    }
  }

  private void failed(TrunklineException error, boolean hasCome) {
    health.set(Health.Status.DISCONNECTED, error);
    listener.pollFailed(error);
    // A worker that never got an answer has no use in asking again with a wrong key.
    boolean isFinal = error instanceof ProblemException problem && problem.status() < 500 && !Backoffs.isTransient(error);
    if (isFinal && !hasCome) {
      throw error;
    }
    Worker.LOG.warn("poll failed: {}", error.getMessage());
  }

  private LeasedJobs pollOnce(int maxJobs) {
    // Until polls come back they do not wait, so that the health is known at once.
    Duration wait = health.status() == Health.Status.OK ? settings.pollWait : Duration.ZERO;
    String lease = settings.lease == null ? null : Durations.text(settings.lease);
    Poll poll = new Poll(settings.workerId, List.copyOf(settings.handlers.keySet()), maxJobs, Durations.text(wait), lease,
        settings.tenant, settings.buildId, settings.builds);
    ScheduledFuture<?> late = timer.schedule(
        () -> health.set(Health.Status.DISCONNECTED, new CallTimeout("a poll has no answer", null)),
        wait.plus(POLL_LATE).toMillis(), TimeUnit.MILLISECONDS);
    try {
      return channel.poll(poll, wait);
    } finally {
      late.cancel(false);
    }
  }

  /** Waits for a free place; 0 once the worker is to stop. */
  private synchronized int awaitFree() {
    while (!isStopping && running.size() >= settings.concurrency) {
      try {
        wait();
      } catch (InterruptedException stopped) {
        return 0;
      }
    }
    return isStopping ? 0 : settings.concurrency - running.size();
  }

  private void begin(LeasedJob job) {
    Handler<JsonNode, JsonNode> handler = settings.handlers.get(job.jobType());
    if (handler == null) {
      // Not ours, whatever the server thinks: another worker gets it, and this one not at once again.
      CompletableFuture<Answer> sent = reporter.send(Kind.RELEASE, Outcome.release(NOT_OURS_DELAY).report(job));
      returning.add(sent);
      sent.whenComplete((answer, error) -> returning.remove(sent));
      return;
    }
    Attempt attempt = new Attempt(job, settings.client.mapper(), heartbeats::progress, lines.begin(job));
    String outcomeBefore;
    synchronized (this) {
      running.put(job.leaseToken(), attempt);
      outcomeBefore = lost.remove(job.leaseToken());
    }
    if (outcomeBefore != null) {
      lose(job.leaseToken(), outcomeBefore);
    }
    long leaseMs = settings.lease == null ? 0 : settings.lease.toMillis();
    heartbeats.add(job, leaseMs, outcome -> lose(job.leaseToken(), outcome));
    attempt.deadline().ifPresent(deadline -> {
      long left = Math.max(0, deadline.toEpochMilli() - System.currentTimeMillis());
      attempt.endsBy(timer.schedule(() -> attempt.cancel(Cancelled.Reason.DEADLINE), left, TimeUnit.MILLISECONDS));
    });
    handlers.execute(() -> serve(attempt, handler));
  }

  /** A job is not this worker's any more. A stream may say so before the job's poll is answered. */
  private synchronized void lose(String token, String outcome) {
    Attempt attempt = running.get(token);
    if (attempt != null) {
      attempt.cancel(outcome.equals("cancelled") ? Cancelled.Reason.CANCELLED : Cancelled.Reason.LEASE_LOST);
      return;
    }
    // Most of these are of jobs that have ended here.
    if (lost.size() >= ENDED_MAX) {
      lost.clear();
    }
    lost.put(token, outcome);
  }

  private void serve(Attempt attempt, Handler<JsonNode, JsonNode> handler) {
    String jobType = attempt.jobType();
    long started = System.nanoTime();
    listener.started(jobType);
    Outcome outcome = attempt.run(handler, settings.middleware, settings.client.codec());
    try {
      if (attempt.claimReport() && outcome.kind() != null) {
        settle(attempt, outcome);
      }
    } catch (RuntimeException error) {
      Worker.LOG.error("the report of {} failed", attempt.jobId(), error);
    } finally {
      heartbeats.remove(attempt.job().leaseToken());
      lines.forget(attempt.lines());
      synchronized (this) {
        running.remove(attempt.job().leaseToken());
        notifyAll();
      }
      attempt.settle();
    }
    var how = outcome.kind() == null ? WorkerListener.Outcome.LOST : WorkerListener.Outcome.valueOf(outcome.kind().name());
    listener.finished(jobType, how, Duration.ofNanos(System.nanoTime() - started));
  }

  private void settle(Attempt attempt, Outcome outcome) {
    if (outcome.kind() != Kind.COMPLETE) {
      sendLastProgress(attempt);
    }
    lines.end(attempt.lines());
    if (outcome.kind() == Kind.FAIL) {
      Worker.LOG.warn("attempt {} of {} failed: {}", attempt.attempt(), attempt.jobId(), outcome.error().message());
    }
    String refusal;
    try {
      Answer answer = reporter.send(outcome.kind(), outcome.report(attempt.job())).join();
      if (!answer.outcome().equals("rejected")) {
        return;
      }
      refusal = answer.reason();
    } catch (CompletionException error) {
      if (!(error.getCause() instanceof ProblemException problem) || outcome.kind() != Kind.COMPLETE) {
        throw error;
      }
      refusal = problem.getMessage();
    }
    if (outcome.kind() != Kind.COMPLETE) {
      throw new TrunklineException(refusal, null);
    }
    // A result that the server does not take fails the job.
    reporter.send(Kind.FAIL, Outcome.refused(refusal).report(attempt.job())).join();
  }

  /** The next attempt is to read what this one said last. */
  private void sendLastProgress(Attempt attempt) {
    JsonNode progress = attempt.takeProgress();
    if (progress == null) {
      return;
    }
    try {
      channel.heartbeat(List.of(new Beat(attempt.jobId(), attempt.job().leaseToken(), progress)), Duration.ofSeconds(5));
    } catch (TrunklineException error) {
      listener.heartbeatFailed(error);
    }
  }

  private void drain() {
    awaitAll(settings.drainTimeout);
    attempts().forEach(attempt -> attempt.cancel(Cancelled.Reason.DRAINING));
    awaitAll(CANCEL_GRACE);
    List<CompletableFuture<?>> last = new ArrayList<>(returning);
    for (Attempt attempt : attempts()) {
      // Side by side: a server that does not answer must not hold all of them up. Where the handler ended, its report is on its way.
      boolean isOurs = attempt.claimReport();
      last.add(CompletableFuture.runAsync(() -> end(attempt, isOurs), reports));
    }
    try {
      CompletableFuture.allOf(last.toArray(new CompletableFuture<?>[0])).get(LAST_REPORTS.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException error) {
      Worker.LOG.error("not all jobs were given back: their leases end by themselves", error);
    }
    reporter.giveUp();
  }

  private void end(Attempt attempt, boolean isOurs) {
    if (!isOurs) {
      attempt.awaitSettled();
      return;
    }
    sendLastProgress(attempt);
    lines.end(attempt.lines());
    reporter.send(Kind.RELEASE, Outcome.release(null).report(attempt.job())).join();
  }

  private synchronized List<Attempt> attempts() {
    return List.copyOf(running.values());
  }

  /** Waits until nothing runs, or the time is up, or everything that runs is cancelled by a second stop. */
  private void awaitAll(Duration limit) {
    long ends = System.nanoTime() + limit.toNanos();
    try {
      for (Attempt attempt : attempts()) {
        attempt.awaitSettled(Math.max(0, ends - System.nanoTime()));
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }
}
