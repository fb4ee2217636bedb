package dev.trunkline;

/** The server could not be reached, or the connection broke. */
public final class ConnectionException extends TrunklineException {
  /**
   * One with a cause.
   *
   * @param message what happened
   * @param cause why; may be null
   */
  public ConnectionException(String message, Throwable cause) {
    super(message, cause);
  }
}
