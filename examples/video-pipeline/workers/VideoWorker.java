import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.NonRetryable;
import dev.trunkline.TrunklineClient;
import dev.trunkline.Worker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/** The video pipeline with the SDK for Java. Reads YUV4MPEG2. */
public final class VideoWorker {
  record Video(String file) {}

  record Size(int width, int height, int fps, int start) {}

  private static final Path OUT = Path.of(Optional.ofNullable(System.getenv("VIDEO_OUT")).orElse("data/video"));

  private static Path target(String file, String suffix) {
    return OUT.resolve(Path.of(file).getFileName() + suffix);
  }

  private static Size sizeOf(byte[] video) {
    String header = new String(video, 0, 256, StandardCharsets.ISO_8859_1).split("\n")[0];
    var fields = Arrays.stream(header.split(" ")).skip(1).toList();
    java.util.function.ToIntFunction<String> field = name -> fields.stream().filter(one -> one.startsWith(name))
        .mapToInt(one -> Integer.parseInt(one.substring(1).split(":")[0])).findFirst().orElseThrow();
    return new Size(field.applyAsInt("W"), field.applyAsInt("H"), field.applyAsInt("F"), header.length() + 1);
  }

  public static void main(String[] arguments) throws IOException {
    Files.createDirectories(OUT);
    try (var worker = Worker.builder(TrunklineClient.fromEnvironment()).concurrency(4)
        .handle("video.validate", Video.class, (in, ctx) -> {
          if (!Files.exists(Path.of(in.file()))) {
            throw new NonRetryable("there is no file " + in.file());
          }
          byte[] video = Files.readAllBytes(Path.of(in.file()));
          String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(video));
          return Map.of("file", Path.of(in.file()).toAbsolutePath().toString(), "bytes", video.length, "sha256", digest);
        })
        .handle("video.metadata", Video.class, (in, ctx) -> {
          byte[] video = Files.readAllBytes(Path.of(in.file()));
          Size size = sizeOf(video);
          int frames = video.length / (size.width() * size.height() * 3 / 2 + "FRAME\n".length());
          return Map.of("width", size.width(), "height", size.height(), "seconds", (double) frames / size.fps());
        })
        .handle("video.thumbnail", Video.class, (in, ctx) -> {
          byte[] video = Files.readAllBytes(Path.of(in.file()));
          Size size = sizeOf(video);
          var image = new ByteArrayOutputStream();
          image.write("P5 %d %d 255\n".formatted(size.width(), size.height()).getBytes(StandardCharsets.US_ASCII));
          image.write(video, size.start() + 6, size.width() * size.height()); // of the first frame
          Path file = Files.write(target(in.file(), ".pgm"), image.toByteArray());
          return Map.of("file", file.toString());
        })
        .handle("video.encode", Video.class, (in, ctx) -> {
          ctx.log().info("encoding {}", in.file());
          Path file = target(in.file(), ".gz");
          try (var packed = new GZIPOutputStream(Files.newOutputStream(file))) {
            Files.copy(Path.of(in.file()), packed);
          }
          return Map.of("file", file.toString(), "bytes", Files.size(file));
        })
        .handle("video.publish", JsonNode.class, (in, ctx) -> {
          Path file = Files.writeString(target(in.at("/source/file").asText(), ".json"), in.toPrettyString());
          return Map.of("manifest", file.toString(), "title", in.get("title").asText());
        })
        .build()) {
      worker.run();
    }
  }
}
