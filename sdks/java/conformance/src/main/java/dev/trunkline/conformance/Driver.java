package dev.trunkline.conformance;

/** The driver of sdks/conformance for Java: "worker" and "client". */
public final class Driver {
  private Driver() {}

  public static void main(String[] arguments) throws Exception {
    String mode = arguments.length > 0 ? arguments[0] : "";
    switch (mode) {
      case "worker" -> WorkerDriver.run();
      case "client" -> new ClientDriver().run();
      default -> throw new IllegalArgumentException("say worker or client");
    }
  }
}
