package dev.trunkline.conformance;

import dev.trunkline.Durations;
import dev.trunkline.TrunklineClient;
import dev.trunkline.grpc.GrpcTransport;
import java.util.Map;

/** The driver of sdks/conformance for Java: "worker" and "client". */
public final class Driver {
  private Driver() {}

  /** The client that the environment says; a silence of its own is an option of the transport. */
  static TrunklineClient client() {
    Map<String, String> env = System.getenv();
    TrunklineClient.Builder client = TrunklineClient.builder();
    if ("grpc".equals(env.get("TRUNKLINE_TRANSPORT")) && env.containsKey("CONFORMANCE_SILENCE")) {
      client.transport(GrpcTransport.builder(env.get("TRUNKLINE_URL")).apiKey(env.get("TRUNKLINE_API_KEY"))
          .silence(Durations.parse(env.get("CONFORMANCE_SILENCE"))).build());
    }
    if (env.containsKey("CONFORMANCE_CODEC")) {
      client.codec(new Sealed());
    }
    return client.build();
  }

  public static void main(String[] arguments) throws Exception {
    String mode = arguments.length > 0 ? arguments[0] : "";
    switch (mode) {
      case "worker" -> WorkerDriver.run(client());
      case "client" -> new ClientDriver().run();
      default -> throw new IllegalArgumentException("say worker or client");
    }
  }
}
