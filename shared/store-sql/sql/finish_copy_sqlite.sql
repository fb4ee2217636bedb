-- Copies leased jobs that ended from `job` to `job_done`, each under the token of its lease; the statement after it
-- removes them from `job`. The transaction holds the write lock, so nobody changes them in between.
-- The job of an execution that dies is FAILED, not a dead letter: its execution fails and can be retried.
-- Index: job(id).
-- $1 now
INSERT INTO job_done (
    id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at, created_at,
    started_at, finished_at, lease_token, worker_id, attempt_status, tier, timeout_ms, backoff, unique_key,
    concurrency_key, tags, traceparent, execution_id, node_id, error, result, data
)
SELECT
    j.id, j.position, j.queue, j.lane,
    CASE WHEN r.status = 'DEAD_LETTER' AND j.queue = 0 AND j.execution_id IS NOT NULL THEN 'FAILED' ELSE r.status END, j.attempt, j.attempt_base, j.retries_max, j.run_at, j.queued_at,
    j.created_at, j.started_at, $1, j.lease_token, j.worker_id, r.attempt_status, j.tier, j.timeout_ms, j.backoff,
    j.unique_key, j.concurrency_key, j.tags, j.traceparent, j.execution_id, j.node_id, r.error, r.result, j.data
FROM {rows $2: id uuid, token uuid, status text, attempt_status text?, error text?, result text?} r
JOIN job j ON j.id = r.id AND j.lease_token = r.token AND j.state = 'processing'
RETURNING id, queue, lane, status, attempt, tier, created_at, started_at, traceparent, concurrency_key, execution_id, node_id,
    CASE WHEN status = 'DEAD_LETTER' THEN data END AS data
