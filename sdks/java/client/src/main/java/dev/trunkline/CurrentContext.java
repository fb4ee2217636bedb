package dev.trunkline;

/** The context of the handler that a thread runs, so that calls of a client carry its trace on. */
final class CurrentContext {
  private static final ThreadLocal<JobContext> CURRENT = new ThreadLocal<>();

  private CurrentContext() {}

  static void set(JobContext context) {
    CURRENT.set(context);
  }

  static void clear() {
    CURRENT.remove();
  }

  static String traceparent() {
    JobContext context = CURRENT.get();
    return context == null ? null : context.traceparent().orElse(null);
  }
}
