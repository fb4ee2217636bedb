package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;

/** Wraps every handler: it can inspect the job, change the result, or throw. */
@FunctionalInterface
public interface Middleware {
  /**
   * Around one attempt.
   *
   * @param data of the job
   * @param context of the attempt
   * @param next the inner middleware or handler
   * @return the result
   * @throws Exception if it fails
   */
  JsonNode around(JsonNode data, JobContext context, Next next) throws Exception;

  /** The inner middleware or handler. */
  @FunctionalInterface
  interface Next {
    /**
     * Runs it.
     *
     * @return the result
     * @throws Exception if it fails
     */
    JsonNode run() throws Exception;
  }
}
