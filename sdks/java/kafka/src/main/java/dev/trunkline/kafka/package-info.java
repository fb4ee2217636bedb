/** Jobs from Kafka: the transport of the name <code>kafka</code>. */
package dev.trunkline.kafka;
