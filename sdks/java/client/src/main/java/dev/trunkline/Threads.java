package dev.trunkline;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that do not keep the process alive, virtual ones where the Java that runs has them. */
final class Threads {
  private Threads() {}

  static ThreadFactory daemons(String name) {
    AtomicInteger count = new AtomicInteger();
    return work -> {
      Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** One thread for each handler. */
  static ExecutorService forHandlers() {
    try {
      // Java 21 and later; this is compiled for 17.
      return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException older) {
      return Executors.newCachedThreadPool(daemons("trunkline-handler"));
    }
  }
}
