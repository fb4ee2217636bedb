-- Copies leased jobs that were completed from `job` to `job_done`, each under the token of its lease; the statement after
-- it removes them from `job`. The transaction holds the write lock, so nobody changes them in between.
-- Index: job(id).
-- $1 now, $2 ids and tokens, $3 where results lie, $4 results
INSERT INTO job_done (
    id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at, created_at,
    started_at, finished_at, lease_token, worker_id, attempt_status, tier, timeout_ms, backoff, unique_key,
    concurrency_key, tags, traceparent, execution_id, node_id, result, data
)
SELECT
    j.id, j.position, j.queue, j.lane, 'COMPLETED', j.attempt, j.attempt_base, j.retries_max, j.run_at, j.queued_at,
    j.created_at, j.started_at, $1, j.lease_token, j.worker_id, 'COMPLETED', j.tier, j.timeout_ms, j.backoff,
    j.unique_key, j.concurrency_key, j.tags, j.traceparent, j.execution_id, j.node_id,
    CASE WHEN r.value >= 0 THEN CAST(substr($4, (r.value >> 30) + 1, r.value & 1073741823) AS text) END, j.data
FROM json_each($3) r
CROSS JOIN job j ON j.id = substr($2, r.key * 32 + 1, 16) AND j.lease_token = substr($2, r.key * 32 + 17, 16)
    AND j.state = 'processing'
RETURNING id, position, queue, lane, attempt, tier, started_at, concurrency_key, execution_id, node_id, created_at,
    traceparent
