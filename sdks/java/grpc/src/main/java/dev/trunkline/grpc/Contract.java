package dev.trunkline.grpc;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.MethodOptions;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import dev.trunkline.api.Request;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.InflaterInputStream;

/**
 * The contract as data: descriptors and no code, so that nothing is written by hand for a single call. Methods are found by the call
 * of REST that their option <code>rest</code> names.
 */
final class Contract {
  private static final String PACKAGE = "trunkline.v1.";
  private static final Contract SHARED = read();

  /**
   * A method, and how it mirrors a call of REST.
   *
   * @param path on the wire
   * @param input of the method
   * @param output of the method
   * @param verb of the call of REST
   * @param segments of its path; those in braces are parameters
   * @param fixedQuery what its query says where this method is meant
   * @param body the one field of the input that is the body as a whole; empty where the fields are the body's
   * @param answer the one field of the output that is the whole answer; empty where the fields are the answer's
   */
  record Method(String path, Descriptor input, Descriptor output, String verb, List<String> segments, Map<String, String> fixedQuery,
      String body, String answer) {
    private boolean fits(List<String> path, Map<String, String> query) {
      if (path.size() != segments.size()) {
        return false;
      }
      for (int i = 0; i < path.size(); i++) {
        if (!isParameter(segments.get(i)) && !segments.get(i).equals(path.get(i))) {
          return false;
        }
      }
      return fixedQuery.entrySet().stream().allMatch(entry -> entry.getValue().equals(query.get(entry.getKey())));
    }

    private long parameterCount() {
      return segments.stream().filter(Contract::isParameter).count();
    }

    /** The parameters of a path, by name. */
    Map<String, String> parameters(String path) {
      List<String> given = List.of(path.split("/"));
      Map<String, String> found = new LinkedHashMap<>();
      for (int i = 0; i < segments.size(); i++) {
        if (isParameter(segments.get(i))) {
          String name = segments.get(i).substring(1, segments.get(i).length() - 1);
          found.put(name, URLDecoder.decode(given.get(i), StandardCharsets.UTF_8));
        }
      }
      return found;
    }
  }

  private final Map<String, Descriptor> messages = new HashMap<>();
  private final List<Method> methods = new ArrayList<>();

  private Contract() {}

  /** The message of this name in the contract. */
  static Descriptor message(String name) {
    return Objects.requireNonNull(SHARED.messages.get(name), name);
  }

  /** The method that mirrors a call: of several, the one whose fixed query says most, and a word goes before a parameter. */
  static Optional<Method> find(Request request, Map<String, String> query) {
    List<String> path = List.of(request.path().split("/"));
    return SHARED.methods.stream()
        .filter(method -> method.verb.equals(request.method()) && method.fits(path, query))
        .max(Comparator.<Method>comparingInt(method -> method.fixedQuery.size())
            .thenComparing(Comparator.comparingLong(Method::parameterCount).reversed()));
  }

  private static boolean isParameter(String segment) {
    return segment.startsWith("{");
  }

  private static Contract read() {
    Contract contract = new Contract();
    try {
      Map<String, FileDescriptor> files = new LinkedHashMap<>();
      for (FileDescriptorProto file : descriptors().getFileList()) {
        // Each file stands behind those that it imports.
        FileDescriptor[] imports = file.getDependencyList().stream().map(files::get).toArray(FileDescriptor[]::new);
        FileDescriptor made = FileDescriptor.buildFrom(file, imports);
        files.put(file.getName(), made);
        made.getMessageTypes().forEach(type -> contract.messages.put(type.getFullName(), type));
      }
      FileDescriptor rest = files.get("trunkline/v1/rest.proto");
      FieldDescriptor extension = rest.findExtensionByName("rest");
      for (FileDescriptor file : files.values()) {
        for (ServiceDescriptor service : file.getServices()) {
          for (MethodDescriptor method : service.getMethods()) {
            contract.add(method, extension);
          }
        }
      }
      return contract;
    } catch (IOException | DescriptorValidationException fault) {
      throw new IllegalStateException("the contract in this jar cannot be read", fault);
    }
  }

  private static FileDescriptorSet descriptors() throws IOException {
    try (InputStream text = Contract.class.getResourceAsStream("contract.txt")) {
      byte[] packed = Base64.getMimeDecoder().decode(text.readAllBytes());
      return FileDescriptorSet.parseFrom(new InflaterInputStream(new ByteArrayInputStream(packed)));
    }
  }

  private void add(MethodDescriptor method, FieldDescriptor extension) throws InvalidProtocolBufferException {
    MethodOptions options = method.toProto().getOptions();
    // The option is not known to the library, which keeps it as it came.
    UnknownFieldSet.Field own = options.getUnknownFields().getField(extension.getNumber());
    if (own.getLengthDelimitedList().isEmpty()) {
      return;
    }
    DynamicMessage rest = DynamicMessage.parseFrom(extension.getMessageType(), own.getLengthDelimitedList().get(0));
    String[] call = text(rest, "call").split(" ", 2);
    Map<String, String> fixedQuery = new LinkedHashMap<>();
    for (String pair : text(rest, "fixed_query").split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        fixedQuery.put(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    methods.add(new Method(
        method.getService().getFullName() + "/" + method.getName(), method.getInputType(), method.getOutputType(), call[0],
        Arrays.asList(call[1].split("/")), fixedQuery, text(rest, "body"), text(rest, "answer")));
  }

  private static String text(DynamicMessage message, String field) {
    return String.valueOf(message.getField(message.getDescriptorForType().findFieldByName(field)));
  }

  /** The message of this name in the contract's own package. */
  static Descriptor own(String name) {
    return message(PACKAGE + name);
  }
}
