package dev.trunkline.grpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.trunkline.Json;
import dev.trunkline.ProblemException;
import dev.trunkline.TrunklineException;
import dev.trunkline.model.Fault;
import dev.trunkline.model.Problem;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Messages are read from and written as the JSON of REST: names in camelCase, fields of bytes hold JSON as it is, so that large integers
 * stay exact, and what is absent is left out.
 */
final class Messages {
  static final ObjectMapper MAPPER = Json.mapper();
  private static final Map<Descriptor, Map<String, FieldDescriptor>> FIELDS = new ConcurrentHashMap<>();

  private Messages() {}

  /** The field of a message that JSON calls by this name; null where there is none. */
  static FieldDescriptor field(Descriptor type, String jsonName) {
    return FIELDS.computeIfAbsent(type, key -> {
      Map<String, FieldDescriptor> byName = new ConcurrentHashMap<>();
      key.getFields().forEach(field -> byName.put(field.getJsonName(), field));
      return byName;
    }).get(jsonName);
  }

  /** The message that an object stands for. Fields that the contract does not know are left out. */
  static DynamicMessage write(Descriptor type, JsonNode object) {
    DynamicMessage.Builder builder = DynamicMessage.newBuilder(type);
    writeFields(builder, object, "");
    return builder.build();
  }

  /** Sets the fields of an object. */
  static void writeFields(DynamicMessage.Builder builder, JsonNode object, String pointer) {
    if (!object.isObject()) {
      throw invalid(pointer, "expected an object");
    }
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      FieldDescriptor field = field(builder.getDescriptorForType(), entry.getKey());
      if (field != null) {
        set(builder, field, entry.getValue(), pointer + "/" + entry.getKey());
      }
    }
  }

  /** Sets one field. Null is a value of what is any JSON, and elsewhere the same as nothing. */
  static void set(DynamicMessage.Builder builder, FieldDescriptor field, JsonNode value, String pointer) {
    boolean isJson = field.getType() == FieldDescriptor.Type.BYTES && !field.isRepeated();
    if (value.isNull() && !isJson) {
      return;
    }
    if (field.isMapField()) {
      for (Map.Entry<String, JsonNode> entry : value.properties()) {
        DynamicMessage.Builder item = DynamicMessage.newBuilder(field.getMessageType());
        FieldDescriptor inner = field.getMessageType().findFieldByName("value");
        item.setField(field.getMessageType().findFieldByName("key"), entry.getKey());
        item.setField(inner, value(inner, entry.getValue(), pointer + "/" + entry.getKey()));
        builder.addRepeatedField(field, item.build());
      }
    } else if (field.isRepeated()) {
      if (!value.isArray()) {
        throw invalid(pointer, "expected a list");
      }
      for (int i = 0; i < value.size(); i++) {
        builder.addRepeatedField(field, value(field, value.get(i), pointer + "/" + i));
      }
    } else {
      builder.setField(field, value(field, value, pointer));
    }
  }

  private static Object value(FieldDescriptor field, JsonNode value, String pointer) {
    try {
      return switch (field.getJavaType()) {
        case BYTE_STRING -> ByteString.copyFrom(MAPPER.writeValueAsBytes(value));
        case MESSAGE -> message(field.getMessageType(), value, pointer);
        case STRING -> value.asText();
        case BOOLEAN -> Boolean.valueOf(value.asText());
        case INT -> (int) number(field, value).longValueExact();
        case LONG -> number(field, value).longValueExact();
        case DOUBLE -> number(field, value).doubleValue();
        default -> throw invalid(pointer, "the contract has no " + field.getType());
      };
    } catch (ArithmeticException | NumberFormatException fault) {
      throw invalid(pointer, "is no number that fits");
    } catch (JsonProcessingException fault) {
      throw new TrunklineException(pointer + " is no JSON", fault);
    }
  }

  private static BigDecimal number(FieldDescriptor field, JsonNode value) {
    BigDecimal number = value.isNumber() ? value.decimalValue() : new BigDecimal(value.asText());
    boolean isUnsigned = field.getType() == FieldDescriptor.Type.UINT32 || field.getType() == FieldDescriptor.Type.UINT64;
    long bound = field.getType() == FieldDescriptor.Type.UINT32 ? 0xFFFF_FFFFL : Integer.MAX_VALUE;
    boolean isTooLarge = field.getJavaType() == FieldDescriptor.JavaType.INT && number.abs().compareTo(BigDecimal.valueOf(bound)) > 0;
    if (isTooLarge || (isUnsigned && number.signum() < 0)) {
      throw new ArithmeticException();
    }
    return number;
  }

  private static DynamicMessage message(Descriptor type, JsonNode value, String pointer) {
    DynamicMessage.Builder builder = DynamicMessage.newBuilder(type);
    if (value.isTextual()) {
      // Where REST takes a text for an object, it is the object's message.
      set(builder, field(type, "message"), value, pointer);
    } else {
      writeFields(builder, value, pointer);
    }
    return builder.build();
  }

  /** The object that a message stands for. */
  static ObjectNode read(Message message) {
    ObjectNode object = MAPPER.createObjectNode();
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      boolean isJson = field.getType() == FieldDescriptor.Type.BYTES && !field.isRepeated();
      boolean isAbsent = !field.isRepeated() && (isJson || field.hasPresence()) && !message.hasField(field);
      if (!isAbsent) {
        object.set(field.getJsonName(), read(message, field));
      }
    }
    return object;
  }

  /** What one field of a message holds. */
  static JsonNode read(Message message, FieldDescriptor field) {
    Object held = message.getField(field);
    if (!field.isRepeated()) {
      return json(field, held);
    }
    if (field.isMapField()) {
      ObjectNode object = MAPPER.createObjectNode();
      FieldDescriptor key = field.getMessageType().findFieldByName("key");
      FieldDescriptor value = field.getMessageType().findFieldByName("value");
      for (Object entry : (List<?>) held) {
        Message item = (Message) entry;
        object.set(String.valueOf(item.getField(key)), json(value, item.getField(value)));
      }
      return object;
    }
    ArrayNode array = MAPPER.createArrayNode();
    ((List<?>) held).forEach(item -> array.add(json(field, item)));
    return array;
  }

  private static JsonNode json(FieldDescriptor field, Object value) {
    var nodes = MAPPER.getNodeFactory();
    return switch (field.getJavaType()) {
      case BYTE_STRING -> parse((ByteString) value);
      case MESSAGE -> read((Message) value);
      case BOOLEAN -> nodes.booleanNode((Boolean) value);
      case INT -> field.getType() == FieldDescriptor.Type.UINT32
          ? nodes.numberNode(Integer.toUnsignedLong((Integer) value)) : nodes.numberNode((Integer) value);
      case LONG -> nodes.numberNode((Long) value);
      case DOUBLE -> nodes.numberNode((Double) value);
      default -> nodes.textNode(String.valueOf(value));
    };
  }

  private static JsonNode parse(ByteString text) {
    try {
      return MAPPER.readTree(text.newInput());
    } catch (IOException fault) {
      throw new TrunklineException("the server sent what is no JSON", fault);
    }
  }

  private static ProblemException invalid(String pointer, String why) {
    var faults = List.of(new Fault(null, why, pointer, null));
    var problem = new Problem("invalid", "The request is invalid.", faults, null, null, null, null, 422, "Unprocessable Entity",
        "urn:trunkline:problem:invalid", null);
    return new ProblemException(problem, 422, null);
  }
}
