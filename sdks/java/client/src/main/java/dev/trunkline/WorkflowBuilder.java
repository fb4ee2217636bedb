package dev.trunkline;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builds workflow definitions. What it gives is the JSON that docs/workflows.md describes.
 *
 * <pre>{@code
 * var order = WorkflowBuilder.workflow("order")
 *     .node("check", Work.task("order.check", WorkflowBuilder.workflowInput()))
 *     .node("ship", Work.task("order.ship", WorkflowBuilder.nodeOutput("check")), Work.dependsOn("check"))
 *     .output(WorkflowBuilder.nodeOutput("ship"));
 * }</pre>
 */
public final class WorkflowBuilder {
  private final Map<String, Object> head = new LinkedHashMap<>();
  private final List<Map<String, Object>> nodes = new ArrayList<>();
  private final List<Map<String, Object>> failureNodes = new ArrayList<>();
  private final Set<String> ids = new LinkedHashSet<>();

  private WorkflowBuilder(String name) {
    head.put("name", name);
    head.put("version", 1);
  }

  /**
   * Begins version 1 of a workflow.
   *
   * @param name its name
   * @return the builder
   */
  public static WorkflowBuilder workflow(String name) {
    return new WorkflowBuilder(name);
  }

  private WorkflowBuilder set(String name, Object value) {
    head.put(name, value);
    return this;
  }

  /**
   * The version.
   *
   * @param version from 1
   * @return this builder
   */
  public WorkflowBuilder version(int version) {
    return set("version", version);
  }

  /**
   * JSON Schema of the input.
   *
   * @param schema anything that Jackson writes
   * @return this builder
   */
  public WorkflowBuilder inputSchema(Object schema) {
    return set("input", schema);
  }

  /**
   * The longest run.
   *
   * @param limit the bound
   * @return this builder
   */
  public WorkflowBuilder timeout(Duration limit) {
    return set("timeout", Durations.text(limit));
  }

  /**
   * Holds for nodes that say nothing themselves.
   *
   * @param retry how often and when
   * @return this builder
   */
  public WorkflowBuilder retry(Work.Retry retry) {
    return set("retry", retry.json());
  }

  /**
   * How many runs may be under way.
   *
   * @param count the limit
   * @return this builder
   */
  public WorkflowBuilder maxConcurrent(int count) {
    return set("limits", Map.of("maxConcurrent", count));
  }

  /**
   * What a run gives, with <code>${…}</code> in it.
   *
   * @param template anything that Jackson writes
   * @return this builder
   */
  public WorkflowBuilder output(Object template) {
    return set("output", template);
  }

  /**
   * Adds a node. Without {@link Work#dependsOn} it starts at once, beside others.
   *
   * @param id its id
   * @param work what it does
   * @param options options
   * @return this builder
   * @throws IllegalArgumentException where the id is taken, or it depends on no node before it
   */
  public WorkflowBuilder node(String id, Work work, Work.Option... options) {
    Map<String, Object> node = node(work, id, options);
    if (node.get("dependsOn") instanceof Collection<?> before && !ids.containsAll(before)) {
      throw new IllegalArgumentException("node " + id + " depends on " + before + ", of which not all come before it");
    }
    if (!ids.add(id)) {
      throw new IllegalArgumentException("two nodes are named " + id);
    }
    nodes.add(node);
    return this;
  }

  /**
   * Adds a node that runs when the run fails; <code>${error.message}</code> is in scope.
   *
   * @param id its id
   * @param work what it does
   * @param options options
   * @return this builder
   */
  public WorkflowBuilder onFailure(String id, Work work, Work.Option... options) {
    failureNodes.add(node(work, id, options));
    return this;
  }

  private static Map<String, Object> node(Work work, String id, Work.Option... options) {
    Map<String, Object> node = new LinkedHashMap<>();
    node.put("id", id);
    node.putAll(work.json());
    for (Work.Option option : options) {
      option.apply(node);
    }
    return node;
  }

  /**
   * The finished definition, as {@link TrunklineClient#push} takes it.
   *
   * @return the definition
   */
  public Map<String, Object> definition() {
    Map<String, Object> definition = new LinkedHashMap<>(head);
    definition.put("nodes", List.copyOf(nodes));
    if (!failureNodes.isEmpty()) {
      definition.put("onFailure", List.copyOf(failureNodes));
    }
    return definition;
  }

  /**
   * <code>${nodes.ID.output.PATH}</code>, which keeps the type of its value.
   *
   * @param id of the node
   * @param path into its output
   * @return the expression
   */
  public static String nodeOutput(String id, String... path) {
    return "${nodes" + member(id) + ".output" + Stream.of(path).map(WorkflowBuilder::member).collect(Collectors.joining()) + "}";
  }

  /**
   * <code>${input.PATH}</code>.
   *
   * @param path into the input
   * @return the expression
   */
  public static String workflowInput(String... path) {
    return "${input" + Stream.of(path).map(WorkflowBuilder::member).collect(Collectors.joining()) + "}";
  }

  private static String member(String name) {
    return name.matches("[A-Za-z_][A-Za-z0-9_]*") ? "." + name : "[\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"]";
  }
}
