#!/usr/bin/env bash
# The SDK for Java: generated files, compilation without warnings, tests, jars with sources and javadoc, the artifacts from a
# project elsewhere, conformance. The argument is the server to test with; target/debug/trunkline where there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
TRUNKLINE_BINARY=$(realpath "${1:-target/debug/trunkline}")
export TRUNKLINE_BINARY

command -v javac >/dev/null || scripts/apt-install.sh openjdk-17-jdk-headless
command -v mvn >/dev/null || scripts/apt-install.sh maven
major=$(javac -version 2>&1 | sed -nE 's/^javac ([0-9]+).*/\1/p')
if [[ "${major:-0}" -lt 17 ]] || ! command -v mvn >/dev/null; then
    echo "SKIPPED  SDK for Java: it needs a JDK 17 or later and Maven, and this machine has JDK ${major:-none}"
    exit 0
fi

python3 sdks/codegen/generate.py --check java
cd sdks/java
clean=$(mktemp -d)
trap 'rm -rf "$clean"' EXIT
mvn --batch-mode --no-transfer-progress --quiet package
for module in client grpc kafka testing; do
    for kind in "" -sources -javadoc; do
        [[ -s $module/target/trunkline-$module-0.1.0$kind.jar ]] || { echo "no jar: trunkline-$module$kind"; exit 1; }
    done
done

# A program that has only the artifacts.
cat >"$clean/App.java" <<'JAVA'
import dev.trunkline.TrunklineClient;
import dev.trunkline.Worker;
import dev.trunkline.testing.FakeContext;

public class App {
  record Greet(String name) {}

  public static void main(String[] arguments) {
    Worker worker = Worker.builder(TrunklineClient.fromEnvironment()).concurrency(50)
        .handle("greet", Greet.class, (in, ctx) -> "Hello, " + in.name()).build();
    System.out.println(worker.isHealthy() + " " + new FakeContext().attempt());
  }
}
JAVA
cp conformance/target/lib/*.jar testing/target/trunkline-testing-0.1.0.jar "$clean"
rm "$clean/trunkline-client-0.1.0.jar" "$clean/trunkline-grpc-0.1.0.jar"
cp client/target/trunkline-client-0.1.0.jar "$clean"
[[ $(java -cp "$clean/*" "$clean/App.java") == "false 1" ]] || { echo "the artifacts do not work"; exit 1; }
# gRPC is an artifact of its own: found on the class path, and missed by name where it is not there.
said=$(TRUNKLINE_TRANSPORT=grpc java -cp "$clean/*" "$clean/App.java" 2>&1 || true)
[[ $said == *"on the class path"* ]] || { echo "without the artifact of gRPC: $said"; exit 1; }
cp grpc/target/trunkline-grpc-0.1.0.jar "$clean"
[[ $(TRUNKLINE_TRANSPORT=grpc java -cp "$clean/*" "$clean/App.java") == "false 1" ]] || { echo "the artifact of gRPC does not work"; exit 1; }

# A Maven project that names them, in a repository that had them never before: what their poms say has to be enough.
repository=$HOME/.m2/repository
# Where they are on different disks there are no links, and what was begun of them is no copy.
cp -al "$repository" "$clean/repository" 2>/dev/null || { rm -rf "$clean/repository" && cp -a "$repository" "$clean/repository"; }
rm -rf "$clean/repository/dev/trunkline"
maven=(mvn --batch-mode --no-transfer-progress --quiet "-Dmaven.repo.local=$clean/repository")
"${maven[@]}" -DskipTests -Dmaven.javadoc.skip=true -Dmaven.source.skip=true install
mkdir -p "$clean/consumer/src/test/java"
cat >"$clean/consumer/pom.xml" <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>consumer</artifactId>
  <version>1.0.0</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>dev.trunkline</groupId><artifactId>trunkline-client</artifactId><version>0.1.0</version></dependency>
    <dependency><groupId>dev.trunkline</groupId><artifactId>trunkline-grpc</artifactId><version>0.1.0</version></dependency>
    <dependency><groupId>dev.trunkline</groupId><artifactId>trunkline-testing</artifactId><version>0.1.0</version><scope>test</scope></dependency>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.11.4</version><scope>test</scope></dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
      <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.2</version></plugin>
      <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
    </plugins>
  </build>
</project>
XML
cat >"$clean/consumer/src/test/java/ConsumerTest.java" <<'JAVA'
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.trunkline.Worker;
import dev.trunkline.grpc.GrpcTransport;
import dev.trunkline.testing.DevServer;
import dev.trunkline.testing.FakeContext;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConsumerTest {
  record Greet(String name) {}

  @Test
  void theArtifactsWork() {
    assertEquals(2, new FakeContext(2, null).attempt());
    assertEquals("dev.trunkline.grpc", GrpcTransport.class.getPackageName());
    try (var server = DevServer.start(); var client = server.client();
        var worker = Worker.builder(client).handle("greet", Greet.class, (in, context) -> "Hello, " + in.name()).build()) {
      worker.start();
      assertEquals("Hello, Ada", client.enqueue("greet", new Greet("Ada")).await(Duration.ofMinutes(1), String.class));
    }
  }
}
JAVA
"${maven[@]}" -f "$clean/consumer/pom.xml" test

workers=../../examples/video-pipeline/workers
javac -cp "$clean/*" -d "$clean/video" $workers/*.java
python3 $workers/check.py "$TRUNKLINE_BINARY" java -cp "$clean/video:$clean/*" VideoWorker

for transport in rest grpc; do
    python3 ../conformance/run.py --binary "$TRUNKLINE_BINARY" --transport $transport --driver "$PWD/conformance/driver.sh"
done
