import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.NonRetryable;
import dev.trunkline.TrunklineClient;
import dev.trunkline.Worker;
import java.nio.file.NoSuchFileException;
import java.util.Map;

/** The video pipeline with the SDK for Java. What it does to videos is in Video.java. */
public final class VideoWorker {
  record Input(String file) {}

  public static void main(String[] arguments) {
    try (var worker = Worker.builder(TrunklineClient.fromEnvironment()).concurrency(4)
        .handle("video.validate", Input.class, (in, ctx) -> {
          try {
            return Video.read(in.file()).digest();
          } catch (NoSuchFileException error) {
            throw new NonRetryable("there is no file " + in.file());
          }
        })
        .handle("video.metadata", Input.class, (in, ctx) -> Video.read(in.file()).size())
        .handle("video.thumbnail", Input.class, (in, ctx) -> Map.of("file", Video.read(in.file()).firstFrame()))
        .handle("video.encode", Input.class, (in, ctx) -> {
          ctx.log().info("encoding {}", in.file());
          return Video.read(in.file()).pack();
        })
        .handle("video.publish", JsonNode.class, (in, ctx) -> {
          String manifest = Video.manifest(in.at("/source/file").asText(), in.toPrettyString());
          return Map.of("manifest", manifest, "title", in.get("title").asText());
        })
        .build()) {
      worker.run();
    }
  }
}
