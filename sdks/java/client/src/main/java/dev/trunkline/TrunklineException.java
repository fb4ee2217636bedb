package dev.trunkline;

/** The base class of all exceptions of this package. */
public class TrunklineException extends RuntimeException {
  /**
   * One with a cause.
   *
   * @param message what happened
   * @param cause why; may be null
   */
  public TrunklineException(String message, Throwable cause) {
    super(message, cause);
  }
}
