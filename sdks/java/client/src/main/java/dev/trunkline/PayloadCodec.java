package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Encrypts, compresses or stores payloads elsewhere: JSON in, JSON out. It applies to data and results of single jobs.
 * Jobs of workflows are not encoded, because expressions of the definition read them; {@link #decode} receives
 * everything, and returns values that {@link #encode} did not create unchanged.
 */
public interface PayloadCodec {
  /** Leaves payloads unchanged. */
  PayloadCodec PLAIN = new PayloadCodec() {
    @Override
    public JsonNode encode(JsonNode value, Payload payload) {
      return value;
    }

    @Override
    public JsonNode decode(JsonNode value, Payload payload) {
      return value;
    }
  };

  /**
   * Encodes a payload that is sent to the server.
   *
   * @param value the payload
   * @param payload of what it is
   * @return what is sent
   */
  JsonNode encode(JsonNode value, Payload payload);

  /**
   * Decodes a payload that was received from the server.
   *
   * @param value what came
   * @param payload of what it is
   * @return the payload
   */
  JsonNode decode(JsonNode value, Payload payload);

  /**
   * What a payload belongs to.
   *
   * @param isResult whether it is a result, or else data
   * @param jobType the job type
   */
  record Payload(boolean isResult, String jobType) {}
}
