// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * An endpoint to save.
 *
 * @param dedupe Deduplication of deliveries. May be null.
 * @param maxBody Maximum body size, up to 25MiB: bytes, or text such as <code>1MiB</code> (default: the server's setting). May be null.
 * @param name Unique within the tenant.
 * @param paused Whether the endpoint is paused (default: false for a new one, unchanged for an existing one). May be null.
 * @param provider Provider. <code>none</code> verifies nothing.
 * @param publicUrl Exact URL that the sender calls. Required if the provider signs the URL. May be null.
 * @param rateLimit Rate limit. Excess requests are held up to a server limit; beyond it they get 429. May be null.
 * @param respondWith Status code of responses to accepted deliveries: 200, 202 (default) or 204. May be null.
 * @param scheme Signature scheme, if it differs from the provider's default. May be null.
 * @param secrets Signing secrets, or public keys of the provider. Never shown again. Default: a generated secret for a new endpoint whose provider accepts any secret; unchanged for an existing one. May be null.
 * @param tenant Tenant (default: the key's tenant, or <code>default</code>). It cannot change later. May be null.
 * @param triggers Triggers that start workflows. May be null.
 * @param verifyToken Verify token of Meta subscriptions. Never shown again. May be null.
 * @param version Expected current version of the endpoint; the update is rejected if it differs. Not allowed for a new endpoint. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WebhookRequest(
    WebhookDedupe dedupe,
    String maxBody,
    String name,
    Boolean paused,
    WebhookProvider provider,
    String publicUrl,
    WebhookRateLimit rateLimit,
    Integer respondWith,
    WebhookScheme scheme,
    List<String> secrets,
    String tenant,
    List<WebhookTrigger> triggers,
    String verifyToken,
    Long version) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a WebhookRequest. */
  public static final class Builder {
    private WebhookDedupe dedupe;
    private String maxBody;
    private String name;
    private Boolean paused;
    private WebhookProvider provider;
    private String publicUrl;
    private WebhookRateLimit rateLimit;
    private Integer respondWith;
    private WebhookScheme scheme;
    private List<String> secrets;
    private String tenant;
    private List<WebhookTrigger> triggers;
    private String verifyToken;
    private Long version;

    private Builder() {}

    /**
     * Deduplication of deliveries.
     *
     * @param value the value
     * @return this builder
     */
    public Builder dedupe(WebhookDedupe value) {
      dedupe = value;
      return this;
    }

    /**
     * Maximum body size, up to 25MiB: bytes, or text such as <code>1MiB</code> (default: the server's setting).
     *
     * @param value the value
     * @return this builder
     */
    public Builder maxBody(String value) {
      maxBody = value;
      return this;
    }

    /**
     * Unique within the tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * Whether the endpoint is paused (default: false for a new one, unchanged for an existing one).
     *
     * @param value the value
     * @return this builder
     */
    public Builder paused(Boolean value) {
      paused = value;
      return this;
    }

    /**
     * Provider. <code>none</code> verifies nothing.
     *
     * @param value the value
     * @return this builder
     */
    public Builder provider(WebhookProvider value) {
      provider = value;
      return this;
    }

    /**
     * Exact URL that the sender calls. Required if the provider signs the URL.
     *
     * @param value the value
     * @return this builder
     */
    public Builder publicUrl(String value) {
      publicUrl = value;
      return this;
    }

    /**
     * Rate limit. Excess requests are held up to a server limit; beyond it they get 429.
     *
     * @param value the value
     * @return this builder
     */
    public Builder rateLimit(WebhookRateLimit value) {
      rateLimit = value;
      return this;
    }

    /**
     * Status code of responses to accepted deliveries: 200, 202 (default) or 204.
     *
     * @param value the value
     * @return this builder
     */
    public Builder respondWith(Integer value) {
      respondWith = value;
      return this;
    }

    /**
     * Signature scheme, if it differs from the provider's default.
     *
     * @param value the value
     * @return this builder
     */
    public Builder scheme(WebhookScheme value) {
      scheme = value;
      return this;
    }

    /**
     * Signing secrets, or public keys of the provider. Never shown again. Default: a generated secret for a new endpoint whose provider accepts any secret; unchanged for an existing one.
     *
     * @param value the value
     * @return this builder
     */
    public Builder secrets(List<String> value) {
      secrets = value;
      return this;
    }

    /**
     * Tenant (default: the key's tenant, or <code>default</code>). It cannot change later.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * Triggers that start workflows.
     *
     * @param value the value
     * @return this builder
     */
    public Builder triggers(List<WebhookTrigger> value) {
      triggers = value;
      return this;
    }

    /**
     * Verify token of Meta subscriptions. Never shown again.
     *
     * @param value the value
     * @return this builder
     */
    public Builder verifyToken(String value) {
      verifyToken = value;
      return this;
    }

    /**
     * Expected current version of the endpoint; the update is rejected if it differs. Not allowed for a new endpoint.
     *
     * @param value the value
     * @return this builder
     */
    public Builder version(Long value) {
      version = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the WebhookRequest
     */
    public WebhookRequest build() {
      return new WebhookRequest(dedupe, maxBody, name, paused, provider, publicUrl, rateLimit, respondWith, scheme, secrets, tenant, triggers, verifyToken, version);
    }
  }
}
