#!/usr/bin/env bash
# One Apache Kafka (KRaft) on private loopback ports, for tests: `broker.sh DIRECTORY PORT start|stop|kill`.
# DIRECTORY keeps its jars, its data and its process id. The jars come from Maven Central, once.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
directory=$1 port=$2 verb=$3
controller=$((port + 1))
jars=${TRUNKLINE_KAFKA_JARS:-$directory/jars}

fetch() {
    [ -e "$jars/.complete" ] && return
    mkdir -p "$jars"
    mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$jars" >&2
    touch "$jars/.complete"
}

configure() {
    [ -e "$directory/server.properties" ] && return
    mkdir -p "$directory/data"
    cat >"$directory/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:$controller
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$directory/data
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
PROPERTIES
    local id
    id=$(java -cp "$jars/*" kafka.tools.StorageTool random-uuid 2>/dev/null | tail -1)
    java -cp "$jars/*" kafka.tools.StorageTool format --standalone -t "$id" -c "$directory/server.properties" \
        >"$directory/format.log" 2>&1
}

answers() {
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null
}

case $verb in
start)
    mkdir -p "$directory"
    fetch
    configure
    nohup java -Xmx384m -cp "$jars/*" kafka.Kafka "$directory/server.properties" >>"$directory/broker.log" 2>&1 &
    echo $! >"$directory/pid"
    for _ in $(seq 1800); do
        answers && exit 0
        kill -0 "$(cat "$directory/pid")" 2>/dev/null || break
        sleep 0.1
    done
    echo "Kafka did not start; see $directory/broker.log" >&2
    exit 1
    ;;
stop | kill)
    [ -e "$directory/pid" ] || exit 0
    pid=$(cat "$directory/pid")
    if [ "$verb" = kill ]; then kill -9 "$pid" 2>/dev/null || true; else kill "$pid" 2>/dev/null || true; fi
    for _ in $(seq 300); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    rm -f "$directory/pid"
    ;;
*)
    echo "usage: broker.sh DIRECTORY PORT start|stop|kill" >&2
    exit 2
    ;;
esac
