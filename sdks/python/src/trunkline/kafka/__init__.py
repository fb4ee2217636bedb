"""Jobs from Kafka: `pip install trunkline[kafka]`, then TRUNKLINE_TRANSPORT=kafka or a `KafkaTransport`."""

from trunkline.kafka.consumer import Consumer, Record
from trunkline.kafka.transport import KafkaTransport

__all__ = ["Consumer", "KafkaTransport", "Record"]
