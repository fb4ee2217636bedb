// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The schema WebhookProvider of the API. */
public enum WebhookProvider {
  /** <code>github</code> on the wire. */
  @JsonProperty("github")
  GITHUB,
  /** <code>stripe</code> on the wire. */
  @JsonProperty("stripe")
  STRIPE,
  /** <code>slack</code> on the wire. */
  @JsonProperty("slack")
  SLACK,
  /** <code>shopify</code> on the wire. */
  @JsonProperty("shopify")
  SHOPIFY,
  /** <code>standard</code> on the wire. */
  @JsonProperty("standard")
  STANDARD,
  /** <code>svix</code> on the wire. */
  @JsonProperty("svix")
  SVIX,
  /** <code>twilio</code> on the wire. */
  @JsonProperty("twilio")
  TWILIO,
  /** <code>linear</code> on the wire. */
  @JsonProperty("linear")
  LINEAR,
  /** <code>gitlab</code> on the wire. */
  @JsonProperty("gitlab")
  GITLAB,
  /** <code>square</code> on the wire. */
  @JsonProperty("square")
  SQUARE,
  /** <code>zoom</code> on the wire. */
  @JsonProperty("zoom")
  ZOOM,
  /** <code>discord</code> on the wire. */
  @JsonProperty("discord")
  DISCORD,
  /** <code>pagerduty</code> on the wire. */
  @JsonProperty("pagerduty")
  PAGERDUTY,
  /** <code>paddle</code> on the wire. */
  @JsonProperty("paddle")
  PADDLE,
  /** <code>meta</code> on the wire. */
  @JsonProperty("meta")
  META,
  /** <code>hubspot</code> on the wire. */
  @JsonProperty("hubspot")
  HUBSPOT,
  /** <code>sendgrid</code> on the wire. */
  @JsonProperty("sendgrid")
  SENDGRID,
  /** <code>razorpay</code> on the wire. */
  @JsonProperty("razorpay")
  RAZORPAY,
  /** <code>hmac</code> on the wire. */
  @JsonProperty("hmac")
  HMAC,
  /** <code>none</code> on the wire. */
  @JsonProperty("none")
  NONE,
  /** What a newer server says and this version does not know. */
  @JsonEnumDefaultValue
  UNKNOWN
}
