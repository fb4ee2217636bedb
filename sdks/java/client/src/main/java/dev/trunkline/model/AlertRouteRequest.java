// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A route for notifications.
 *
 * @param repeatEvery Interval at which a firing alert is sent again. Default: never. May be null.
 * @param secret Signing secret as defined by Standard Webhooks, <code>whsec_…</code>. If absent, one is generated and shown once. May be null.
 * @param sendResolved Whether a notification is also sent when an alert is resolved. Default: true. May be null.
 * @param to Email addresses of the recipients. May be null.
 * @param type <code>log</code>, <code>webhook</code>, <code>slack</code> or <code>mail</code>.
 * @param url URL of the webhook. May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AlertRouteRequest(
    String repeatEvery,
    String secret,
    Boolean sendResolved,
    List<String> to,
    String type,
    String url) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a AlertRouteRequest. */
  public static final class Builder {
    private String repeatEvery;
    private String secret;
    private Boolean sendResolved;
    private List<String> to;
    private String type;
    private String url;

    private Builder() {}

    /**
     * Interval at which a firing alert is sent again. Default: never.
     *
     * @param value the value
     * @return this builder
     */
    public Builder repeatEvery(String value) {
      repeatEvery = value;
      return this;
    }

    /**
     * Signing secret as defined by Standard Webhooks, <code>whsec_…</code>. If absent, one is generated and shown once.
     *
     * @param value the value
     * @return this builder
     */
    public Builder secret(String value) {
      secret = value;
      return this;
    }

    /**
     * Whether a notification is also sent when an alert is resolved. Default: true.
     *
     * @param value the value
     * @return this builder
     */
    public Builder sendResolved(Boolean value) {
      sendResolved = value;
      return this;
    }

    /**
     * Email addresses of the recipients.
     *
     * @param value the value
     * @return this builder
     */
    public Builder to(List<String> value) {
      to = value;
      return this;
    }

    /**
     * <code>log</code>, <code>webhook</code>, <code>slack</code> or <code>mail</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder type(String value) {
      type = value;
      return this;
    }

    /**
     * URL of the webhook.
     *
     * @param value the value
     * @return this builder
     */
    public Builder url(String value) {
      url = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the AlertRouteRequest
     */
    public AlertRouteRequest build() {
      return new AlertRouteRequest(repeatEvery, secret, sendResolved, to, type, url);
    }
  }
}
