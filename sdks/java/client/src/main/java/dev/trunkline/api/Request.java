package dev.trunkline.api;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * One call of the interface, named as in the OpenAPI document.
 *
 * @param name the operation, such as <code>enqueueJob</code>
 * @param method the HTTP method
 * @param path the path with its parameters in place
 * @param query the query; null values are not sent
 * @param body sent as JSON; null sends none
 * @param keyed whether the call takes an idempotency key
 */
public record Request(String name, String method, String path, Map<String, ?> query, Object body, boolean keyed) {
  /**
   * Text as a part of a path.
   *
   * @param text any text
   * @return the text, escaped
   */
  public static String escape(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
