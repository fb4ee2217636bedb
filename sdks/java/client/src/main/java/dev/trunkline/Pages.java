package dev.trunkline;

import dev.trunkline.model.Page;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Lists that come in parts. */
final class Pages {
  private Pages() {}

  /** All items; {@code read} gets the query with the cursor. */
  static <T> List<T> all(Map<String, ?> query, Function<Map<String, ?>, Page<T>> read) {
    List<T> items = new ArrayList<>();
    Map<String, Object> next = new HashMap<>(query);
    do {
      Page<T> page = read.apply(next);
      items.addAll(page.items());
      next.put("cursor", page.nextCursor());
    } while (next.get("cursor") != null);
    return items;
  }
}
