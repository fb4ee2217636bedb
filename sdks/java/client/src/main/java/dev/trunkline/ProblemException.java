package dev.trunkline;

import dev.trunkline.model.Problem;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;

/** The server rejected a call: an RFC 9457 problem document. */
public final class ProblemException extends TrunklineException {
  private final transient Problem problem;
  private final int status;
  private final Duration retryAfter;

  /**
   * One of an answer.
   *
   * @param problem the document
   * @param status the HTTP status
   * @param retryAfter what the header of that name said; may be null
   */
  public ProblemException(Problem problem, int status, Duration retryAfter) {
    super(text(problem, status), null);
    this.problem = problem;
    this.status = status;
    this.retryAfter = retryAfter;
  }

  private static String text(Problem problem, int status) {
    String faults = problem.errors() == null ? "" : problem.errors().stream()
        .map(fault -> "; " + fault.pointer() + ": " + fault.message()).collect(Collectors.joining());
    return status + " " + problem.code() + ": " + problem.detail() + faults;
  }

  /**
   * The document, with the faults of an invalid request.
   *
   * @return the document
   */
  public Problem problem() {
    return problem;
  }

  /**
   * The HTTP status.
   *
   * @return the status
   */
  public int status() {
    return status;
  }

  /**
   * The stable code for programs; empty if the response was not a problem document.
   *
   * @return the code
   */
  public String code() {
    return problem.code() == null ? "" : problem.code();
  }

  /**
   * Value of <code>Retry-After</code>.
   *
   * @return the wait
   */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
