// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * How requests are signed. The provider <code>hmac</code> supports all fields and requires <code>header</code>; other providers support only <code>tolerance</code> and <code>eventType</code>.
 *
 * @param algorithm HMAC algorithm (default <code>sha256</code>). May be null.
 * @param encoding Encoding of the signature (default <code>hex</code>). May be null.
 * @param eventType Location of the event type: <code>header:&lt;name&gt;</code> or <code>field:&lt;JSON pointer&gt;</code>. May be null.
 * @param header Header that contains the signature. May be null.
 * @param idHeader Header that contains the signed ID. May be null.
 * @param listSeparator Separator of multiple signatures. May be null.
 * @param prefix Prefix of each signature, such as <code>sha256=</code>. May be null.
 * @param secretEncoding Encoding of the secret (default <code>text</code>). May be null.
 * @param signedContent Template of the signed content over {id}, {timestamp}, {url}, {method} and {body} (default <code>{body}</code>). May be null.
 * @param timestampHeader Header that contains the signed timestamp. May be null.
 * @param timestampItem Prefix of the signed timestamp in the signature header, such as <code>t=</code>. May be null.
 * @param timestampUnit Unit of the timestamp (default <code>s</code>). May be null.
 * @param tolerance Maximum clock difference of the signed timestamp, 1s to 24h (default 5m). May be null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WebhookScheme(
    String algorithm,
    String encoding,
    String eventType,
    String header,
    String idHeader,
    String listSeparator,
    String prefix,
    String secretEncoding,
    String signedContent,
    String timestampHeader,
    String timestampItem,
    String timestampUnit,
    String tolerance) {
  /**
   * Starts one with nothing set.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a WebhookScheme. */
  public static final class Builder {
    private String algorithm;
    private String encoding;
    private String eventType;
    private String header;
    private String idHeader;
    private String listSeparator;
    private String prefix;
    private String secretEncoding;
    private String signedContent;
    private String timestampHeader;
    private String timestampItem;
    private String timestampUnit;
    private String tolerance;

    private Builder() {}

    /**
     * HMAC algorithm (default <code>sha256</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder algorithm(String value) {
      algorithm = value;
      return this;
    }

    /**
     * Encoding of the signature (default <code>hex</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder encoding(String value) {
      encoding = value;
      return this;
    }

    /**
     * Location of the event type: <code>header:&lt;name&gt;</code> or <code>field:&lt;JSON pointer&gt;</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder eventType(String value) {
      eventType = value;
      return this;
    }

    /**
     * Header that contains the signature.
     *
     * @param value the value
     * @return this builder
     */
    public Builder header(String value) {
      header = value;
      return this;
    }

    /**
     * Header that contains the signed ID.
     *
     * @param value the value
     * @return this builder
     */
    public Builder idHeader(String value) {
      idHeader = value;
      return this;
    }

    /**
     * Separator of multiple signatures.
     *
     * @param value the value
     * @return this builder
     */
    public Builder listSeparator(String value) {
      listSeparator = value;
      return this;
    }

    /**
     * Prefix of each signature, such as <code>sha256=</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder prefix(String value) {
      prefix = value;
      return this;
    }

    /**
     * Encoding of the secret (default <code>text</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder secretEncoding(String value) {
      secretEncoding = value;
      return this;
    }

    /**
     * Template of the signed content over {id}, {timestamp}, {url}, {method} and {body} (default <code>{body}</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder signedContent(String value) {
      signedContent = value;
      return this;
    }

    /**
     * Header that contains the signed timestamp.
     *
     * @param value the value
     * @return this builder
     */
    public Builder timestampHeader(String value) {
      timestampHeader = value;
      return this;
    }

    /**
     * Prefix of the signed timestamp in the signature header, such as <code>t=</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder timestampItem(String value) {
      timestampItem = value;
      return this;
    }

    /**
     * Unit of the timestamp (default <code>s</code>).
     *
     * @param value the value
     * @return this builder
     */
    public Builder timestampUnit(String value) {
      timestampUnit = value;
      return this;
    }

    /**
     * Maximum clock difference of the signed timestamp, 1s to 24h (default 5m).
     *
     * @param value the value
     * @return this builder
     */
    public Builder tolerance(String value) {
      tolerance = value;
      return this;
    }

    /**
     * The finished value.
     *
     * @return the WebhookScheme
     */
    public WebhookScheme build() {
      return new WebhookScheme(algorithm, encoding, eventType, header, idHeader, listSeparator, prefix, secretEncoding, signedContent, timestampHeader, timestampItem, timestampUnit, tolerance);
    }
  }
}
