package dev.trunkline;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signatures of webhooks according to Standard Webhooks: HMAC-SHA256 over <code>id.timestamp.body</code>. */
public final class Webhooks {
  private static final Duration TOLERANCE = Duration.ofMinutes(5);
  private static final int SIGNATURES_MAX = 16;

  private Webhooks() {}

  /** A webhook whose signature, timestamp or headers are invalid. */
  public static final class InvalidSignature extends TrunklineException {
    private InvalidSignature(String message) {
      super(message, null);
    }
  }

  /**
   * The value of <code>webhook-signature</code>.
   *
   * @param secret <code>whsec_…</code>
   * @param id of the message
   * @param at its time
   * @param body as it is sent
   * @return the value
   */
  public static String sign(String secret, String id, Instant at, byte[] body) {
    return "v1," + Base64.getEncoder().encodeToString(mac(secret, id, Long.toString(at.getEpochSecond()), body));
  }

  /**
   * The headers of a signed webhook, for tests of receivers.
   *
   * @param secret <code>whsec_…</code>
   * @param id of the message
   * @param at its time
   * @param body as it is sent
   * @return names and values
   */
  public static Map<String, String> signedHeaders(String secret, String id, Instant at, byte[] body) {
    return Map.of("webhook-id", id, "webhook-timestamp", Long.toString(at.getEpochSecond()),
        "webhook-signature", sign(secret, id, at, body));
  }

  /**
   * Accepts a webhook if one of the signatures matches the exact body received, and its timestamp is within five
   * minutes of now.
   *
   * @param secrets all valid secrets, also during a rotation
   * @param headers names in any case
   * @param body as it was received
   * @param now the time
   * @throws InvalidSignature otherwise
   */
  public static void verify(Collection<String> secrets, Map<String, String> headers, byte[] body, Instant now) {
    String id = header(headers, "webhook-id");
    String timestamp = header(headers, "webhook-timestamp");
    List<String> given = List.of(header(headers, "webhook-signature").split(" "));
    if (!timestamp.matches("\\d{1,12}")) {
      throw new InvalidSignature("webhook-timestamp is not a number of seconds");
    }
    Duration away = Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), now).abs();
    if (away.compareTo(TOLERANCE) > 0) {
      throw new InvalidSignature("webhook-timestamp is more than five minutes away");
    }
    if (given.size() > SIGNATURES_MAX) {
      throw new InvalidSignature("too many signatures");
    }
    boolean fits = false;
    for (String secret : secrets) {
      byte[] expected = mac(secret, id, timestamp, body);
      for (String signature : given) {
        // All are looked at, so that the time says nothing of which fits.
        fits |= signature.startsWith("v1,") && MessageDigest.isEqual(decode(signature.substring(3)), expected);
      }
    }
    if (!fits) {
      throw new InvalidSignature("no signature matches");
    }
  }

  private static byte[] mac(String secret, String id, String timestamp, byte[] body) {
    byte[] key = decode(secret.startsWith("whsec_") ? secret.substring(6) : secret);
    if (key.length == 0) {
      throw new IllegalArgumentException("the secret is not whsec_ and base64");
    }
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      return mac.doFinal(body);
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException("every Java has HmacSHA256", error);
    }
  }

  private static byte[] decode(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException error) {
      return new byte[0];
    }
  }

  private static String header(Map<String, String> headers, String name) {
    return headers.entrySet().stream().filter(entry -> entry.getKey().equalsIgnoreCase(name))
        .map(entry -> entry.getValue().trim()).filter(value -> !value.isEmpty()).findFirst()
        .orElseThrow(() -> new InvalidSignature(name + " is missing"));
  }
}
