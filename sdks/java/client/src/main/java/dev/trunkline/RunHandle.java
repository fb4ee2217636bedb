package dev.trunkline;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.trunkline.api.CallOptions;
import dev.trunkline.model.CancelRequest;
import dev.trunkline.model.Execution;
import dev.trunkline.model.ExecutionStatus;
import dev.trunkline.model.Node;
import dev.trunkline.model.NodeStatus;
import dev.trunkline.model.SignalRequest;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A handle of a run of a workflow, called an execution by the server. */
public final class RunHandle {
  private static final Set<ExecutionStatus> ENDS =
      EnumSet.of(ExecutionStatus.COMPLETED, ExecutionStatus.FAILED, ExecutionStatus.CANCELLED);
  private final TrunklineClient client;
  private final String id;

  RunHandle(TrunklineClient client, String id) {
    this.client = client;
    this.id = id;
  }

  /**
   * The run.
   *
   * @return its id
   */
  public String id() {
    return id;
  }

  /**
   * The current state of the run.
   *
   * @return the run
   */
  public Execution get() {
    return client.calls().getExecution(id, Map.of(), CallOptions.DEFAULT);
  }

  /**
   * How it is.
   *
   * @return the status
   */
  public ExecutionStatus status() {
    return get().status();
  }

  /**
   * Its nodes, in the order of the definition, with their outputs.
   *
   * @return the nodes
   */
  public List<Node> nodes() {
    return client.calls().listNodes(id, Map.of(), CallOptions.DEFAULT).items();
  }

  /**
   * The outputs of the nodes that completed.
   *
   * @return by node
   */
  public Map<String, JsonNode> outputs() {
    Map<String, JsonNode> outputs = new LinkedHashMap<>();
    for (Node node : nodes()) {
      if (node.status() == NodeStatus.COMPLETED) {
        outputs.put(node.nodeId(), node.output() == null ? NullNode.getInstance() : node.output());
      }
    }
    return outputs;
  }

  /**
   * Sends a signal, whose payload goes to the node that waits for it, or to the next node that will.
   *
   * @param name of the signal
   * @param payload anything that Jackson writes
   */
  public void signal(String name, Object payload) {
    client.calls().signalExecution(id, name, new SignalRequest(client.mapper().valueToTree(payload)), CallOptions.DEFAULT);
  }

  /** Cancels the run without compensation. */
  public void cancel() {
    cancel(null, false);
  }

  /**
   * Stops it.
   *
   * @param reason why; may be null
   * @param compensate whether completed nodes are compensated first
   */
  public void cancel(String reason, boolean compensate) {
    client.calls().cancelExecution(id, CancelRequest.builder().reason(reason).compensate(compensate).build(), CallOptions.DEFAULT);
  }

  /**
   * Waits for the output.
   *
   * @param timeout how long
   * @param type of the output
   * @param <T> of the output
   * @return the output; may be null
   * @throws RunFailed once it failed or was cancelled
   * @throws CallTimeout after the timeout; the run continues
   */
  public <T> T await(Duration timeout, Class<T> type) {
    return client.mapper().convertValue(await(timeout), type);
  }

  /**
   * Waits for the output.
   *
   * @param timeout how long
   * @param type of the output
   * @param <T> of the output
   * @return the output; may be null
   */
  public <T> T await(Duration timeout, TypeReference<T> type) {
    return client.convert(await(timeout), type);
  }

  /**
   * Waits for the output as JSON.
   *
   * @param timeout how long
   * @return the output
   */
  public JsonNode await(Duration timeout) {
    Execution run = Waits.untilEnded("run " + id, timeout, held -> {
      Map<String, ?> query = Map.of("wait", true, "timeout", Durations.text(held));
      Execution found = client.calls().getExecution(id, query, CallOptions.within(held.plus(Waits.GRACE)));
      return Optional.of(found).filter(r -> ENDS.contains(r.status()));
    });
    if (run.status() != ExecutionStatus.COMPLETED) {
      throw new RunFailed(id, run.status(), run.error());
    }
    return run.output() == null ? NullNode.getInstance() : run.output();
  }
}
