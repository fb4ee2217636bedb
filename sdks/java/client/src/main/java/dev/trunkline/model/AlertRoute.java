// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A route.
 *
 * @param name name.
 * @param repeatEvery repeatEvery. May be null.
 * @param secret The generated secret, shown only in this response. May be null.
 * @param sendResolved sendResolved.
 * @param signed Whether notifications are signed.
 * @param to Email addresses of the recipients. May be null.
 * @param type <code>log</code>, <code>webhook</code>, <code>slack</code> or <code>mail</code>.
 * @param url URL of the webhook; only its scheme and host for callers that may not change routes. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AlertRoute(
    String name,
    String repeatEvery,
    String secret,
    Boolean sendResolved,
    Boolean signed,
    List<String> to,
    String type,
    String url) {}
