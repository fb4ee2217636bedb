package dev.trunkline;

import dev.trunkline.api.Transport.Subscription;
import dev.trunkline.model.ChangeEvent;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Follows changes over one connection after another, in a thread of its own: a broken one is opened again, and an event of the kind
 * <code>resync</code> comes first then. It is for transports, which say how one connection is read.
 */
public abstract class EventStream implements Subscription {
  private final Runnable opened;
  private final Consumer<ChangeEvent> each;
  private final Consumer<RuntimeException> failed;
  private int failures;
  private boolean wasOpened;
  private volatile boolean isClosed;
  private volatile Thread thread;

  /**
   * A stream, which {@link #start} begins.
   *
   * @param opened called once the first connection is open
   * @param each called for each event, one after another
   * @param failed called once if the server rejects the stream
   */
  protected EventStream(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed) {
    this.opened = opened;
    this.each = each;
    this.failed = failed;
  }

  /**
   * Reads one connection until it breaks. An interrupt of its thread ends it, or {@link #stop} does.
   *
   * @throws Exception what broke it
   */
  protected abstract void read() throws Exception;

  /** Ends {@link #read} where an interrupt cannot. */
  protected void stop() {}

  /** A connection is open. */
  protected final void connected() {
    failures = 0;
    if (wasOpened) {
      each.accept(new ChangeEvent(null, null, null, "resync", null));
    } else {
      wasOpened = true;
      opened.run();
    }
  }

  /**
   * An event came.
   *
   * @param event what changed
   */
  protected final void give(ChangeEvent event) {
    each.accept(event);
  }

  /**
   * Whether nobody follows any more.
   *
   * @return true from {@link #close} on
   */
  protected final boolean isClosed() {
    return isClosed;
  }

  /** Begins. */
  public final void start() {
    Thread own = new Thread(this::follow, "trunkline-events");
    own.setDaemon(true);
    thread = own;
    own.start();
  }

  private void follow() {
    while (!isClosed) {
      TrunklineException error;
      try {
        read();
        error = new ConnectionException("events: the server ended the stream", null);
      } catch (TrunklineException refused) {
        error = refused;
      } catch (Exception broken) {
        error = RestTransport.unreachable("events", broken);
      }
      if (isClosed) {
        return;
      }
      if (!Backoffs.isTransient(error)) {
        failed.accept(error);
        return;
      }
      try {
        Thread.sleep(Backoffs.before(error, failures++, ThreadLocalRandom.current().nextDouble()).toMillis());
      } catch (InterruptedException closed) {
        return;
      }
    }
  }

  @Override
  public final void close() {
    isClosed = true;
    stop();
    Thread own = thread;
    if (own != null) {
      own.interrupt();
    }
  }
}
