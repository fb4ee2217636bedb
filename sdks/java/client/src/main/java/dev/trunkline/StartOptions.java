package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.model.ExecutionRequest;
import dev.trunkline.model.Priority;
import java.util.List;

/** What may be said of a run beside its workflow and input. */
public final class StartOptions {
  private final ExecutionRequest.Builder request = ExecutionRequest.builder();
  private String idempotencyKey;
  private String tenant;

  private StartOptions() {}

  /**
   * Nothing said yet.
   *
   * @return the options
   */
  public static StartOptions none() {
    return new StartOptions();
  }

  /**
   * The version; the latest where nothing is said.
   *
   * @param version from 1
   * @return these options
   */
  public StartOptions version(int version) {
    request.version(version);
    return this;
  }

  /**
   * Before or after others.
   *
   * @param priority <code>high</code> where nothing is said
   * @return these options
   */
  public StartOptions priority(Priority priority) {
    request.priority(priority);
    return this;
  }

  /**
   * Goes before the client's tenant.
   *
   * @param name the tenant
   * @return these options
   */
  public StartOptions tenant(String name) {
    tenant = name;
    return this;
  }

  /**
   * Words to find it by.
   *
   * @param tags the words
   * @return these options
   */
  public StartOptions tags(List<String> tags) {
    request.tags(tags);
    return this;
  }

  /**
   * Whatever the caller knows it by.
   *
   * @param id any text
   * @return these options
   */
  public StartOptions correlationId(String id) {
    request.correlationId(id);
    return this;
  }

  /**
   * The same start with the same key makes one run; a random one where nothing is said.
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
