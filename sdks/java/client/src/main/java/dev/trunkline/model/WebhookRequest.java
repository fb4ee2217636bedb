// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * An endpoint to save.
 *
 * @param dedupe How repetitions are known. May be null.
 * @param maxBody The largest body, up to 25MiB: a number of bytes, or text such as <code>1MiB</code>. The server's setting where absent. May be null.
 * @param name Unique within the tenant.
 * @param paused Whether it is paused; where absent, a new endpoint is not, and another stays as it is. May be null.
 * @param provider Who sends. <code>none</code> verifies nothing.
 * @param publicUrl The address that the sender calls, letter by letter. Needed where the provider signs it. May be null.
 * @param rateLimit How many requests it takes; the rest is held up to a bound of the server, and answered 429 beyond it. May be null.
 * @param respondWith The status of the answer to an accepted delivery: 200, 202 (where absent) or 204. May be null.
 * @param scheme How requests are signed, where that is not the provider's own. May be null.
 * @param secrets What signatures are checked with: secrets, or public keys of the provider. Never shown again. Where absent, a new endpoint gets one made if its provider takes any, and another keeps those that it has. May be null.
 * @param tenant The key's own tenant, or <code>default</code>, where absent. An endpoint stays with its tenant. May be null.
 * @param triggers What deliveries start. May be null.
 * @param verifyToken The token that Meta shows when it subscribes. Never shown again. May be null.
 * @param version Replaces the endpoint only if it still has this version. Not for a new one. May be null.
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
     * How repetitions are known.
     *
     * @param value the value
     * @return this builder
     */
    public Builder dedupe(WebhookDedupe value) {
      dedupe = value;
      return this;
    }

    /**
     * The largest body, up to 25MiB: a number of bytes, or text such as <code>1MiB</code>. The server's setting where absent.
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
     * Whether it is paused; where absent, a new endpoint is not, and another stays as it is.
     *
     * @param value the value
     * @return this builder
     */
    public Builder paused(Boolean value) {
      paused = value;
      return this;
    }

    /**
     * Who sends. <code>none</code> verifies nothing.
     *
     * @param value the value
     * @return this builder
     */
    public Builder provider(WebhookProvider value) {
      provider = value;
      return this;
    }

    /**
     * The address that the sender calls, letter by letter. Needed where the provider signs it.
     *
     * @param value the value
     * @return this builder
     */
    public Builder publicUrl(String value) {
      publicUrl = value;
      return this;
    }

    /**
     * How many requests it takes; the rest is held up to a bound of the server, and answered 429 beyond it.
     *
     * @param value the value
     * @return this builder
     */
    public Builder rateLimit(WebhookRateLimit value) {
      rateLimit = value;
      return this;
    }

    /**
     * The status of the answer to an accepted delivery: 200, 202 (where absent) or 204.
     *
     * @param value the value
     * @return this builder
     */
    public Builder respondWith(Integer value) {
      respondWith = value;
      return this;
    }

    /**
     * How requests are signed, where that is not the provider's own.
     *
     * @param value the value
     * @return this builder
     */
    public Builder scheme(WebhookScheme value) {
      scheme = value;
      return this;
    }

    /**
     * What signatures are checked with: secrets, or public keys of the provider. Never shown again. Where absent, a new endpoint gets one made if its provider takes any, and another keeps those that it has.
     *
     * @param value the value
     * @return this builder
     */
    public Builder secrets(List<String> value) {
      secrets = value;
      return this;
    }

    /**
     * The key's own tenant, or <code>default</code>, where absent. An endpoint stays with its tenant.
     *
     * @param value the value
     * @return this builder
     */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /**
     * What deliveries start.
     *
     * @param value the value
     * @return this builder
     */
    public Builder triggers(List<WebhookTrigger> value) {
      triggers = value;
      return this;
    }

    /**
     * The token that Meta shows when it subscribes. Never shown again.
     *
     * @param value the value
     * @return this builder
     */
    public Builder verifyToken(String value) {
      verifyToken = value;
      return this;
    }

    /**
     * Replaces the endpoint only if it still has this version. Not for a new one.
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
