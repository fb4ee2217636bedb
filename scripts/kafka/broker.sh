#!/usr/bin/env bash
# A node of an Apache Kafka (KRaft) on private loopback ports, for tests:
#
#   broker.sh DIRECTORY PORT fetch|run [NODE [NODES]]
#
# NODE is 1 to NODES (1 where absent); it listens at PORT + 2 * (NODE - 1), and its controller at the port after that. Where
# DIRECTORY has broker.pem (a key and its certificate), a single node listens at PORT + 2 as well, with TLS and SASL: the user
# relay has the password relay-secret by PLAIN and SCRAM-SHA-512, and tokens of OAUTHBEARER need no signature.
# DIRECTORY keeps the data of each node. It runs until it is ended, as the process that was started. The jars come from Maven
# Central, once, by `fetch`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
directory=$1 first=$2 verb=$3 node=${4:-1} nodes=${5:-1}
port=$((first + 2 * (node - 1)))
own=$directory/$node
# All nodes of a cluster have its id; clusters on loopback never meet.
cluster=dHJ1bmtsaW5lLWthZmthMQ
jars=${TRUNKLINE_KAFKA_JARS:-$directory/jars}

fetch() {
    [ -e "$jars/.complete" ] && return
    mkdir -p "$jars"
    mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$jars" >&2
    touch "$jars/.complete"
}

configure() {
    [ -e "$own/server.properties" ] && return
    mkdir -p "$own/data"
    local listener="" protocol="" scram=()
    if [[ $nodes == 1 && -e $directory/broker.pem ]]; then
        listener=,SECURE://127.0.0.1:$((first + 2))
        protocol=,SECURE:SASL_SSL
        scram=(--add-scram 'SCRAM-SHA-512=[name=relay,password=relay-secret]')
    fi
    local voters="" other replicas=$((nodes < 3 ? nodes : 3))
    for other in $(seq "$nodes"); do voters+="${voters:+,}$other@127.0.0.1:$((first + 2 * (other - 1) + 1))"; done
    cat >"$own/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=$node
controller.quorum.voters=$voters
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$((port + 1))$listener
advertised.listeners=PLAINTEXT://127.0.0.1:$port$listener
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT$protocol
log.dirs=$own/data
# After a kill each partition is recovered, which waits for the disk.
num.recovery.threads.per.data.dir=16
default.replication.factor=$replicas
min.insync.replicas=$(((replicas + 1) / 2))
offsets.topic.replication.factor=$replicas
offsets.topic.num.partitions=5
transaction.state.log.replication.factor=$replicas
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=$replicas
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
broker.session.timeout.ms=6000
PROPERTIES
    [[ -z $listener ]] || cat >>"$own/server.properties" <<PROPERTIES
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512,OAUTHBEARER
listener.name.secure.ssl.keystore.type=PEM
listener.name.secure.ssl.keystore.location=$directory/broker.pem
listener.name.secure.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_relay="relay-secret";
listener.name.secure.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.secure.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";
PROPERTIES
    java -cp "$jars/*" kafka.tools.StorageTool format -t "$cluster" "${scram[@]}" -c "$own/server.properties" \
        >"$own/format.log" 2>&1 || { cat "$own/format.log" >&2; return 1; }
}

case $verb in
fetch)
    fetch
    ;;
run)
    mkdir -p "$own"
    configure
    # Three of them fit into a small machine; a measurement gives it more.
    # One that is killed leaves the libraries that it has unpacked where its data goes with them.
    exec java "-Xmx${TRUNKLINE_KAFKA_HEAP:-320m}" -XX:+UseSerialGC "-Djava.io.tmpdir=$own" -cp "$jars/*" kafka.Kafka "$own/server.properties"
    ;;
*)
    echo "usage: broker.sh DIRECTORY PORT fetch|run [NODE [NODES]]" >&2
    exit 2
    ;;
esac
