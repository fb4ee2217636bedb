// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A notification about an alert.
 *
 * @param alertId The alert; absent for a test. May be null.
 * @param createdAt createdAt.
 * @param error Why the last attempt failed. May be null.
 * @param id id.
 * @param nextTryAt Time of the next attempt. May be null.
 * @param route route.
 * @param sentAt sentAt. May be null.
 * @param status <code>pending</code>, <code>sent</code> or <code>failed</code>.
 * @param tries Number of attempts so far.
 * @param type <code>alert.firing</code>, <code>alert.resolved</code> or <code>alert.test</code>.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AlertNotification(
    String alertId,
    Instant createdAt,
    String error,
    String id,
    Instant nextTryAt,
    String route,
    Instant sentAt,
    String status,
    Integer tries,
    String type) {}
