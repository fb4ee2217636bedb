package dev.trunkline.api;

import java.net.http.HttpClient;
import java.time.Duration;

/** Makes transports of one name. Found on the class path by {@link java.util.ServiceLoader}. */
public interface TransportFactory {
  /**
   * What <code>TRUNKLINE_TRANSPORT</code> says.
   *
   * @return the name
   */
  String name();

  /**
   * Makes one.
   *
   * @param settings its settings
   * @return the transport
   */
  Transport open(Settings settings);

  /**
   * What a transport is made of.
   *
   * @param url the server
   * @param apiKey the key; may be null
   * @param timeout of a call with its repetitions
   * @param http used by REST; null is one of its own
   */
  record Settings(String url, String apiKey, Duration timeout, HttpClient http) {}
}
