package dev.trunkline.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trunkline.Json;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The value of a message: JSON, or the bytes of {@code trunkline.v1.JobOffer}, which never begin with a brace. */
final class Envelope {
  private static final ObjectMapper MAPPER = Json.mapper();
  /** The field of {@code JobOffer} that is the job. */
  private static final int JOB = 4;
  /** The fields of {@code OfferedJob} by their numbers. */
  private static final Map<Integer, String> TEXTS = Map.ofEntries(Map.entry(1, "id"), Map.entry(2, "jobType"),
      Map.entry(3, "tenant"), Map.entry(4, "priority"), Map.entry(6, "leaseToken"), Map.entry(8, "idempotencyKey"),
      Map.entry(10, "executionId"), Map.entry(11, "nodeId"), Map.entry(12, "workflow"), Map.entry(13, "deadline"),
      Map.entry(14, "traceparent"));
  private static final Map<Integer, String> NUMBERS = Map.of(5, "attempt", 9, "maxRetries");
  private static final int DATA = 7;

  private Envelope() {
  }

  /** The job of an offer. Fails where the value is none. */
  static ObjectNode job(byte[] value) throws IOException {
    if (value.length > 0 && value[0] == '{') {
      JsonNode job = MAPPER.readTree(value).path("job");
      if (job instanceof ObjectNode offered) {
        return offered;
      }
      throw new IOException("the message has no job");
    }
    ObjectNode job = MAPPER.createObjectNode().put("attempt", 0).put("maxRetries", 0);
    try {
      each(ByteBuffer.wrap(value), (number, count, message) -> {
        if (number == JOB && message != null) {
          each(message, (field, integer, content) -> put(job, field, integer, content));
        }
      });
    } catch (BufferUnderflowException | IllegalArgumentException error) {
      throw new IOException("the message is cut off", error);
    }
    return job;
  }

  private static void put(ObjectNode job, int field, long integer, ByteBuffer content) throws IOException {
    if (content == null) {
      if (NUMBERS.containsKey(field)) {
        job.put(NUMBERS.get(field), integer);
      }
    } else if (TEXTS.containsKey(field)) {
      job.put(TEXTS.get(field), StandardCharsets.UTF_8.decode(content).toString());
    } else if (field == DATA) {
      byte[] json = new byte[content.remaining()];
      content.get(json);
      job.set("data", MAPPER.readTree(json));
    }
  }

  private interface Field {
    /** Content is null where the field is a number. */
    void see(int number, long integer, ByteBuffer content) throws IOException;
  }

  /** The fields of a message in the wire format of Protocol Buffers; those that are neither numbers nor bytes are skipped. */
  private static void each(ByteBuffer message, Field field) throws IOException {
    while (message.hasRemaining()) {
      long tag = varint(message);
      int number = (int) (tag >>> 3);
      switch ((int) (tag & 7)) {
        case 0 -> field.see(number, varint(message), null);
        case 1 -> message.position(message.position() + 8);
        case 2 -> {
          int length = Math.toIntExact(Math.min(varint(message), Integer.MAX_VALUE));
          if (length < 0 || length > message.remaining()) {
            throw new BufferUnderflowException();
          }
          ByteBuffer content = message.slice(message.position(), length);
          message.position(message.position() + length);
          field.see(number, 0, content);
        }
        case 5 -> message.position(message.position() + 4);
        default -> throw new IllegalArgumentException("there is no such field");
      }
    }
  }

  private static long varint(ByteBuffer message) {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      byte part = message.get();
      value |= (long) (part & 0x7f) << shift;
      if (part >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number is too long");
  }
}
