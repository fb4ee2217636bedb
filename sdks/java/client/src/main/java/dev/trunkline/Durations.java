package dev.trunkline;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as the server writes them, such as <code>1m 30s</code> or <code>250ms</code>. */
public final class Durations {
  private static final Pattern WHOLE = Pattern.compile("(?:\\d+(?:ms|s|m|h|d)\\s*)+");
  private static final Pattern PART = Pattern.compile("(\\d+)(ms|s|m|h|d)");
  private static final Map<String, Long> UNITS = Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  private Durations() {}

  /**
   * Reads one.
   *
   * @param text such as <code>30s</code>
   * @return the duration
   * @throws IllegalArgumentException if it is not a duration
   */
  public static Duration parse(String text) {
    if (!WHOLE.matcher(text.trim()).matches()) {
      throw new IllegalArgumentException("\"" + text + "\" is no duration; write one as 30s, 1m 30s or 250ms");
    }
    long sum = 0;
    for (Matcher part = PART.matcher(text); part.find(); ) {
      sum = Math.addExact(sum, Math.multiplyExact(Long.parseLong(part.group(1)), UNITS.get(part.group(2))));
    }
    return Duration.ofMillis(sum);
  }

  /**
   * Writes one.
   *
   * @param duration any; parts of a millisecond are rounded up
   * @return such as <code>30000ms</code>
   */
  public static String text(Duration duration) {
    return duration.plusNanos(999_999).toMillis() + "ms";
  }
}
