// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A rejected delivery.
 *
 * @param detail With <code>quota_exceeded</code>: what makes room. May be null.
 * @param error Stable code: <code>signature</code>, <code>unknown</code>, <code>malformed</code>, <code>header_too_large</code>, <code>challenge</code>, <code>method</code>, <code>encoding</code>, <code>rate_limited</code>, <code>too_large</code>, <code>paused</code>, <code>quota_exceeded</code>, <code>unavailable</code>.
 * @param quota With <code>quota_exceeded</code>: the quota <code>deliveryBytes</code> of the tenant, or the setting <code>webhooks.stored_per_webhook</code> or <code>webhooks.stored</code>. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RefusedDelivery(
    String detail,
    String error,
    String quota) {}
