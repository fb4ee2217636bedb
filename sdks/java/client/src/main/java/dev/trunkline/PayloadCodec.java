package dev.trunkline;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Encrypts, compresses or stores payloads elsewhere: JSON in, JSON out. Data and results of single jobs go through it. Jobs
 * of workflows are left alone on the way out, because expressions of the definition read them; {@link #decode} sees
 * everything and gives back unchanged what {@link #encode} did not make.
 */
public interface PayloadCodec {
  /** Leaves payloads as they are. */
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
   * On the way to the server.
   *
   * @param value the payload
   * @param payload of what it is
   * @return what is sent
   */
  JsonNode encode(JsonNode value, Payload payload);

  /**
   * On the way from the server.
   *
   * @param value what came
   * @param payload of what it is
   * @return the payload
   */
  JsonNode decode(JsonNode value, Payload payload);

  /**
   * Of what a payload is.
   *
   * @param isResult whether it is a result, or else data
   * @param jobType the job type
   */
  record Payload(boolean isResult, String jobType) {}
}
