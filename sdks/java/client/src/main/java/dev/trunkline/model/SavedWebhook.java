// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * A saved endpoint with its generated secrets.
 *
 * @param createdAt createdAt.
 * @param dedupe dedupe.
 * @param fullUrl URL for the sender: its <code>publicUrl</code>, or derived from the server's; absent if neither is set. May be null.
 * @param id id.
 * @param lacksSecret Whether it has no valid secret although its provider signs deliveries: all deliveries are rejected until a secret is set.
 * @param maxBody Configured maximum body size in bytes. May be null.
 * @param maxBodyEffective Effective maximum body size in bytes.
 * @param name name.
 * @param paused paused.
 * @param provider provider.
 * @param publicUrl Configured URL that the sender calls. May be null.
 * @param rateLimit rateLimit. May be null.
 * @param respondWith respondWith.
 * @param scheme scheme.
 * @param secrets Secrets without their values. Absent in lists. May be null.
 * @param tenant tenant.
 * @param triggers triggers.
 * @param updatedAt updatedAt.
 * @param url Path of the endpoint on the server.
 * @param verified Whether deliveries are verified: false for the provider <code>none</code>.
 * @param version Version, incremented by each change.
 * @param warnings Warnings about valid but probably unintended values.
 * @param secret The generated secret, shown only in this response. May be null.
 * @param verifyToken The generated verify token, shown only in this response. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SavedWebhook(
    Instant createdAt,
    WebhookDedupe dedupe,
    String fullUrl,
    String id,
    Boolean lacksSecret,
    Long maxBody,
    Long maxBodyEffective,
    String name,
    Boolean paused,
    WebhookProvider provider,
    String publicUrl,
    WebhookRateLimit rateLimit,
    Integer respondWith,
    WebhookScheme scheme,
    List<WebhookSecret> secrets,
    String tenant,
    List<WebhookTrigger> triggers,
    Instant updatedAt,
    String url,
    Boolean verified,
    Long version,
    List<String> warnings,
    String secret,
    String verifyToken) {}
