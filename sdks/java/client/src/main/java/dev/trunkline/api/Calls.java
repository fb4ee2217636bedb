// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.
package dev.trunkline.api;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.trunkline.model.*;
import java.util.Map;

/** Every call of the REST interface, as it is. {@link dev.trunkline.TrunklineClient} is the friendlier way. */
public final class Calls {
  private final Transport transport;

  /**
   * The calls over a transport.
   *
   * @param transport what carries them
   */
  public Calls(Transport transport) {
    this.transport = transport;
  }

  /**
   * List API keys without their secrets, newest first.
   *
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<ApiKey> listKeys(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listKeys", "GET", "/v1/api-keys", query, null, false), new TypeReference<Page<ApiKey>>() {}, options);
  }

  /**
   * Make an API key. The secret is in this answer only.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public NewApiKey createKey(ApiKeyRequest body, CallOptions options) {
    return transport.call(new Request("createKey", "POST", "/v1/api-keys", Map.of(), body, true), new TypeReference<NewApiKey>() {}, options);
  }

  /**
   * Revoke an API key.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   */
  public void revokeKey(String id, CallOptions options) {
    transport.call(new Request("revokeKey", "DELETE", "/v1/api-keys/" + Request.escape(id), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * Give an API key another secret. The secret is in this answer only. Id, role and scopes stay. The secret of before holds for <code>overlap</code>.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public NewApiKey rotateKey(String id, KeyRotation body, CallOptions options) {
    return transport.call(new Request("rotateKey", "POST", "/v1/api-keys/" + Request.escape(id) + "/rotate", Map.of(), body, true), new TypeReference<NewApiKey>() {}, options);
  }

  /**
   * List archived dead letters, newest first.
   *
   * @param query any of <code>queue</code>, <code>workflow</code>, <code>jobType</code>, <code>tenant</code>, <code>fingerprint</code>, <code>reason</code>, <code>status</code>, <code>from</code>, <code>to</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<DeadLetter> listArchive(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listArchive", "GET", "/v1/archive", query, null, false), new TypeReference<Page<DeadLetter>>() {}, options);
  }

  /**
   * List the audit log, newest first.
   *
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<AuditLine> listAudit(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listAudit", "GET", "/v1/audit", query, null, false), new TypeReference<Page<AuditLine>>() {}, options);
  }

  /**
   * Show the progress of a bulk operation.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Batch getBatch(String id, CallOptions options) {
    return transport.call(new Request("getBatch", "GET", "/v1/batches/" + Request.escape(id), Map.of(), null, false), new TypeReference<Batch>() {}, options);
  }

  /**
   * Abort a bulk operation. What is done stays done.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Batch abortBatch(String id, CallOptions options) {
    return transport.call(new Request("abortBatch", "POST", "/v1/batches/" + Request.escape(id) + "/abort", Map.of(), null, true), new TypeReference<Batch>() {}, options);
  }

  /**
   * Show what became of a command.
   *
   * @param position part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Command getCommand(String position, CallOptions options) {
    return transport.call(new Request("getCommand", "GET", "/v1/commands/" + Request.escape(position), Map.of(), null, false), new TypeReference<Command>() {}, options);
  }

  /**
   * List dead letters, newest first.
   *
   * @param query any of <code>queue</code>, <code>workflow</code>, <code>jobType</code>, <code>tenant</code>, <code>fingerprint</code>, <code>reason</code>, <code>status</code>, <code>from</code>, <code>to</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<DeadLetter> listDeadLetters(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listDeadLetters", "GET", "/v1/dead-letters", query, null, false), new TypeReference<Page<DeadLetter>>() {}, options);
  }

  /**
   * Archive many dead letters.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode archiveDeadLetters(BulkArchiveRequest body, CallOptions options) {
    return transport.call(new Request("archiveDeadLetters", "POST", "/v1/dead-letters/archive", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * List groups of open dead letters with the same kind of error, largest first.
   *
   * @param query any of <code>queue</code>, <code>workflow</code>, <code>jobType</code>, <code>tenant</code>, <code>fingerprint</code>, <code>reason</code>, <code>status</code>, <code>from</code>, <code>to</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<DeadLetterGroup> listGroups(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listGroups", "GET", "/v1/dead-letters/groups", query, null, false), new TypeReference<Page<DeadLetterGroup>>() {}, options);
  }

  /**
   * Requeue many dead letters.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode requeueDeadLetters(BulkRequeueRequest body, CallOptions options) {
    return transport.call(new Request("requeueDeadLetters", "POST", "/v1/dead-letters/requeue", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Show a dead letter with its attempts.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public DeadLetter getDeadLetter(String id, CallOptions options) {
    return transport.call(new Request("getDeadLetter", "GET", "/v1/dead-letters/" + Request.escape(id), Map.of(), null, false), new TypeReference<DeadLetter>() {}, options);
  }

  /**
   * Archive a dead letter.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public DeadLetterChange archiveDeadLetter(String id, ArchiveRequest body, CallOptions options) {
    return transport.call(new Request("archiveDeadLetter", "POST", "/v1/dead-letters/" + Request.escape(id) + "/archive", Map.of(), body, true), new TypeReference<DeadLetterChange>() {}, options);
  }

  /**
   * Requeue a dead letter. Its job goes back to its queue under its old id, with its history and fresh retries. Doing it twice makes no
   * second job.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public DeadLetterChange requeueDeadLetter(String id, RequeueRequest body, CallOptions options) {
    return transport.call(new Request("requeueDeadLetter", "POST", "/v1/dead-letters/" + Request.escape(id) + "/requeue", Map.of(), body, true), new TypeReference<DeadLetterChange>() {}, options);
  }

  /**
   * List deliveries, newest first. Accepted, held, matched, unmatched, parked, duplicate and rejected ones, and handshakes; also of endpoints that were
   * removed.
   *
   * @param query any of <code>webhookId</code>, <code>tenant</code>, <code>status</code>, <code>eventType</code>, <code>from</code>, <code>to</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Delivery> listDeliveries(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listDeliveries", "GET", "/v1/deliveries", query, null, false), new TypeReference<Page<Delivery>>() {}, options);
  }

  /**
   * Replay many deliveries. The work goes on after the answer.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode replayDeliveries(BulkReplayRequest body, CallOptions options) {
    return transport.call(new Request("replayDeliveries", "POST", "/v1/deliveries/replay", Map.of(), body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Show a delivery with its headers and its body.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Delivery getDelivery(String id, CallOptions options) {
    return transport.call(new Request("getDelivery", "GET", "/v1/deliveries/" + Request.escape(id), Map.of(), null, false), new TypeReference<Delivery>() {}, options);
  }

  /**
   * Replay a delivery. A new delivery with the same body, which is matched against the triggers as they are now. It is not verified again,
   * and no repetition of anything. Triggers that have started their workflows for the delivery do so again only with
   * <code>allTriggers</code>.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public ReplayedDelivery replayDelivery(String id, ReplayRequest body, CallOptions options) {
    return transport.call(new Request("replayDelivery", "POST", "/v1/deliveries/" + Request.escape(id) + "/replay", Map.of(), body, true), new TypeReference<ReplayedDelivery>() {}, options);
  }

  /**
   * List executions, newest first.
   *
   * @param query any of <code>workflow</code>, <code>version</code>, <code>status</code>, <code>tenant</code>, <code>priority</code>, <code>correlationId</code>, <code>tag</code>, <code>parent</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Execution> listExecutions(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listExecutions", "GET", "/v1/executions", query, null, false), new TypeReference<Page<Execution>>() {}, options);
  }

  /**
   * Start an execution. A 202 means that it is stored durably. With <code>wait</code> the answer is 200 and the execution, once it has ended, or 202
   * when the time is up.
   *
   * @param body what is sent
   * @param query any of <code>wait</code>, <code>timeout</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JsonNode startExecution(ExecutionRequest body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("startExecution", "POST", "/v1/executions", query, body, true), new TypeReference<JsonNode>() {}, options);
  }

  /**
   * Start many executions in one commit. All or nothing, unless <code>partial</code> is true: then valid ones are accepted and each invalid one has its error in the
   * results.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public BatchResults<BatchResultCreatedExecution> startExecutions(ExecutionBatch body, CallOptions options) {
    return transport.call(new Request("startExecutions", "POST", "/v1/executions/batch", Map.of(), body, true), new TypeReference<BatchResults<BatchResultCreatedExecution>>() {}, options);
  }

  /**
   * Show an execution. With <code>wait</code> the answer is held until it ends or the time is up, and says how it is then.
   *
   * @param id part of the path
   * @param query any of <code>wait</code>, <code>timeout</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Execution getExecution(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getExecution", "GET", "/v1/executions/" + Request.escape(id), query, null, false), new TypeReference<Execution>() {}, options);
  }

  /**
   * Cancel an execution. With <code>compensate</code> the completed nodes are undone first, the last one first, as their <code>compensate</code> says.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public CommandAccepted cancelExecution(String id, CancelRequest body, CallOptions options) {
    return transport.call(new Request("cancelExecution", "POST", "/v1/executions/" + Request.escape(id) + "/cancel", Map.of(), body, true), new TypeReference<CommandAccepted>() {}, options);
  }

  /**
   * Show the timeline of an execution, oldest first.
   *
   * @param id part of the path
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<TimelineEvent> listTimeline(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listTimeline", "GET", "/v1/executions/" + Request.escape(id) + "/events", query, null, false), new TypeReference<Page<TimelineEvent>>() {}, options);
  }

  /**
   * List the nodes of an execution, in the order of its definition. A compensation that has started stands behind its node, as <code>charge:compensate</code>.
   *
   * @param id part of the path
   * @param query any of <code>items</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Node> listNodes(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listNodes", "GET", "/v1/executions/" + Request.escape(id) + "/nodes", query, null, false), new TypeReference<Page<Node>>() {}, options);
  }

  /**
   * Run an execution again from a chosen node. Starts another execution of the same version. The results of the nodes that do not come after the chosen one are
   * taken over; those nodes do not run again. A rerun that fails undoes what it did itself; what it took over it undoes
   * only with <code>compensateOriginal</code>.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public CreatedExecution rerunExecution(String id, RerunRequest body, CallOptions options) {
    return transport.call(new Request("rerunExecution", "POST", "/v1/executions/" + Request.escape(id) + "/rerun", Map.of(), body, true), new TypeReference<CreatedExecution>() {}, options);
  }

  /**
   * Retry a failed execution from its failed nodes.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public CommandAccepted retryExecution(String id, CallOptions options) {
    return transport.call(new Request("retryExecution", "POST", "/v1/executions/" + Request.escape(id) + "/retry", Map.of(), null, true), new TypeReference<CommandAccepted>() {}, options);
  }

  /**
   * Send a signal to an execution. It goes to the first node that waits for a signal of this name. One that comes before is kept, at most 1,000 of an
   * execution.
   *
   * @param id part of the path
   * @param name 1 to 200 printable characters.
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public CommandAccepted signalExecution(String id, String name, SignalRequest body, CallOptions options) {
    return transport.call(new Request("signalExecution", "POST", "/v1/executions/" + Request.escape(id) + "/signals/" + Request.escape(name), Map.of(), body, true), new TypeReference<CommandAccepted>() {}, options);
  }

  /**
   * Do a user task. What is submitted is checked against the task's form. A task that is not open is a 409 <code>user_task_not_open</code>, one of another
   * round a 409 <code>user_task_round</code>, one that somebody else has claimed a 409 <code>user_task_claimed</code>. A task with an assignee or a
   * group is done by a key that stands for that person or belongs to that group, or by an operator.
   *
   * @param id part of the path
   * @param nodeId part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public CommandAccepted completeUserTask(String id, String nodeId, UserTaskCompletion body, CallOptions options) {
    return transport.call(new Request("completeUserTask", "POST", "/v1/executions/" + Request.escape(id) + "/user-tasks/" + Request.escape(nodeId) + "/complete", Map.of(), body, true), new TypeReference<CommandAccepted>() {}, options);
  }

  /**
   * Say why an execution does not go on: which node waits for what.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public ExecutionWhy whyExecution(String id, CallOptions options) {
    return transport.call(new Request("whyExecution", "GET", "/v1/executions/" + Request.escape(id) + "/why", Map.of(), null, false), new TypeReference<ExecutionWhy>() {}, options);
  }

  /**
   * List jobs, newest first.
   *
   * @param query any of <code>queue</code>, <code>status</code>, <code>jobType</code>, <code>workflow</code>, <code>tenant</code>, <code>priority</code>, <code>tag</code>, <code>executionId</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Job> listJobs(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listJobs", "GET", "/v1/jobs", query, null, false), new TypeReference<Page<Job>>() {}, options);
  }

  /**
   * Enqueue a job. The job waits on <code>workflow-node</code> until a worker that polls for its type takes it. A 202 means that it is stored
   * durably.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Enqueued enqueueJob(JobRequest body, CallOptions options) {
    return transport.call(new Request("enqueueJob", "POST", "/v1/jobs", Map.of(), body, true), new TypeReference<Enqueued>() {}, options);
  }

  /**
   * Enqueue many jobs in one commit. All or nothing, unless <code>partial</code> is true: then valid jobs are accepted and each invalid one has its error in the
   * results.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public BatchResults<BatchResultEnqueued> enqueueJobs(JobBatch body, CallOptions options) {
    return transport.call(new Request("enqueueJobs", "POST", "/v1/jobs/batch", Map.of(), body, true), new TypeReference<BatchResults<BatchResultEnqueued>>() {}, options);
  }

  /**
   * Report jobs as done. Each is answered by itself: a result that is too large is <code>rejected</code> with the reason, and the other jobs are done.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Outcomes completeJobs(Reports<Completion> body, CallOptions options) {
    return transport.call(new Request("completeJobs", "POST", "/v1/jobs/complete", Map.of(), body, false), new TypeReference<Outcomes>() {}, options);
  }

  /**
   * Report jobs as failed. Each is tried again after its backoff, or becomes a dead letter when it is out of retries or not <code>retryable</code>.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Outcomes failJobs(Reports<Failure> body, CallOptions options) {
    return transport.call(new Request("failJobs", "POST", "/v1/jobs/fail", Map.of(), body, false), new TypeReference<Outcomes>() {}, options);
  }

  /**
   * Renew leases. <code>cancelled</code> and <code>lease_lost</code> mean that the job is no longer this worker's: its handler should stop.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Outcomes heartbeatJobs(Reports<Heartbeat> body, CallOptions options) {
    return transport.call(new Request("heartbeatJobs", "POST", "/v1/jobs/heartbeat", Map.of(), body, false), new TypeReference<Outcomes>() {}, options);
  }

  /**
   * Take jobs. Leases up to <code>maxJobs</code> jobs of the given types to the worker. With <code>wait</code> the answer is held until there is one.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public PolledJobs pollJobs(Poll body, CallOptions options) {
    return transport.call(new Request("pollJobs", "POST", "/v1/jobs/poll", Map.of(), body, false), new TypeReference<PolledJobs>() {}, options);
  }

  /**
   * Give jobs back. They go back to their queue without consuming an attempt, at once or after <code>delay</code>. Progress that was reported is given
   * to the next attempt.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Outcomes releaseJobs(Reports<Release> body, CallOptions options) {
    return transport.call(new Request("releaseJobs", "POST", "/v1/jobs/release", Map.of(), body, false), new TypeReference<Outcomes>() {}, options);
  }

  /**
   * Show a job with its attempts. With <code>wait</code> the answer is held until the job ends or the time is up, and says how it is then.
   *
   * @param id part of the path
   * @param query any of <code>wait</code>, <code>timeout</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Job getJob(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getJob", "GET", "/v1/jobs/" + Request.escape(id), query, null, false), new TypeReference<Job>() {}, options);
  }

  /**
   * Cancel a job. A job that is being processed loses its lease at once. Cancelling the job of an execution cancels the execution.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JobChange cancelJob(String id, CallOptions options) {
    return transport.call(new Request("cancelJob", "POST", "/v1/jobs/" + Request.escape(id) + "/cancel", Map.of(), null, true), new TypeReference<JobChange>() {}, options);
  }

  /**
   * Move a waiting job to another priority.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JobChange reprioritizeJob(String id, ReprioritizeRequest body, CallOptions options) {
    return transport.call(new Request("reprioritizeJob", "POST", "/v1/jobs/" + Request.escape(id) + "/reprioritize", Map.of(), body, true), new TypeReference<JobChange>() {}, options);
  }

  /**
   * Run a job now. Makes a job that waits for its time or for its next try due at once.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public JobChange retryJob(String id, CallOptions options) {
    return transport.call(new Request("retryJob", "POST", "/v1/jobs/" + Request.escape(id) + "/retry", Map.of(), null, true), new TypeReference<JobChange>() {}, options);
  }

  /**
   * Say why a job is not running.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Why whyJob(String id, CallOptions options) {
    return transport.call(new Request("whyJob", "GET", "/v1/jobs/" + Request.escape(id) + "/why", Map.of(), null, false), new TypeReference<Why>() {}, options);
  }

  /**
   * Show the limits of the queues.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> getLimits(CallOptions options) {
    return transport.call(new Request("getLimits", "GET", "/v1/limits", Map.of(), null, false), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Change the limits of the queues. A claim that starts after the answer obeys them.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> setLimits(Map<String, LimitChanges> body, CallOptions options) {
    return transport.call(new Request("setLimits", "PUT", "/v1/limits", Map.of(), body, true), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * List the queues with their figures.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Queue> listQueues(CallOptions options) {
    return transport.call(new Request("listQueues", "GET", "/v1/queues", Map.of(), null, false), new TypeReference<Page<Queue>>() {}, options);
  }

  /**
   * Show a queue with its figures.
   *
   * @param queue part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Queue getQueue(String queue, CallOptions options) {
    return transport.call(new Request("getQueue", "GET", "/v1/queues/" + Request.escape(queue), Map.of(), null, false), new TypeReference<Queue>() {}, options);
  }

  /**
   * Drain a queue. It hands out the jobs that it has and accepts no new ones from callers until it is resumed.
   *
   * @param queue part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public QueueMode drainQueue(String queue, CallOptions options) {
    return transport.call(new Request("drainQueue", "POST", "/v1/queues/" + Request.escape(queue) + "/drain", Map.of(), null, true), new TypeReference<QueueMode>() {}, options);
  }

  /**
   * Pause a queue. It hands out no jobs until it is resumed. New jobs are accepted.
   *
   * @param queue part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public QueueMode pauseQueue(String queue, CallOptions options) {
    return transport.call(new Request("pauseQueue", "POST", "/v1/queues/" + Request.escape(queue) + "/pause", Map.of(), null, true), new TypeReference<QueueMode>() {}, options);
  }

  /**
   * Resume a queue.
   *
   * @param queue part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public QueueMode resumeQueue(String queue, CallOptions options) {
    return transport.call(new Request("resumeQueue", "POST", "/v1/queues/" + Request.escape(queue) + "/resume", Map.of(), null, true), new TypeReference<QueueMode>() {}, options);
  }

  /**
   * List schedules, newest first.
   *
   * @param query any of <code>workflow</code>, <code>tenant</code>, <code>paused</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Schedule> listSchedules(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listSchedules", "GET", "/v1/schedules", query, null, false), new TypeReference<Page<Schedule>>() {}, options);
  }

  /**
   * Create a schedule. It fires from now on. A refused expression is told at <code>/cron</code>, with what would be right.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Schedule createSchedule(ScheduleRequest body, CallOptions options) {
    return transport.call(new Request("createSchedule", "POST", "/v1/schedules", Map.of(), body, true), new TypeReference<Schedule>() {}, options);
  }

  /**
   * Preview an expression.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Preview previewCron(PreviewRequest body, CallOptions options) {
    return transport.call(new Request("previewCron", "POST", "/v1/schedules/preview", Map.of(), body, true), new TypeReference<Preview>() {}, options);
  }

  /**
   * Show a schedule.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Schedule getSchedule(String id, CallOptions options) {
    return transport.call(new Request("getSchedule", "GET", "/v1/schedules/" + Request.escape(id), Map.of(), null, false), new TypeReference<Schedule>() {}, options);
  }

  /**
   * Replace a schedule. It keeps its id and its history. Slots that are past by then do not fire, and one that waits is given up.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Schedule replaceSchedule(String id, ScheduleRequest body, CallOptions options) {
    return transport.call(new Request("replaceSchedule", "PUT", "/v1/schedules/" + Request.escape(id), Map.of(), body, true), new TypeReference<Schedule>() {}, options);
  }

  /**
   * Remove a schedule and its history. Its executions stay.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   */
  public void deleteSchedule(String id, CallOptions options) {
    transport.call(new Request("deleteSchedule", "DELETE", "/v1/schedules/" + Request.escape(id), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * Run the slots of a past span. Those with an entry in the history are left out; the others start at once.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Backfill backfillSchedule(String id, BackfillRequest body, CallOptions options) {
    return transport.call(new Request("backfillSchedule", "POST", "/v1/schedules/" + Request.escape(id) + "/backfill", Map.of(), body, true), new TypeReference<Backfill>() {}, options);
  }

  /**
   * Pause a schedule. Slots that pass meanwhile never fire, and one that waits is given up. What runs goes on.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Schedule pauseSchedule(String id, CallOptions options) {
    return transport.call(new Request("pauseSchedule", "POST", "/v1/schedules/" + Request.escape(id) + "/pause", Map.of(), null, true), new TypeReference<Schedule>() {}, options);
  }

  /**
   * Preview a schedule. Within its bounds; a paused one as if it were resumed now.
   *
   * @param id part of the path
   * @param query any of <code>count</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Preview previewSchedule(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("previewSchedule", "GET", "/v1/schedules/" + Request.escape(id) + "/preview", query, null, false), new TypeReference<Preview>() {}, options);
  }

  /**
   * Resume a schedule. It fires from now on.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Schedule resumeSchedule(String id, CallOptions options) {
    return transport.call(new Request("resumeSchedule", "POST", "/v1/schedules/" + Request.escape(id) + "/resume", Map.of(), null, true), new TypeReference<Schedule>() {}, options);
  }

  /**
   * Start an execution of a schedule now. Whatever runs, and also while the schedule is paused.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public ManualRun runSchedule(String id, CallOptions options) {
    return transport.call(new Request("runSchedule", "POST", "/v1/schedules/" + Request.escape(id) + "/run", Map.of(), null, true), new TypeReference<ManualRun>() {}, options);
  }

  /**
   * List what became of the slots of a schedule, latest slot first.
   *
   * @param id part of the path
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<ScheduleRun> listScheduleRuns(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listScheduleRuns", "GET", "/v1/schedules/" + Request.escape(id) + "/runs", query, null, false), new TypeReference<Page<ScheduleRun>>() {}, options);
  }

  /**
   * Who calls. Role and tenant of the caller, however it authenticated; for a session also its token and its end.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Session readSession(CallOptions options) {
    return transport.call(new Request("readSession", "GET", "/v1/session", Map.of(), null, false), new TypeReference<Session>() {}, options);
  }

  /**
   * Sign in to the console. Makes a session for the API key of this request. The answer sets an <code>HttpOnly</code>, <code>SameSite=Strict</code> cookie that
   * authenticates later requests with the key's role and tenant, for twelve hours or until the key is revoked. Requests
   * that change something also repeat the answer's <code>csrfToken</code> in the header <code>X-CSRF-Token</code>.
   *
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Session createSession(CallOptions options) {
    return transport.call(new Request("createSession", "POST", "/v1/session", Map.of(), null, false), new TypeReference<Session>() {}, options);
  }

  /**
   * Sign out. Removes the session's cookie. A copy of the cookie ends with its time or with its key.
   *
   * @param options deadline and idempotency key
   */
  public void deleteSession(CallOptions options) {
    transport.call(new Request("deleteSession", "DELETE", "/v1/session", Map.of(), null, false), new TypeReference<Void>() {}, options);
  }

  /**
   * List tenants by name.
   *
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Tenant> listTenants(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listTenants", "GET", "/v1/tenants", query, null, false), new TypeReference<Page<Tenant>>() {}, options);
  }

  /**
   * Make a tenant. A tenant is also made by its first use with a key that is bound to none.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Tenant createTenant(TenantRequest body, CallOptions options) {
    return transport.call(new Request("createTenant", "POST", "/v1/tenants", Map.of(), body, true), new TypeReference<Tenant>() {}, options);
  }

  /**
   * Show the limits of a tenant.
   *
   * @param tenant part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> getTenantLimits(String tenant, CallOptions options) {
    return transport.call(new Request("getTenantLimits", "GET", "/v1/tenants/" + Request.escape(tenant) + "/limits", Map.of(), null, false), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Change the limits of a tenant.
   *
   * @param tenant part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> setTenantLimits(String tenant, Map<String, LimitChanges> body, CallOptions options) {
    return transport.call(new Request("setTenantLimits", "PUT", "/v1/tenants/" + Request.escape(tenant) + "/limits", Map.of(), body, true), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Show the quotas of a tenant.
   *
   * @param tenant part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TenantQuotas getQuotas(String tenant, CallOptions options) {
    return transport.call(new Request("getQuotas", "GET", "/v1/tenants/" + Request.escape(tenant) + "/quotas", Map.of(), null, false), new TypeReference<TenantQuotas>() {}, options);
  }

  /**
   * Change quotas of a tenant. What is absent stays, null goes back to the default, and <code>"unlimited"</code> is what it says. Other processes know within a few
   * seconds. Role <code>admin</code>, with a key that is bound to no tenant.
   *
   * @param tenant part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TenantQuotas setQuotas(String tenant, TenantQuotasRequest body, CallOptions options) {
    return transport.call(new Request("setQuotas", "PUT", "/v1/tenants/" + Request.escape(tenant) + "/quotas", Map.of(), body, true), new TypeReference<TenantQuotas>() {}, options);
  }

  /**
   * List the secrets of a tenant by name. Their values are never shown.
   *
   * @param tenant part of the path
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Secret> listSecrets(String tenant, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listSecrets", "GET", "/v1/tenants/" + Request.escape(tenant) + "/secrets", query, null, false), new TypeReference<Page<Secret>>() {}, options);
  }

  /**
   * Store a secret. In the place of one of the same name: requests that are sent afterwards get the new value. Workflows write it as
   * <code>${secrets.name}</code> in the headers of an <code>HTTP</code> node's request; it is sent to its hosts only, and stands in no job, history,
   * error or list.
   *
   * @param tenant part of the path
   * @param name part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Secret putSecret(String tenant, String name, SecretRequest body, CallOptions options) {
    return transport.call(new Request("putSecret", "PUT", "/v1/tenants/" + Request.escape(tenant) + "/secrets/" + Request.escape(name), Map.of(), body, true), new TypeReference<Secret>() {}, options);
  }

  /**
   * Remove a secret. Requests that are to send it fail from then on.
   *
   * @param tenant part of the path
   * @param name part of the path
   * @param options deadline and idempotency key
   */
  public void deleteSecret(String tenant, String name, CallOptions options) {
    transport.call(new Request("deleteSecret", "DELETE", "/v1/tenants/" + Request.escape(tenant) + "/secrets/" + Request.escape(name), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * Show what a tenant uses. Counted when it is asked for. What is beyond a quota is answered 429 <code>quota_exceeded</code>; what running executions make is not
   * refused.
   *
   * @param tenant part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TenantUsage getUsage(String tenant, CallOptions options) {
    return transport.call(new Request("getUsage", "GET", "/v1/tenants/" + Request.escape(tenant) + "/usage", Map.of(), null, false), new TypeReference<TenantUsage>() {}, options);
  }

  /**
   * List user tasks, newest first.
   *
   * @param query any of <code>assignee</code>, <code>group</code>, <code>status</code>, <code>tenant</code>, <code>workflow</code>, <code>execution</code>, <code>dueBefore</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<UserTask> listUserTasks(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listUserTasks", "GET", "/v1/user-tasks", query, null, false), new TypeReference<Page<UserTask>>() {}, options);
  }

  /**
   * Show the latest user task of a node.
   *
   * @param executionId part of the path
   * @param nodeId part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public UserTask getUserTask(String executionId, String nodeId, CallOptions options) {
    return transport.call(new Request("getUserTask", "GET", "/v1/user-tasks/" + Request.escape(executionId) + "/" + Request.escape(nodeId), Map.of(), null, false), new TypeReference<UserTask>() {}, options);
  }

  /**
   * Claim a user task. Others of its group then leave it alone, until it is released or handed on.
   *
   * @param executionId part of the path
   * @param nodeId part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public UserTask claimUserTask(String executionId, String nodeId, UserTaskRound body, CallOptions options) {
    return transport.call(new Request("claimUserTask", "POST", "/v1/user-tasks/" + Request.escape(executionId) + "/" + Request.escape(nodeId) + "/claim", Map.of(), body, true), new TypeReference<UserTask>() {}, options);
  }

  /**
   * Release a user task. Takes one's own claim off; an operator takes off anybody's.
   *
   * @param executionId part of the path
   * @param nodeId part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public UserTask releaseUserTask(String executionId, String nodeId, UserTaskRound body, CallOptions options) {
    return transport.call(new Request("releaseUserTask", "POST", "/v1/user-tasks/" + Request.escape(executionId) + "/" + Request.escape(nodeId) + "/release", Map.of(), body, true), new TypeReference<UserTask>() {}, options);
  }

  /**
   * List webhook endpoints, newest first.
   *
   * @param query any of <code>tenant</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Webhook> listWebhooks(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listWebhooks", "GET", "/v1/webhooks", query, null, false), new TypeReference<Page<Webhook>>() {}, options);
  }

  /**
   * Create a webhook endpoint. It takes deliveries at once. A secret that is made for it is in this answer only.
   *
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public SavedWebhook createWebhook(WebhookRequest body, CallOptions options) {
    return transport.call(new Request("createWebhook", "POST", "/v1/webhooks", Map.of(), body, true), new TypeReference<SavedWebhook>() {}, options);
  }

  /**
   * Show a webhook endpoint.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Webhook getWebhook(String id, CallOptions options) {
    return transport.call(new Request("getWebhook", "GET", "/v1/webhooks/" + Request.escape(id), Map.of(), null, false), new TypeReference<Webhook>() {}, options);
  }

  /**
   * Replace a webhook endpoint. It keeps its id, its address and its deliveries. Its secrets stay unless others are given, which then hold at once;
   * <code>rotate-secret</code> lets old and new ones overlap.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public SavedWebhook replaceWebhook(String id, WebhookRequest body, CallOptions options) {
    return transport.call(new Request("replaceWebhook", "PUT", "/v1/webhooks/" + Request.escape(id), Map.of(), body, true), new TypeReference<SavedWebhook>() {}, options);
  }

  /**
   * Remove a webhook endpoint and its secrets. Senders get 404 from then on. Its deliveries stay until retention takes them.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   */
  public void deleteWebhook(String id, CallOptions options) {
    transport.call(new Request("deleteWebhook", "DELETE", "/v1/webhooks/" + Request.escape(id), Map.of(), null, true), new TypeReference<Void>() {}, options);
  }

  /**
   * List the deliveries of a webhook endpoint, newest first.
   *
   * @param id part of the path
   * @param query any of <code>status</code>, <code>eventType</code>, <code>from</code>, <code>to</code>, <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Delivery> listWebhookDeliveries(String id, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listWebhookDeliveries", "GET", "/v1/webhooks/" + Request.escape(id) + "/deliveries", query, null, false), new TypeReference<Page<Delivery>>() {}, options);
  }

  /**
   * Pause a webhook endpoint. Deliveries are answered 503 with Retry-After, so that senders try again; handshakes are still answered.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Webhook pauseWebhook(String id, CallOptions options) {
    return transport.call(new Request("pauseWebhook", "POST", "/v1/webhooks/" + Request.escape(id) + "/pause", Map.of(), null, true), new TypeReference<Webhook>() {}, options);
  }

  /**
   * Resume a webhook endpoint.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Webhook resumeWebhook(String id, CallOptions options) {
    return transport.call(new Request("resumeWebhook", "POST", "/v1/webhooks/" + Request.escape(id) + "/resume", Map.of(), null, true), new TypeReference<Webhook>() {}, options);
  }

  /**
   * Give a webhook endpoint another secret. Old and new ones hold for the overlap; set the new one at the provider meanwhile. One that is made here is in this
   * answer only.
   *
   * @param id part of the path
   * @param body what is sent
   * @param options deadline and idempotency key
   * @return the answer
   */
  public RotatedSecret rotateSecret(String id, RotateSecretRequest body, CallOptions options) {
    return transport.call(new Request("rotateSecret", "POST", "/v1/webhooks/" + Request.escape(id) + "/rotate-secret", Map.of(), body, true), new TypeReference<RotatedSecret>() {}, options);
  }

  /**
   * Send a signed sample to a webhook endpoint. It goes the way of any delivery: verified, stored, matched against the triggers, whose workflows really start. 409
   * <code>cannot_sign</code> where the provider signs with a private key, <code>webhook_secret_missing</code> where there is no secret yet.
   *
   * @param id part of the path
   * @param options deadline and idempotency key
   * @return the answer
   */
  public TestedWebhook testWebhook(String id, CallOptions options) {
    return transport.call(new Request("testWebhook", "POST", "/v1/webhooks/" + Request.escape(id) + "/test", Map.of(), null, true), new TypeReference<TestedWebhook>() {}, options);
  }

  /**
   * List the workers that were seen lately.
   *
   * @param query any of <code>limit</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Worker> listWorkers(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listWorkers", "GET", "/v1/workers", query, null, false), new TypeReference<Page<Worker>>() {}, options);
  }

  /**
   * List the latest version of each workflow, by name.
   *
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Workflow> listWorkflows(Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listWorkflows", "GET", "/v1/workflows", query, null, false), new TypeReference<Page<Workflow>>() {}, options);
  }

  /**
   * Register a version of a workflow. A version never changes: the same content again answers 200, other content under the same version 409.
   *
   * @param body what is sent
   * @param query any of <code>validate</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public RegisteredWorkflow registerWorkflow(JsonNode body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("registerWorkflow", "POST", "/v1/workflows", query, body, true), new TypeReference<RegisteredWorkflow>() {}, options);
  }

  /**
   * Show the latest version of a workflow.
   *
   * @param name part of the path
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Workflow getWorkflow(String name, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getWorkflow", "GET", "/v1/workflows/" + Request.escape(name), query, null, false), new TypeReference<Workflow>() {}, options);
  }

  /**
   * Show the limits of a workflow.
   *
   * @param name part of the path
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> getWorkflowLimits(String name, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getWorkflowLimits", "GET", "/v1/workflows/" + Request.escape(name) + "/limits", query, null, false), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Change the limits of a workflow.
   *
   * @param name part of the path
   * @param body what is sent
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Map<String, QueueLimits> setWorkflowLimits(String name, Map<String, LimitChanges> body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("setWorkflowLimits", "PUT", "/v1/workflows/" + Request.escape(name) + "/limits", query, body, true), new TypeReference<Map<String, QueueLimits>>() {}, options);
  }

  /**
   * Pause a workflow. Its executions stay queued until it is resumed; one that is under way goes on until it waits or ends. New ones are
   * queued as well, or refused with a 409 <code>workflow_paused</code>.
   *
   * @param name part of the path
   * @param body what is sent
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public WorkflowMode pauseWorkflow(String name, PauseRequest body, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("pauseWorkflow", "POST", "/v1/workflows/" + Request.escape(name) + "/pause", query, body, true), new TypeReference<WorkflowMode>() {}, options);
  }

  /**
   * Resume a workflow.
   *
   * @param name part of the path
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public WorkflowMode resumeWorkflow(String name, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("resumeWorkflow", "POST", "/v1/workflows/" + Request.escape(name) + "/resume", query, null, true), new TypeReference<WorkflowMode>() {}, options);
  }

  /**
   * List the versions of a workflow, newest first.
   *
   * @param name part of the path
   * @param query any of <code>limit</code>, <code>cursor</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Page<Workflow> listVersions(String name, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("listVersions", "GET", "/v1/workflows/" + Request.escape(name) + "/versions", query, null, false), new TypeReference<Page<Workflow>>() {}, options);
  }

  /**
   * Show a version of a workflow.
   *
   * @param name part of the path
   * @param version part of the path
   * @param query any of <code>tenant</code>
   * @param options deadline and idempotency key
   * @return the answer
   */
  public Workflow getVersion(String name, String version, Map<String, ?> query, CallOptions options) {
    return transport.call(new Request("getVersion", "GET", "/v1/workflows/" + Request.escape(name) + "/versions/" + Request.escape(version), query, null, false), new TypeReference<Workflow>() {}, options);
  }
}
