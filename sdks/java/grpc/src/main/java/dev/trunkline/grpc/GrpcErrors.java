package dev.trunkline.grpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.trunkline.CallTimeout;
import dev.trunkline.ConnectionException;
import dev.trunkline.ProblemException;
import dev.trunkline.TrunklineException;
import dev.trunkline.model.Fault;
import dev.trunkline.model.Problem;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Errors of gRPC as those of REST: a problem where the server refused the call, a connection error where no answer came. */
final class GrpcErrors {
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
  /** What errors of the server name as their domain. */
  private static final String DOMAIN = "trunkline";
  private static final Set<String> KINDS = Set.of("ErrorInfo", "BadRequest", "RetryInfo");

  private GrpcErrors() {}

  /** What the end of a call means. */
  static TrunklineException of(String call, Status status, Metadata trailers) {
    Map<String, JsonNode> details = details(trailers);
    JsonNode info = details.get("ErrorInfo");
    String detail = status.getDescription() == null ? "" : status.getDescription();
    if (info == null || !info.path("domain").asText().equals(DOMAIN)) {
      return foreign(call, status, detail);
    }
    JsonNode facts = info.path("metadata");
    List<Fault> faults = new ArrayList<>();
    if (details.containsKey("BadRequest")) {
      details.get("BadRequest").path("fieldViolations").forEach(one ->
          faults.add(new Fault(null, one.path("description").asText(), one.path("field").asText(), null)));
    }
    int http = facts.path("status").asInt(httpStatus(status.getCode()));
    var problem = new Problem(info.path("reason").asText(), detail, faults.isEmpty() ? null : faults, text(facts, "existingId"),
        text(facts, "hint"),
        number(facts, "limit"), text(facts, "quota"), http, "", "urn:trunkline:problem:" + info.path("reason").asText(),
        number(facts, "used"));
    return new ProblemException(problem, http, wait(status, details.get("RetryInfo")));
  }

  /** A refusal that came over a stream. */
  static ProblemException ofProblem(Message said) {
    JsonNode read = Messages.read(said);
    Problem problem = Messages.MAPPER.convertValue(read, Problem.class);
    return new ProblemException(problem, problem.status(), null);
  }

  /** What only REST has. */
  static ProblemException onlyRest(String call) {
    String detail = call + " is over REST only; use a client with TRUNKLINE_TRANSPORT=rest for it";
    return new ProblemException(plain("not_over_grpc", detail, 501), 501, null);
  }

  /** A status that did not come from the server's own code: the connection's, a proxy's, or of a message that cannot be. */
  private static TrunklineException foreign(String call, Status status, String detail) {
    return switch (status.getCode()) {
      case RESOURCE_EXHAUSTED, OUT_OF_RANGE, INVALID_ARGUMENT -> new ProblemException(plain("too_large", detail, 413), 413, null);
      case UNIMPLEMENTED -> new ProblemException(plain("not_implemented", detail, 501), 501, null);
      case UNAUTHENTICATED, PERMISSION_DENIED -> {
        int http = httpStatus(status.getCode());
        yield new ProblemException(plain("unknown", detail, http), http, null);
      }
      case DEADLINE_EXCEEDED -> new CallTimeout(call + ": no answer in time", status.asException());
      default -> new ConnectionException(call + ": the server was not reached: " + status.getCode() + " " + detail,
          status.asException());
    };
  }

  private static Problem plain(String code, String detail, int status) {
    return new Problem(code, detail, null, null, null, null, null, status, "", "urn:trunkline:problem:" + code, null);
  }

  private static Duration wait(Status status, JsonNode asked) {
    if (asked != null) {
      JsonNode delay = asked.path("retryDelay");
      return Duration.ofSeconds(delay.path("seconds").asLong(), delay.path("nanos").asLong());
    }
    // The first call with the same idempotency key goes on.
    return status.getCode() == Status.Code.ABORTED ? Duration.ofSeconds(1) : null;
  }

  private static int httpStatus(Status.Code code) {
    return switch (code) {
      case INVALID_ARGUMENT -> 422;
      case UNAUTHENTICATED -> 401;
      case PERMISSION_DENIED -> 403;
      case NOT_FOUND -> 404;
      case FAILED_PRECONDITION, ABORTED, ALREADY_EXISTS -> 409;
      case OUT_OF_RANGE -> 413;
      case RESOURCE_EXHAUSTED -> 429;
      case UNIMPLEMENTED -> 501;
      case UNAVAILABLE -> 503;
      case DEADLINE_EXCEEDED -> 504;
      default -> 500;
    };
  }

  private static String text(JsonNode facts, String name) {
    return facts.has(name) ? facts.get(name).asText() : null;
  }

  private static Long number(JsonNode facts, String name) {
    return facts.has(name) ? facts.get(name).asLong() : null;
  }

  /** The details by the last part of their types. */
  private static Map<String, JsonNode> details(Metadata trailers) {
    Map<String, JsonNode> found = new HashMap<>();
    byte[] bytes = trailers == null ? null : trailers.get(DETAILS);
    if (bytes == null) {
      return found;
    }
    try {
      DynamicMessage status = DynamicMessage.parseFrom(Contract.message("trunkline.sdk.Status"), bytes);
      for (Object one : (List<?>) field(status, "details")) {
        String type = String.valueOf(field((Message) one, "type_url"));
        String kind = type.substring(type.lastIndexOf('.') + 1);
        if (KINDS.contains(kind)) {
          ByteString value = (ByteString) field((Message) one, "value");
          found.put(kind, Messages.read(DynamicMessage.parseFrom(Contract.message("trunkline.sdk." + kind), value)));
        }
      }
    } catch (InvalidProtocolBufferException unknown) {
      // Whatever else a proxy puts there is no detail.
    }
    return found;
  }

  private static Object field(Message message, String name) {
    FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
    return message.getField(field);
  }
}
