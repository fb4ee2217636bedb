package dev.trunkline.grpc;

import dev.trunkline.api.Transport;
import dev.trunkline.api.TransportFactory;

/** Makes the transport of the name <code>grpc</code>: what is found on the class path. */
public final class GrpcTransportFactory implements TransportFactory {
  /** The one that is found. */
  public GrpcTransportFactory() {}

  @Override
  public String name() {
    return "grpc";
  }

  @Override
  public Transport open(Settings settings) {
    return GrpcTransport.builder(settings.url()).apiKey(settings.apiKey()).timeout(settings.timeout()).build();
  }
}
