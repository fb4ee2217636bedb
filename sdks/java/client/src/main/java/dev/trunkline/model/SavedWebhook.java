// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;

/**
 * An endpoint that was saved, with the secrets that were made for it.
 *
 * @param createdAt createdAt.
 * @param dedupe dedupe.
 * @param fullUrl Where it is for the sender: its <code>publicUrl</code>, or made of the server's; absent where neither is known. May be null.
 * @param id id.
 * @param maxBody The largest body in bytes, as it was set. May be null.
 * @param maxBodyEffective The largest body in bytes that is in force.
 * @param name name.
 * @param paused paused.
 * @param provider provider.
 * @param publicUrl The address that the sender calls, as it was set. May be null.
 * @param rateLimit rateLimit. May be null.
 * @param respondWith respondWith.
 * @param scheme scheme.
 * @param secrets Its secrets without their texts. Not in lists. May be null.
 * @param tenant tenant.
 * @param triggers triggers.
 * @param updatedAt updatedAt.
 * @param url Where it is, below the server's address.
 * @param verified Whether deliveries are verified at all: not by the provider <code>none</code>.
 * @param version Grows with each change.
 * @param warnings What is legal but may not be meant.
 * @param secret The secret that was made, shown in this answer only. May be null.
 * @param verifyToken The verify token that was made, shown in this answer only. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SavedWebhook(
    Instant createdAt,
    WebhookDedupe dedupe,
    String fullUrl,
    String id,
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
