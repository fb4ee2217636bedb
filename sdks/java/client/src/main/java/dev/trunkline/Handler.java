package dev.trunkline;

/**
 * Does the work of one attempt. It may throw any exception.
 *
 * @param <I> what the data is read as
 * @param <O> what is written as the result
 */
@FunctionalInterface
public interface Handler<I, O> {
  /**
   * Does it.
   *
   * @param data of the job
   * @param context of the attempt
   * @return the result; may be null
   * @throws Exception where it fails
   */
  O handle(I data, JobContext context) throws Exception;
}
