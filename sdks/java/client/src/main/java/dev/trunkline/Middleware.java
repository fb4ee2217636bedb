package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;

/** Goes around every handler: look at the job, change what comes back, or throw. */
@FunctionalInterface
public interface Middleware {
  /**
   * Around one attempt.
   *
   * @param data of the job
   * @param context of the attempt
   * @param next what is inside
   * @return the result
   * @throws Exception where it fails
   */
  JsonNode around(JsonNode data, JobContext context, Next next) throws Exception;

  /** What is inside of a middleware. */
  @FunctionalInterface
  interface Next {
    /**
     * Runs it.
     *
     * @return the result
     * @throws Exception where it fails
     */
    JsonNode run() throws Exception;
  }
}
