package dev.trunkline.kafka;

/** A partition of a topic. */
record Place(String topic, int partition) {}
