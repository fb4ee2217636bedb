package dev.trunkline;

import dev.trunkline.JobChannel.Answer;
import dev.trunkline.JobChannel.Kind;
import dev.trunkline.JobChannel.Report;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Reports the ends of jobs: what ends while a report is under way goes into the next one, and nothing is given up while the
 * server may come back.
 */
final class Reporter {
  private static final int BATCH_MAX = 100;

  private record Waiting(Report report, CompletableFuture<Answer> answer) {}

  private final JobChannel channel;
  private final Executor executor;
  private final Map<Kind, Deque<Waiting>> queues = new EnumMap<>(Kind.class);
  private final Set<Kind> active = EnumSet.noneOf(Kind.class);
  private boolean isOver;

  Reporter(JobChannel channel, Executor executor) {
    this.channel = channel;
    this.executor = executor;
    for (Kind kind : Kind.values()) {
      queues.put(kind, new ArrayDeque<>());
    }
  }

  /** Reports one job; the answer is what the server said of it, or the failure of what it refuses for good. */
  CompletableFuture<Answer> send(Kind kind, Report report) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    synchronized (this) {
      queues.get(kind).add(new Waiting(report, answer));
      if (active.add(kind)) {
        executor.execute(() -> drain(kind));
      }
    }
    return answer;
  }

  /** From now on nothing is tried again. */
  synchronized void giveUp() {
    isOver = true;
    notifyAll();
  }

  private void drain(Kind kind) {
    while (true) {
      List<Waiting> batch = new ArrayList<>();
      synchronized (this) {
        Deque<Waiting> queue = queues.get(kind);
        if (queue.isEmpty()) {
          active.remove(kind);
          return;
        }
        while (!queue.isEmpty() && batch.size() < BATCH_MAX) {
          batch.add(queue.poll());
        }
      }
      sendBatch(kind, batch);
    }
  }

  private void sendBatch(Kind kind, List<Waiting> batch) {
    for (int attempt = 0; ; attempt++) {
      try {
        List<Answer> answers = channel.report(kind, batch.stream().map(Waiting::report).toList());
        for (int i = 0; i < batch.size(); i++) {
          Answer plain = new Answer(batch.get(i).report().id(), "ok", null);
          batch.get(i).answer().complete(i < answers.size() ? answers.get(i) : plain);
        }
        return;
      } catch (RuntimeException error) {
        boolean mayPass = Backoffs.isTransient(error) || error instanceof CallTimeout;
        Duration pause = Backoffs.before(error, attempt, ThreadLocalRandom.current().nextDouble());
        if (mayPass && pause(pause)) {
          continue;
        }
        if (batch.size() > 1 && !mayPass) {
          // One report spoils the batch: each by itself shows which.
          batch.forEach(waiting -> sendBatch(kind, List.of(waiting)));
        } else {
          batch.forEach(waiting -> waiting.answer().completeExceptionally(error));
        }
        return;
      }
    }
  }

  /** Waits; false once nothing is to be tried again. */
  private synchronized boolean pause(Duration pause) {
    long ends = System.nanoTime() + pause.toNanos();
    try {
      for (long left = pause.toMillis(); !isOver && left > 0; left = (ends - System.nanoTime()) / 1_000_000) {
        wait(left);
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      return false;
    }
    return !isOver;
  }
}
