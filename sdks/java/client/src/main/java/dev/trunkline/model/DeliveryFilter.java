// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * Filter of deliveries. Absent fields match everything; only verified deliveries that are not duplicates are
 * replayed.
 *
 * @param eventType Event type of the provider. May be null.
 * @param from Received at or after this instant. May be null.
 * @param status status. May be null.
 * @param tenant tenant. May be null.
 * @param to Received before this instant. May be null.
 * @param webhookId webhookId. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeliveryFilter(
    String eventType,
    Instant from,
    DeliveryStatus status,
    String tenant,
    Instant to,
    String webhookId) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a DeliveryFilter. */
  public static final class Builder {
    private String eventType;
    private Instant from;
    private DeliveryStatus status;
    private String tenant;
    private Instant to;
    private String webhookId;

    private Builder() {}

    /**
     * Event type of the provider.
     *
     * @param value the value
     * @return this builder
     */
    public Builder eventType(String value) {
      eventType = value;
      return this;
    }

    /**
     * Received at or after this instant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder from(Instant value) {
      from = value;
      return this;
    }

    /**
     * Sets status.
     *
     * @param value the value
     * @return this builder
     */
    public Builder status(DeliveryStatus value) {
      status = value;
      return this;
    }

    /**
     * Sets tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * Received before this instant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder to(Instant value) {
      to = value;
      return this;
    }

    /**
     * Sets webhookId.
     *
     * @param value the value
     * @return this builder
     */
    public Builder webhookId(String value) {
      webhookId = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the DeliveryFilter
     */
    public DeliveryFilter build() {
      return new DeliveryFilter(eventType, from, status, tenant, to, webhookId);
    }
  }
}
