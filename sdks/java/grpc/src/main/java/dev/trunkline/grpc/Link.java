package dev.trunkline.grpc;

import io.grpc.ChannelCredentials;
import io.grpc.ConnectivityState;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.net.URI;
import java.util.concurrent.TimeUnit;

/**
 * Connections, one at a time. They can be dead without an error: one over which a call ran out of time while nothing came at all is
 * replaced; calls under way keep theirs.
 */
final class Link {
  private static final int PORT = 9090;
  private static final int MESSAGE_BYTES_MAX = 64 << 20;

  /** One connection, and when something came over it last. */
  static final class Connection {
    private final ManagedChannel channel;
    private volatile long heardAt;

    private Connection(ManagedChannel channel) {
      this.channel = channel;
    }

    ManagedChannel channel() {
      return channel;
    }

    void hear() {
      heardAt = System.nanoTime();
    }
  }

  private final String host;
  private final int port;
  private final ChannelCredentials credentials;
  private Connection current;
  private boolean isClosed;

  /** A link to an address such as <code>http://127.0.0.1:9090</code>; null credentials are those that its scheme says. */
  Link(URI address, ChannelCredentials credentials) {
    host = address.getHost();
    port = address.getPort() < 0 ? PORT : address.getPort();
    boolean isSecure = "https".equals(address.getScheme());
    this.credentials = credentials != null ? credentials
        : isSecure ? TlsChannelCredentials.create() : InsecureChannelCredentials.create();
  }

  /** The connection, which gRPC makes when it is used. */
  synchronized Connection connection() {
    if (isClosed) {
      throw new IllegalStateException("the client is closed");
    }
    if (current == null) {
      // Calls are made again by the transport, where it is known which may be.
      ManagedChannel channel = Grpc.newChannelBuilderForAddress(host, port, credentials)
          .maxInboundMessageSize(MESSAGE_BYTES_MAX).disableRetry().build();
      current = new Connection(channel);
      current.hear();
    }
    // Calls and streams are made again with a backoff of their own: that of the connection must not come on top.
    if (current.channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      current.channel.resetConnectBackoff();
    }
    return current;
  }

  /** Gives a connection up unless something came over it since then; {@code since} is taken once the connection is there. */
  synchronized void replace(Connection dead, long since) {
    if (current == dead && dead.heardAt - since <= 0) {
      current = null;
      dead.channel.shutdown();
    }
  }

  void close() {
    Connection last;
    synchronized (this) {
      last = current;
      current = null;
      isClosed = true;
    }
    if (last == null) {
      return;
    }
    last.channel.shutdownNow();
    try {
      last.channel.awaitTermination(2, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
