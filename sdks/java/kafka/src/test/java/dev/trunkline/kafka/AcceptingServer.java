package dev.trunkline.kafka;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trunkline.ConnectionException;
import dev.trunkline.Json;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Request;
import dev.trunkline.api.Transport;
import dev.trunkline.model.ChangeEvent;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Answers as the server does: the first worker that accepts an offer has it. */
final class AcceptingServer implements Transport {
  final CopyOnWriteArrayList<String> faults = new CopyOnWriteArrayList<>();
  private final ObjectMapper mapper = Json.mapper();
  private final Map<String, String> holders = new HashMap<>();
  private final Map<String, String> done = new HashMap<>();
  private int accepts;
  private int lost;
  private volatile Runnable afterAccepts = () -> { };

  /** Runs before an acceptance is answered, and after the server has done what was asked. */
  void afterAccepts(Runnable work) {
    afterAccepts = work;
  }

  /** Gives a job to another worker. */
  synchronized void hold(String id, String worker) {
    holders.put(id, worker);
  }

  /** Lets the answers of so many calls be lost, after the server has done what was asked. */
  synchronized void loseAccepts(int count) {
    lost = count;
  }

  synchronized int accepts() {
    return accepts;
  }

  synchronized Map<String, String> done() {
    return Map.copyOf(done);
  }

  synchronized long heldBy(String worker) {
    return holders.values().stream().filter(worker::equals).count();
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public <T> T call(Request request, TypeReference<T> type, CallOptions options) {
    JsonNode answer = answer(request);
    if (request.name().equals("acceptJobs")) {
      afterAccepts.run();
    }
    return mapper.convertValue(answer, type);
  }

  private synchronized JsonNode answer(Request request) {
    JsonNode body = mapper.valueToTree(request.body());
    if (request.name().equals("pollJobs") || body.has("poll")) {
      faults.add("the server is asked for jobs");
    }
    ObjectNode answer = mapper.createObjectNode();
    for (JsonNode job : body.path("jobs")) {
      ObjectNode result = answer.withArray("results").addObject().put("id", job.path("id").asText()).put("outcome", "ok")
          .put("leaseExpiresAt", Instant.now().plusSeconds(30).toString());
      String id = job.path("id").asText();
      if (request.name().equals("acceptJobs")) {
        accept(id, job.path("leaseToken").asText(), body.path("workerId").asText(), result);
      } else if (!request.name().equals("heartbeatJobs") && done.put(id, request.name()) != null) {
        faults.add(id + " is settled twice");
      }
    }
    if (request.name().equals("acceptJobs")) {
      accepts++;
      if (lost-- > 0) {
        throw new ConnectionException("the answer was lost", null);
      }
    }
    return answer;
  }

  private void accept(String id, String token, String worker, ObjectNode result) {
    holders.putIfAbsent(id, worker);
    if (done.containsKey(id)) {
      result.put("outcome", "already_done");
    } else if (holders.get(id).equals(worker)) {
      result.put("leaseToken", token + "-" + worker);
    } else {
      result.put("outcome", "taken");
    }
  }

  @Override
  public Subscription events(Runnable opened, Consumer<ChangeEvent> each, Consumer<RuntimeException> failed) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
