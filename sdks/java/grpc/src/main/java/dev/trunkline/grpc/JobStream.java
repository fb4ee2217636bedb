package dev.trunkline.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.trunkline.CallTimeout;
import dev.trunkline.ConnectionException;
import dev.trunkline.TrunklineException;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One stream of a worker, from <code>hello</code> to its end. */
final class JobStream extends ClientCall.Listener<DynamicMessage> {
  private static final String CALL = "pollJobs";
  private static final String PATH = "trunkline.v1.WorkerService/Connect";
  private static final Descriptor FROM_WORKER = Contract.own("FromWorker");
  private static final Descriptor TO_WORKER = Contract.own("ToWorker");
  private static final long ALIVE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final GrpcTransport transport;
  private final Delivery delivery;
  private final Link.Connection connection;
  private final ClientCall<DynamicMessage, DynamicMessage> call;
  private final Map<Long, CompletableFuture<Message>> answers = new HashMap<>();
  /** Jobs that were offered and that no poll has taken. */
  private final List<Message> offered = new ArrayList<>();
  private ScheduledFuture<?> tick;
  /** How many more jobs the server may offer. */
  private int credits;
  private long number;
  private long heardAt = System.nanoTime();
  private long saidAt = heardAt;
  private boolean isHeard;
  private boolean isDraining;
  private boolean isHalfClosed;
  private TrunklineException end;

  JobStream(GrpcTransport transport, Delivery delivery) {
    this.transport = transport;
    this.delivery = delivery;
    connection = transport.link().connection();
    call = connection.channel().newCall(GrpcTransport.method(PATH, MethodType.BIDI_STREAMING, FROM_WORKER, TO_WORKER),
        io.grpc.CallOptions.DEFAULT);
  }

  /** Says hello and waits until the server answers. */
  synchronized void open(DynamicMessage hello, long nanos) throws InterruptedException {
    long begun = System.nanoTime();
    call.start(this, transport.metadata(null));
    call.request(1);
    send("hello", hello);
    long every = Math.min(TimeUnit.SECONDS.toNanos(1), transport.silenceNanos() / 4);
    tick = transport.timer().scheduleWithFixedDelay(this::keep, every, every, TimeUnit.NANOSECONDS);
    for (long left = nanos; !isHeard && end == null; left = begun + nanos - System.nanoTime()) {
      if (left <= 0) {
        giveUp(new ConnectionException(CALL + ": the stream was not opened in time", null), begun);
        break;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException stopped) {
        giveUp(new ConnectionException(CALL + ": the worker takes no more jobs", stopped), begun);
        throw stopped;
      }
    }
    if (end != null) {
      throw end;
    }
  }

  /** Whether jobs still come from here, or wait here to be taken. */
  synchronized boolean delivers() {
    return end == null && (!offered.isEmpty() || !isDraining);
  }

  /**
   * Lets as many jobs come as the worker has room for, and gives those that came, which are the worker's from then on. An empty list
   * says that none came in time, no list that none comes from here any more.
   */
  synchronized Optional<List<Message>> take(int room, long until) throws InterruptedException {
    grant(room);
    while (true) {
      if (end != null) {
        throw end;
      }
      if (!offered.isEmpty()) {
        return Optional.of(receive(room));
      }
      if (isDraining) {
        return Optional.empty();
      }
      long left = until - System.nanoTime();
      if (left <= 0) {
        return Optional.of(List.of());
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private void grant(int room) {
    int missing = room - credits - offered.size();
    if (missing > 0 && !isDraining && end == null) {
      credits += missing;
      DynamicMessage.Builder message = builder("Credits");
      message.setField(field(message, "count"), missing);
      send("credits", message.build());
    }
  }

  private List<Message> receive(int room) {
    List<Message> some = offered.subList(0, Math.min(room, offered.size()));
    List<Message> jobs = List.copyOf(some);
    some.clear();
    // The server may cancel a job as soon as it is confirmed.
    delivery.keep(jobs);
    DynamicMessage.Builder received = builder("Received");
    jobs.forEach(job -> received.addRepeatedField(field(received, "ids"), text(job, "id")));
    send("received", received.build());
    halfCloseIfDone();
    return jobs;
  }

  /** Sends a report and waits for the answer to it; nothing where the stream ends before. */
  Optional<Message> report(String kind, DynamicMessage report, long nanos) throws InterruptedException {
    CompletableFuture<Message> answer = new CompletableFuture<>();
    long own;
    synchronized (this) {
      if (isHalfClosed || end != null) {
        return Optional.empty();
      }
      own = ++number;
      answers.put(own, answer);
      DynamicMessage.Builder message = DynamicMessage.newBuilder(FROM_WORKER);
      message.setField(field(message, "number"), own).setField(field(message, kind), report);
      call.sendMessage(message.build());
      saidAt = System.nanoTime();
    }
    try {
      return Optional.of(answer.get(nanos, TimeUnit.NANOSECONDS));
    } catch (ExecutionException broken) {
      return Optional.empty();
    } catch (TimeoutException late) {
      throw new CallTimeout(kind + ": no answer in time", late);
    } finally {
      synchronized (this) {
        answers.remove(own);
        halfCloseIfDone();
      }
    }
  }

  /** Takes no more jobs; what was reported is still answered. */
  synchronized void halfClose() {
    isDraining = true;
    offered.clear();
    notifyAll();
    halfCloseIfDone();
  }

  @Override
  public void onMessage(DynamicMessage message) {
    List<Message> lost = List.of();
    synchronized (this) {
      call.request(1);
      heardAt = System.nanoTime();
      connection.hear();
      isHeard = true;
      FieldDescriptor kind = message.getOneofFieldDescriptor(TO_WORKER.getOneofs().get(0));
      Message said = kind == null ? null : (Message) message.getField(kind);
      switch (kind == null ? "" : kind.getName()) {
        case "offer" -> offer(messages(said, "jobs"));
        case "outcome" -> answer(said);
        case "cancel" -> lost = cancelled(messages(said, "jobs"));
        case "drain" -> drain(text(said, "reason"));
        default -> { }
      }
      notifyAll();
    }
    lost.forEach(job -> delivery.cancelled(text(job, "id"), text(job, "reason")));
  }

  private void offer(List<Message> jobs) {
    offered.addAll(jobs);
    credits = Math.max(0, credits - jobs.size());
  }

  private void answer(Message outcome) {
    CompletableFuture<Message> answer = answers.remove((Long) outcome.getField(field(outcome, "number")));
    if (answer != null) {
      answer.complete(outcome);
    }
    halfCloseIfDone();
  }

  /** An offer that nobody took in time went back, and gives its credit back; the others are jobs that the worker has. */
  private List<Message> cancelled(List<Message> jobs) {
    List<Message> lost = new ArrayList<>();
    for (Message job : jobs) {
      if (!text(job, "reason").equals("not_received")) {
        lost.add(job);
        continue;
      }
      credits++;
      for (Iterator<Message> all = offered.iterator(); all.hasNext(); ) {
        if (text(all.next(), "id").equals(text(job, "id"))) {
          all.remove();
        }
      }
    }
    halfCloseIfDone();
    return lost;
  }

  private void drain(String reason) {
    if (reason.equals("worker")) {
      delivery.drain();
    }
    isDraining = true;
    halfCloseIfDone();
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    TrunklineException why = status.isOk() ? new ConnectionException(CALL + ": the server ended the stream", null)
        : GrpcErrors.of(CALL, status, trailers);
    finish(why);
  }

  private synchronized void finish(TrunklineException why) {
    if (end != null) {
      return;
    }
    end = why;
    offered.clear();
    answers.values().forEach(answer -> answer.completeExceptionally(why));
    answers.clear();
    if (tick != null) {
      tick.cancel(false);
    }
    notifyAll();
  }

  /** Says that the worker is there, and ends the stream if the server is not. */
  private synchronized void keep() {
    long now = System.nanoTime();
    if (end != null) {
      return;
    }
    if (now - heardAt > transport.silenceNanos()) {
      giveUp(new ConnectionException(CALL + ": nothing came over the stream for too long", null), now);
    } else if (now - saidAt >= ALIVE_EVERY_NANOS && !isHalfClosed) {
      send("alive", builder("Alive").build());
    }
  }

  private void giveUp(TrunklineException why, long since) {
    finish(why);
    call.cancel(why.getMessage(), null);
    transport.link().replace(connection, since);
  }

  private void halfCloseIfDone() {
    if (isDraining && answers.isEmpty() && offered.isEmpty() && !isHalfClosed && end == null) {
      isHalfClosed = true;
      call.halfClose();
    }
  }

  private void send(String kind, DynamicMessage content) {
    if (isHalfClosed || end != null) {
      return;
    }
    DynamicMessage.Builder message = DynamicMessage.newBuilder(FROM_WORKER);
    call.sendMessage(message.setField(field(message, kind), content).build());
    saidAt = System.nanoTime();
  }

  private static DynamicMessage.Builder builder(String name) {
    return DynamicMessage.newBuilder(Contract.own(name));
  }

  private static FieldDescriptor field(com.google.protobuf.MessageOrBuilder message, String name) {
    return message.getDescriptorForType().findFieldByName(name);
  }

  static String text(Message message, String field) {
    return String.valueOf(message.getField(field(message, field)));
  }

  static List<Message> messages(Message message, String field) {
    List<Message> found = new ArrayList<>();
    ((List<?>) message.getField(field(message, field))).forEach(one -> found.add((Message) one));
    return found;
  }
}
