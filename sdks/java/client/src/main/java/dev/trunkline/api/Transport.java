package dev.trunkline.api;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.trunkline.model.ChangeEvent;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Carries calls. It is safe for use by several threads. */
public interface Transport extends AutoCloseable {
  /**
   * What <code>TRUNKLINE_TRANSPORT</code> says.
   *
   * @return the name
   */
  String name();

  /**
   * Makes a call. An interrupt of the calling thread ends it with {@link dev.trunkline.Cancelled}.
   *
   * @param request the call
   * @param type of the answer
   * @param options how it is made
   * @param <T> of the answer
   * @return the answer; null where there is none
   * @throws dev.trunkline.ProblemException where the server refuses it
   * @throws dev.trunkline.ConnectionException where the server was not reached
   * @throws dev.trunkline.CallTimeout where the time was up
   */
  <T> T call(Request request, TypeReference<T> type, CallOptions options);

  /**
   * Follows the changes of the server until the subscription is closed. A broken stream is opened again, and an event of the
   * kind <code>resync</code> comes first then.
   *
   * @param opened called once it is open
   * @param each called for each event, one after another
   * @param failed called once if the server rejects the stream
   * @return a handle that ends it
   */
  Subscription events(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed);

  /**
   * Sets what is called when the server says by itself that a job is not a worker's any more. Transports without a stream leave that
   * to heartbeats.
   *
   * @param workerId the worker
   * @param lost takes the token of the lease, and <code>cancelled</code> or <code>lease_lost</code>
   */
  default void onCancel(String workerId, BiConsumer<String, String> lost) {}

  /**
   * A worker takes no more jobs; its reports still come. For transports that have something to leave then.
   *
   * @param workerId the worker
   */
  default void endDelivery(String workerId) {}

  @Override
  void close();

  /** Ends a stream. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
