package dev.trunkline;

/** Thrown by a handler: a retry cannot help. The job becomes a dead letter immediately. */
public final class NonRetryable extends TrunklineException implements Coded {
  private final String code;

  /**
   * One without a code.
   *
   * @param message for people
   */
  public NonRetryable(String message) {
    this(message, null, null);
  }

  /**
   * One with a code.
   *
   * @param message for people
   * @param code for programs; groups dead letters; may be null
   * @param cause why; may be null
   */
  public NonRetryable(String message, String code, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  @Override
  public String code() {
    return code;
  }
}
