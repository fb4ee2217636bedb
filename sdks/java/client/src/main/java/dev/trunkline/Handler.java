package dev.trunkline;

/**
 * Processes one attempt. It may throw any exception.
 *
 * @param <I> type of the data
 * @param <O> type of the result
 */
@FunctionalInterface
public interface Handler<I, O> {
  /**
   * Does it.
   *
   * @param data of the job
   * @param context of the attempt
   * @return the result; may be null
   * @throws Exception if it fails
   */
  O handle(I data, JobContext context) throws Exception;
}
