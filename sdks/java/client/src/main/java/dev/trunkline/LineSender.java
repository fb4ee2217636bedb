package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.JobChannel.JobLines;
import dev.trunkline.JobChannel.LeasedJob;
import dev.trunkline.JobChannel.LogLine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Sends the lines that handlers log: gathered over all jobs of a worker, and those of a job before its report. */
final class LineSender {
  private static final int LINES_OF_CALL_MAX = 100;
  private static final int LINE_BYTES_MAX = 8 * 1024;
  // One line less than an attempt may have on the server: the last one says how many were dropped.
  private static final int LINES_OF_ATTEMPT_MAX = 999;
  private static final int BYTES_OF_ATTEMPT_MAX = 255 * 1024;
  // How long a line waits for others.
  private static final long PAUSE_MS = 1_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final JobChannel channel;
  private final ScheduledExecutorService timer;
  private final Executor executor;
  private final Set<Lines> open = new LinkedHashSet<>();
  private final Object sending = new Object();
  private boolean isPlanned;
  private volatile boolean isRefused;

  LineSender(JobChannel channel, ScheduledExecutorService timer, Executor executor) {
    this.channel = channel;
    this.timer = timer;
    this.executor = executor;
  }

  /** The lines of one attempt that wait to be sent. */
  static final class Lines {
    private final LeasedJob job;
    private final Runnable onLine;
    private final Deque<LogLine> waiting = new ArrayDeque<>();
    private int sequence;
    private int bytes;
    private int dropped;
    private boolean isClosed;

    Lines(LeasedJob job, Runnable onLine) {
      this.job = job;
      this.onLine = onLine;
    }

    void add(String level, String message, JsonNode fields) {
      String text = cut(message.replace('\0', '\uFFFD'));
      int size = text.getBytes(StandardCharsets.UTF_8).length;
      int ofFields = fields == null ? 0 : fields.toString().getBytes(StandardCharsets.UTF_8).length;
      JsonNode own = size + ofFields > LINE_BYTES_MAX ? null : fields;
      int all = own == null ? size : size + ofFields;
      synchronized (this) {
        if (isClosed) {
          return;
        }
        if (dropped > 0 || sequence >= LINES_OF_ATTEMPT_MAX || bytes + all > BYTES_OF_ATTEMPT_MAX) {
          dropped++;
          return;
        }
        bytes += all;
        put(level, text, own);
      }
      onLine.run();
    }

    private void put(String level, String message, JsonNode fields) {
      sequence++;
      waiting.add(new LogLine(Instant.now().truncatedTo(ChronoUnit.MILLIS), level, message, fields, sequence));
    }

    /** Takes no more; where lines were dropped, a last one says how many. */
    private synchronized void close() {
      if (!isClosed && dropped > 0) {
        put("warn", dropped + " more lines were dropped by the worker", null);
      }
      isClosed = true;
    }

    private synchronized List<LogLine> first(int count) {
      return waiting.stream().limit(count).toList();
    }

    private synchronized void sent(List<LogLine> lines) {
      int last = lines.get(lines.size() - 1).sequence();
      while (!waiting.isEmpty() && waiting.peek().sequence() <= last) {
        waiting.poll();
      }
    }

    private static String cut(String message) {
      byte[] all = message.getBytes(StandardCharsets.UTF_8);
      if (all.length <= LINE_BYTES_MAX) {
        return message;
      }
      int end = LINE_BYTES_MAX - 3;
      while ((all[end] & 0xC0) == 0x80) {
        end--;
      }
      return new String(all, 0, end, StandardCharsets.UTF_8) + "…";
    }
  }

  Lines begin(LeasedJob job) {
    Lines lines = new Lines(job, this::plan);
    synchronized (open) {
      open.add(lines);
    }
    return lines;
  }

  /** The attempt is over, whatever became of it. */
  void forget(Lines lines) {
    lines.close();
    synchronized (open) {
      open.remove(lines);
    }
  }

  /** Sends what an attempt has logged, before its report ends the lease. Tried once: lines are worth no delay of a report. */
  void end(Lines lines) {
    forget(lines);
    List<LogLine> before = lines.first(1);
    while (!before.isEmpty()) {
      send(List.of(lines));
      List<LogLine> after = lines.first(1);
      if (after.equals(before)) {
        return;
      }
      before = after;
    }
  }

  private void plan() {
    synchronized (open) {
      if (isPlanned || isRefused || timer.isShutdown()) {
        return;
      }
      isPlanned = true;
    }
    timer.schedule(() -> executor.execute(this::sendAll), PAUSE_MS, TimeUnit.MILLISECONDS);
  }

  private void sendAll() {
    List<Lines> all;
    synchronized (open) {
      isPlanned = false;
      all = List.copyOf(open);
    }
    send(all);
    if (all.stream().anyMatch(lines -> !lines.first(1).isEmpty())) {
      plan();
    }
  }

  /** One call after the other, so that the lines of an attempt stay in order. */
  private void send(List<Lines> from) {
    synchronized (sending) {
      int room = LINES_OF_CALL_MAX;
      List<JobLines> jobs = new ArrayList<>();
      List<Lines> senders = new ArrayList<>();
      for (Lines lines : from) {
        List<LogLine> first = lines.first(room);
        room -= first.size();
        if (!first.isEmpty()) {
          jobs.add(new JobLines(lines.job.id(), lines.job.leaseToken(), first));
          senders.add(lines);
        }
      }
      if (jobs.isEmpty() || isRefused) {
        return;
      }
      try {
        channel.log(jobs, TIMEOUT);
      } catch (ProblemException problem) {
        if (Backoffs.isTransient(problem)) {
          return;
        }
        // A server that knows no lines yet is not asked again.
        isRefused = problem.status() == 404 || problem.status() == 405;
      } catch (TrunklineException error) {
        // Sent again: the server keeps a line with the same number once.
        return;
      }
      for (int i = 0; i < senders.size(); i++) {
        senders.get(i).sent(jobs.get(i).lines());
      }
    }
  }
}
