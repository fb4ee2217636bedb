package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.model.ExecutionRequest;
import dev.trunkline.model.Priority;
import java.util.List;

/** Options of a run. */
public final class StartOptions {
  private final ExecutionRequest.Builder request = ExecutionRequest.builder();
  private String idempotencyKey;
  private String tenant;

  private StartOptions() {}

  /**
   * No options.
   *
   * @return the options
   */
  public static StartOptions none() {
    return new StartOptions();
  }

  /**
   * The version (default: the latest).
   *
   * @param version from 1
   * @return these options
   */
  public StartOptions version(int version) {
    request.version(version);
    return this;
  }

  /**
   * Sets the priority.
   *
   * @param priority default <code>high</code>
   * @return these options
   */
  public StartOptions priority(Priority priority) {
    request.priority(priority);
    return this;
  }

  /**
   * Overrides the client's tenant.
   *
   * @param name the tenant
   * @return these options
   */
  public StartOptions tenant(String name) {
    tenant = name;
    return this;
  }

  /**
   * Tags for filtering.
   *
   * @param tags the words
   * @return these options
   */
  public StartOptions tags(List<String> tags) {
    request.tags(tags);
    return this;
  }

  /**
   * An ID chosen by the caller.
   *
   * @param id any text
   * @return these options
   */
  public StartOptions correlationId(String id) {
    request.correlationId(id);
    return this;
  }

  /**
   * Repeated starts with the same key create one run (default: random).
   *
   * @param key any text
   * @return these options
   */
  public StartOptions idempotencyKey(String key) {
    idempotencyKey = key;
    return this;
  }

  String idempotencyKey() {
    return idempotencyKey;
  }

  ExecutionRequest request(String workflow, JsonNode input, String tenantOfClient) {
    request.tenant(tenant != null ? tenant : tenantOfClient).traceparent(CurrentContext.traceparent());
    return request.workflow(workflow).input(input).build();
  }
}
