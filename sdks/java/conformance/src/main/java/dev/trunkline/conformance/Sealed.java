package dev.trunkline.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trunkline.PayloadCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;

/** A codec after which the server cannot read what it has. */
final class Sealed implements PayloadCodec {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @Override
  public JsonNode encode(JsonNode value, Payload payload) {
    try {
      return MAPPER.createObjectNode().put("sealed", Base64.getEncoder().encodeToString(MAPPER.writeValueAsBytes(value)));
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  @Override
  public JsonNode decode(JsonNode value, Payload payload) {
    JsonNode content = value.path("sealed");
    try {
      return content.isMissingNode() ? value : MAPPER.readTree(Base64.getDecoder().decode(content.asText()));
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }
}
