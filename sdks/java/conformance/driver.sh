#!/bin/sh
# The driver of sdks/conformance, once `mvn package` has built it. Small heaps and the first compiler start fast.
here=$(cd "$(dirname "$0")" && pwd)
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m -cp "$here/target/classes:$here/target/lib/*" \
    dev.trunkline.conformance.Driver "$@"
