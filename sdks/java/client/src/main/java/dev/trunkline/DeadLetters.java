package dev.trunkline;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trunkline.api.CallOptions;
import dev.trunkline.api.Calls;
import dev.trunkline.model.ArchiveRequest;
import dev.trunkline.model.DeadLetter;
import dev.trunkline.model.RequeueRequest;
import java.util.List;
import java.util.Map;

/** Dead letters: jobs that failed permanently. */
public final class DeadLetters {
  private final Calls calls;
  private final ObjectMapper mapper;

  DeadLetters(Calls calls, ObjectMapper mapper) {
    this.calls = calls;
    this.mapper = mapper;
  }

  /**
   * All dead letters, page by page, newest first.
   *
   * @param query any of <code>queue</code>, <code>workflow</code>, <code>jobType</code>, <code>tenant</code>,
   *     <code>fingerprint</code>, <code>reason</code>, <code>status</code>, <code>from</code>, <code>to</code>
   * @return the dead letters
   */
  public List<DeadLetter> list(Map<String, ?> query) {
    return Pages.all(query, part -> calls.listDeadLetters(part, CallOptions.DEFAULT));
  }

  /**
   * One.
   *
   * @param id its id
   * @return the dead letter
   */
  public DeadLetter get(String id) {
    return calls.getDeadLetter(id, Map.of(), CallOptions.DEFAULT);
  }

  /**
   * Requeues the job unchanged.
   *
   * @param id its id
   */
  public void requeue(String id) {
    calls.requeueDeadLetter(id, RequeueRequest.builder().build(), CallOptions.DEFAULT);
  }

  /**
   * Requeues the job with new data.
   *
   * @param id its id
   * @param data anything that Jackson writes
   */
  public void requeue(String id, Object data) {
    calls.requeueDeadLetter(id, RequeueRequest.builder().data(mapper.valueToTree(data)).build(), CallOptions.DEFAULT);
  }

  /**
   * Archives the dead letter.
   *
   * @param id its id
   * @param reason why
   */
  public void archive(String id, String reason) {
    calls.archiveDeadLetter(id, new ArchiveRequest(reason), CallOptions.DEFAULT);
  }
}
