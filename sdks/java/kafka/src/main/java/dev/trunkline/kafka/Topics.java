package dev.trunkline.kafka;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** The names of topics, as docs/kafka.md has them. */
final class Topics {
  /** The highest first. */
  static final List<String> TIERS = List.of("high", "normal", "low");
  private static final int BYTES_MAX = 249;

  private Topics() {}

  /** The topics of a job type, that of the highest tier first. */
  static List<String> of(String prefix, String jobType, boolean isSingle) {
    return TIERS.stream().map(tier -> {
      String name = prefix + ".jobs." + escaped(jobType) + "." + tier;
      if (isSingle) {
        return prefix + ".jobs." + tier;
      }
      return name.length() <= BYTES_MAX ? name : prefix + ".jobs._." + digest(jobType) + "." + tier;
    }).toList();
  }

  /** A job type in the characters of topics: others as "._" and their code, and so a dot before an underscore. */
  private static String escaped(String jobType) {
    StringBuilder name = new StringBuilder();
    for (int place = 0; place < jobType.length(); place++) {
      char one = jobType.charAt(place);
      boolean isPlain = one == '.' ? !jobType.startsWith("_", place + 1)
          : one == '_' || one == '-' || one < 128 && Character.isLetterOrDigit(one);
      if (isPlain) {
        name.append(one);
      } else {
        name.append(String.format("._%02X", (int) one));
      }
    }
    return name.toString();
  }

  private static String digest(String jobType) {
    try {
      byte[] whole = MessageDigest.getInstance("SHA-256").digest(jobType.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(whole, 0, 16);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException("every Java has SHA-256", error);
    }
  }
}
