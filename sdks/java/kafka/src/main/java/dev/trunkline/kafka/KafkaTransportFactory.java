package dev.trunkline.kafka;

import dev.trunkline.TrunklineException;
import dev.trunkline.api.Transport;
import dev.trunkline.api.TransportFactory;

/** Makes the transport for <code>TRUNKLINE_TRANSPORT=kafka</code>, with the brokers of <code>TRUNKLINE_KAFKA_BROKERS</code>. */
public final class KafkaTransportFactory implements TransportFactory {
  /** Called by the service loader. */
  public KafkaTransportFactory() {}

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public Transport open(Settings settings) {
    String brokers = System.getenv("TRUNKLINE_KAFKA_BROKERS");
    if (brokers == null || brokers.isEmpty()) {
      throw new TrunklineException("TRUNKLINE_KAFKA_BROKERS is not set: the brokers, as host:port,host:port", null);
    }
    return new KafkaTransport(settings, KafkaTransport.Options.of(brokers));
  }
}
