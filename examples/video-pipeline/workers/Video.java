import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** What the pipeline does to a video: YUV4MPEG2, with Java alone. */
record Video(Path file, byte[] content, int width, int height, int fps, int start) {
  private static final Path OUT = Path.of(Optional.ofNullable(System.getenv("VIDEO_OUT")).orElse("data/video"));

  static Video read(String name) throws IOException {
    byte[] content = Files.readAllBytes(Path.of(name));
    String header = new String(content, 0, Math.min(256, content.length), StandardCharsets.ISO_8859_1).split("\n")[0];
    return new Video(Path.of(name), content, field(header, "W"), field(header, "H"), field(header, "F"),
        header.length() + 1);
  }

  private static int field(String header, String name) {
    return Stream.of(header.split(" ")).skip(1).filter(field -> field.startsWith(name))
        .mapToInt(field -> Integer.parseInt(field.substring(1).split(":")[0])).findFirst().orElseThrow();
  }

  private static Path target(Path file, String suffix) throws IOException {
    return Files.createDirectories(OUT).resolve(file.getFileName() + suffix);
  }

  Map<String, Object> digest() throws GeneralSecurityException {
    String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    return Map.of("file", file.toAbsolutePath().toString(), "bytes", content.length, "sha256", digest);
  }

  Map<String, Object> size() {
    int frames = content.length / (width * height * 3 / 2 + "FRAME\n".length());
    return Map.of("width", width, "height", height, "seconds", (double) frames / fps);
  }

  String firstFrame() throws IOException {
    var image = new ByteArrayOutputStream();
    image.write("P5 %d %d 255\n".formatted(width, height).getBytes(StandardCharsets.US_ASCII));
    image.write(content, start + "FRAME\n".length(), width * height);
    return Files.write(target(file, ".pgm"), image.toByteArray()).toString();
  }

  Map<String, Object> pack() throws IOException {
    Path place = target(file, ".gz");
    try (var packed = new GZIPOutputStream(Files.newOutputStream(place))) {
      packed.write(content);
    }
    return Map.of("file", place.toString(), "bytes", Files.size(place));
  }

  static String manifest(String name, String content) throws IOException {
    return Files.writeString(target(Path.of(name), ".json"), content).toString();
  }
}
