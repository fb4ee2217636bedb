// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * How requests are signed. The provider <code>hmac</code> takes all of it and needs <code>header</code>; the others take <code>tolerance</code> and <code>eventType</code>.
 *
 * @param algorithm <code>sha256</code> where absent. May be null.
 * @param encoding <code>hex</code> where absent. May be null.
 * @param eventType Where the event type stands: <code>header:&lt;name&gt;</code> or <code>field:&lt;JSON pointer&gt;</code>. May be null.
 * @param header The header with the signature. May be null.
 * @param idHeader The header with the signed id. May be null.
 * @param listSeparator What separates several signatures. May be null.
 * @param prefix What stands before each signature, such as <code>sha256=</code>. May be null.
 * @param secretEncoding How the secret is written; <code>text</code> where absent. May be null.
 * @param signedContent A template over {id}, {timestamp}, {url}, {method} and {body}; <code>{body}</code> where absent. May be null.
 * @param timestampHeader The header with the signed time. May be null.
 * @param timestampItem What stands before the signed time within the signature header, such as <code>t=</code>. May be null.
 * @param timestampUnit <code>s</code> where absent. May be null.
 * @param tolerance How far the signed time may be from ours, both ways, 1s to 24h; 5m where absent. May be null.
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
     * <code>sha256</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder algorithm(String value) {
      algorithm = value;
      return this;
    }

    /**
     * <code>hex</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder encoding(String value) {
      encoding = value;
      return this;
    }

    /**
     * Where the event type stands: <code>header:&lt;name&gt;</code> or <code>field:&lt;JSON pointer&gt;</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder eventType(String value) {
      eventType = value;
      return this;
    }

    /**
     * The header with the signature.
     *
     * @param value the value
     * @return this builder
     */
    public Builder header(String value) {
      header = value;
      return this;
    }

    /**
     * The header with the signed id.
     *
     * @param value the value
     * @return this builder
     */
    public Builder idHeader(String value) {
      idHeader = value;
      return this;
    }

    /**
     * What separates several signatures.
     *
     * @param value the value
     * @return this builder
     */
    public Builder listSeparator(String value) {
      listSeparator = value;
      return this;
    }

    /**
     * What stands before each signature, such as <code>sha256=</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder prefix(String value) {
      prefix = value;
      return this;
    }

    /**
     * How the secret is written; <code>text</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder secretEncoding(String value) {
      secretEncoding = value;
      return this;
    }

    /**
     * A template over {id}, {timestamp}, {url}, {method} and {body}; <code>{body}</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder signedContent(String value) {
      signedContent = value;
      return this;
    }

    /**
     * The header with the signed time.
     *
     * @param value the value
     * @return this builder
     */
    public Builder timestampHeader(String value) {
      timestampHeader = value;
      return this;
    }

    /**
     * What stands before the signed time within the signature header, such as <code>t=</code>.
     *
     * @param value the value
     * @return this builder
     */
    public Builder timestampItem(String value) {
      timestampItem = value;
      return this;
    }

    /**
     * <code>s</code> where absent.
     *
     * @param value the value
     * @return this builder
     */
    public Builder timestampUnit(String value) {
      timestampUnit = value;
      return this;
    }

    /**
     * How far the signed time may be from ours, both ways, 1s to 24h; 5m where absent.
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
