import dev.trunkline.TrunklineClient;
import dev.trunkline.Worker;

/** A worker for groups of several languages: it serves one job type from Kafka and says on standard output what it ran. */
public final class KafkaWorker {
  private record Data(long ms) {}

  public static void main(String[] arguments) {
    try (Worker worker = Worker.builder(TrunklineClient.fromEnvironment()).concurrency(4)
        .handle(arguments[0], Data.class, (in, ctx) -> {
          Thread.sleep(in.ms());
          System.out.println("ran " + ctx.jobId() + " " + ctx.attempt());
          return "java";
        }).build()) {
      worker.run();
    }
  }
}
