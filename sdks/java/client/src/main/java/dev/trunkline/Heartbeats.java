package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.JobChannel.Answer;
import dev.trunkline.JobChannel.Beat;
import dev.trunkline.JobChannel.LeasedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Renews the leases of running jobs in a thread of its own. Each is renewed after a third of its length; one that could not
 * be renewed until its end counts as lost.
 */
final class Heartbeats extends Thread {
  // What is assumed where the clocks of worker and server are too far apart to tell.
  private static final long ASSUMED_MS = 30_000;
  private static final long BELIEVED_MAX_MS = 3_600_000;
  private static final long UNSURE_EVERY_MS = 500;
  // A clock that is behind the server's must not cost the lease.
  private static final long EVERY_MAX_MS = 10_000;
  private static final long PROGRESS_DELAY_MS = 250;
  private static final int JOBS_MAX = 1_000;

  /** Its key is its token: the next attempt of the same job may be in this process too. */
  private static final class Lease {
    private final String id;
    private final long lengthMs;
    private final long everyMs;
    private final Consumer<String> lost;
    private long dueAt;
    private long endsAt;
    private JsonNode progress;
    /** Whether the next heartbeat goes without progress, because the server refused what the last one had. */
    private boolean isBare;

    private Lease(String id, long lengthMs, long everyMs, Consumer<String> lost, long now) {
      this.id = id;
      this.lengthMs = lengthMs;
      this.everyMs = everyMs;
      this.lost = lost;
      dueAt = now + everyMs;
      endsAt = now + lengthMs;
    }
  }

  private final JobChannel channel;
  private final Consumer<Throwable> onError;
  private final Map<String, Lease> leases = new HashMap<>();
  private boolean isStopped;

  Heartbeats(JobChannel channel, Consumer<Throwable> onError) {
    super("trunkline-heartbeats");
    setDaemon(true);
    this.channel = channel;
    this.onError = onError;
  }

  private static long now() {
    return System.nanoTime() / 1_000_000;
  }

  /** Begins to renew. {@code lengthMs} 0 is the length that the job says. */
  synchronized void add(LeasedJob job, long lengthMs, Consumer<String> lost) {
    long length = lengthMs > 0 ? lengthMs : Duration.between(Instant.now(), job.leaseExpiresAt()).toMillis();
    boolean isKnown = length > 0 && length < BELIEVED_MAX_MS;
    // Where it is not known, a clock is wrong or the lease is over already: the next heartbeat tells.
    long every = isKnown ? Math.min(length / 3, EVERY_MAX_MS) : UNSURE_EVERY_MS;
    leases.put(job.leaseToken(), new Lease(job.id(), isKnown ? length : ASSUMED_MS, every, lost, now()));
    notifyAll();
  }

  synchronized void remove(String token) {
    leases.remove(token);
  }

  synchronized void progress(String token, JsonNode value) {
    Lease lease = leases.get(token);
    if (lease != null) {
      lease.progress = value;
      lease.dueAt = Math.min(lease.dueAt, now() + PROGRESS_DELAY_MS);
      notifyAll();
    }
  }

  synchronized void stopBeating() {
    isStopped = true;
    notifyAll();
    interrupt();
  }

  @Override
  public void run() {
    try {
      while (true) {
        synchronized (this) {
          if (isStopped) {
            return;
          }
          long pause = next() - now();
          if (pause > 0) {
            wait(pause);
            continue;
          }
        }
        beat();
      }
    } catch (InterruptedException | Cancelled stopped) {
      // The worker ended.
    }
  }

  private long next() {
    long next = now() + BELIEVED_MAX_MS;
    for (Lease lease : leases.values()) {
      next = Math.min(next, Math.min(lease.dueAt, lease.endsAt));
    }
    return next;
  }

  private void beat() {
    long started = now();
    List<Beat> beats = collect(started);
    if (beats.isEmpty()) {
      return;
    }
    List<Answer> answers;
    try {
      answers = channel.heartbeat(beats, limit(beats, started));
    } catch (Cancelled stopped) {
      throw stopped;
    } catch (RuntimeException error) {
      failed(error);
      answers = List.of();
    }
    List<Runnable> losses = apply(beats, answers, started);
    losses.forEach(Runnable::run);
    for (Answer answer : answers) {
      if (answer.outcome().equals("rejected")) {
        failed(new TrunklineException("the server refused the progress of " + answer.id() + ": " + answer.reason(), null));
      }
    }
  }

  /** What a program's listener does wrong must not end this thread: all leases would be lost. */
  private void failed(RuntimeException why) {
    try {
      onError.accept(why);
    } catch (RuntimeException error) {
      Worker.LOG.error("a listener failed", error);
    }
  }

  /** Drops what ended and gives what is due, with those that are due soon. */
  private List<Beat> collect(long now) {
    List<Beat> beats = new ArrayList<>();
    List<Runnable> losses = new ArrayList<>();
    synchronized (this) {
      for (Iterator<Map.Entry<String, Lease>> all = leases.entrySet().iterator(); all.hasNext(); ) {
        Map.Entry<String, Lease> entry = all.next();
        Lease lease = entry.getValue();
        if (lease.endsAt <= now) {
          all.remove();
          losses.add(() -> lease.lost.accept("lease_lost"));
        } else if (lease.dueAt <= now + lease.everyMs / 5 && beats.size() < JOBS_MAX) {
          beats.add(new Beat(lease.id, entry.getKey(), lease.isBare ? null : lease.progress));
        }
      }
    }
    losses.forEach(Runnable::run);
    return beats;
  }

  private synchronized Duration limit(List<Beat> beats, long now) {
    long limit = EVERY_MAX_MS;
    for (Beat beat : beats) {
      Lease lease = leases.get(beat.leaseToken());
      if (lease != null) {
        limit = Math.min(limit, Math.min(lease.endsAt - now, Math.max(lease.everyMs, 500)));
      }
    }
    return Duration.ofMillis(Math.max(limit, 100));
  }

  private synchronized List<Runnable> apply(List<Beat> beats, List<Answer> answers, long started) {
    List<Runnable> losses = new ArrayList<>();
    for (int i = 0; i < beats.size(); i++) {
      Beat beat = beats.get(i);
      Lease lease = leases.get(beat.leaseToken());
      if (lease == null) {
        continue;
      }
      if (i >= answers.size()) {
        lease.dueAt = now() + pause(lease);
        continue;
      }
      String outcome = answers.get(i).outcome();
      if (List.of("cancelled", "lease_lost", "already_done").contains(outcome)) {
        leases.remove(beat.leaseToken());
        losses.add(() -> lease.lost.accept(outcome));
        continue;
      }
      answered(lease, beat, outcome.equals("rejected"), started);
    }
    return losses;
  }

  /** Takes the answer to a heartbeat of a lease that holds. */
  private static void answered(Lease lease, Beat beat, boolean isRefused, long started) {
    boolean hasNewer = !Objects.equals(lease.progress, beat.progress());
    if (!hasNewer) {
      lease.progress = null;
    }
    lease.isBare = isRefused;
    if (isRefused) {
      // Nothing was renewed: another heartbeat goes at once, and no progress keeps it from that.
      lease.dueAt = now() + (beat.progress() == null ? pause(lease) : 0);
      return;
    }
    lease.endsAt = started + lease.lengthMs;
    lease.dueAt = started + lease.everyMs;
    if (hasNewer) {
      lease.dueAt = Math.min(lease.dueAt, now() + PROGRESS_DELAY_MS);
    }
  }

  /** How long to wait after a heartbeat that came to nothing. */
  private static long pause(Lease lease) {
    return Math.min(lease.everyMs / 2, 1_000);
  }
}
