package dev.trunkline;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The work of a node of a workflow, and options of nodes of any type. */
public final class Work {
  private final Map<String, Object> fields = new LinkedHashMap<>();

  private Work(String type) {
    fields.put("type", type);
  }

  private Work with(String name, Object value) {
    if (value != null) {
      fields.put(name, value);
    }
    return this;
  }

  Map<String, Object> json() {
    return fields;
  }

  /**
   * A job for a worker.
   *
   * @param jobType selects the handler
   * @param input what it gets; null is an empty object
   * @return the work
   */
  public static Work task(String jobType, Object input) {
    return new Work("SERVICE_TASK").with("jobType", jobType).with("input", input);
  }

  /**
   * A request that the server sends.
   *
   * @param method the method
   * @param url the address
   * @param headers may be null
   * @param body sent as JSON; may be null
   * @return the work
   */
  public static Work http(String method, String url, Map<String, String> headers, Object body) {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("method", method);
    request.put("url", url);
    if (headers != null) {
      request.put("headers", headers);
    }
    if (body != null) {
      request.put("body", body);
    }
    return new Work("HTTP").with("request", request);
  }

  /**
   * Computes its output in place.
   *
   * @param output with <code>${…}</code> in it
   * @return the work
   */
  public static Work transform(Object output) {
    return new Work("TRANSFORM").with("output", output);
  }

  /**
   * Waits.
   *
   * @param wait how long
   * @return the work
   */
  public static Work timer(Duration wait) {
    return new Work("TIMER").with("duration", Durations.text(wait));
  }

  /**
   * Waits until an instant.
   *
   * @param instant when
   * @return the work
   */
  public static Work timerUntil(Instant instant) {
    return new Work("TIMER").with("until", instant.toString());
  }

  /**
   * Waits for a signal; its payload is the output.
   *
   * @param name of the signal
   * @return the work
   */
  public static Work signal(String name) {
    return new Work("SIGNAL").with("signal", name);
  }

  /**
   * Waits for a person.
   *
   * @param assignee the person; may be null where there is a group
   * @param group whose members can complete it; may be null
   * @param input shown to the person; may be null
   * @param form JSON Schema of the submitted data; may be null
   * @return the work
   */
  public static Work userTask(String assignee, String group, Object input, Object form) {
    return new Work("USER_TASK").with("assignee", assignee).with("group", group).with("input", input).with("form", form);
  }

  /**
   * Waits for one request to a one-time URL.
   *
   * @return the work
   */
  public static Work waitWebhook() {
    return new Work("WAIT_WEBHOOK");
  }

  /**
   * Runs another workflow to its end.
   *
   * @param name of the workflow
   * @param input what it gets; null is an empty object
   * @return the work
   */
  public static Work child(String name, Object input) {
    return new Work("WORKFLOW").with("workflow", name).with("input", input);
  }

  /**
   * Runs work for each item of a list; <code>${item}</code> and <code>${index}</code> are in scope.
   *
   * @param items a list, or an expression that gives one
   * @param work for each
   * @param concurrency how many at a time; 0 for all
   * @return the work
   */
  public static Work map(Object items, Work work, int concurrency) {
    return new Work("MAP").with("items", items).with("node", work.fields).with("concurrency", concurrency > 0 ? concurrency : null);
  }

  /**
   * A case of a {@link #choice}.
   *
   * @param when a CEL condition
   * @param target the node that runs if it is true
   */
  public record Case(String when, String target) {}

  /**
   * Continues at the node of the first condition that is true.
   *
   * @param cases the ways
   * @param otherwise if none is true; may be null
   * @return the work
   */
  public static Work choice(List<Case> cases, String otherwise) {
    var ways = cases.stream().map(one -> Map.of("when", one.when(), "goto", one.target())).toList();
    return new Work("SWITCH").with("cases", ways).with("default", otherwise);
  }

  /** An option of a node. */
  @FunctionalInterface
  public interface Option {
    /**
     * Applies it.
     *
     * @param node the node's JSON
     */
    void apply(Map<String, Object> node);
  }

  /**
   * The nodes that it depends on.
   *
   * @param ids their ids
   * @return the option
   */
  public static Option dependsOn(String... ids) {
    return node -> node.put("dependsOn", List.of(ids));
  }

  /**
   * The node is skipped if this is false.
   *
   * @param condition in CEL
   * @return the option
   */
  public static Option when(String condition) {
    return node -> node.put("when", condition);
  }

  /**
   * Timeout of an attempt, or of a wait.
   *
   * @param limit the bound
   * @return the option
   */
  public static Option timeout(Duration limit) {
    return node -> node.put("timeout", Durations.text(limit));
  }

  /**
   * The retry policy.
   *
   * @param maxRetries after the first attempt
   * @param initial the delay before the first retry; null is the server's default
   * @param factor multiplier of consecutive delays; null is the server's default
   * @param max the maximum delay; null is the server's default
   */
  public record Retry(int maxRetries, Duration initial, Double factor, Duration max) {
    /**
     * With the server's delays.
     *
     * @param maxRetries after the first attempt
     * @return the rule
     */
    public static Retry times(int maxRetries) {
      return new Retry(maxRetries, null, null, null);
    }

    Map<String, Object> json() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("maxRetries", maxRetries);
      if (initial != null) {
        json.put("initial", Durations.text(initial));
      }
      if (factor != null) {
        json.put("factor", factor);
      }
      if (max != null) {
        json.put("max", Durations.text(max));
      }
      return json;
    }
  }

  /**
   * The retry policy of the node.
   *
   * @param retry the rule
   * @return the option
   */
  public static Option retry(Retry retry) {
    return node -> node.put("retry", retry.json());
  }

  /**
   * Uses the error as the output.
   *
   * @return the option
   */
  public static Option continueOnError() {
    return node -> node.put("onError", "continue");
  }

  /**
   * Continues at another node when no retries are left.
   *
   * @param id of the node
   * @return the option
   */
  public static Option gotoOnError(String id) {
    return node -> node.put("onError", Map.of("goto", id));
  }

  /**
   * The compensation of the node, which runs if the run fails later.
   *
   * @param work what undoes it
   * @return the option
   */
  public static Option compensate(Work work) {
    return node -> node.put("compensate", work.fields);
  }

  /**
   * Runs the node again until a condition holds.
   *
   * @param until in CEL
   * @param rounds at most
   * @param delay between two rounds
   * @return the option
   */
  public static Option repeat(String until, int rounds, Duration delay) {
    return node -> node.put("repeat", Map.of("until", until, "max", rounds, "delay", Durations.text(delay)));
  }
}
