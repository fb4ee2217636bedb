-- Copies leased jobs that were completed from `job` to `job_done`, each under the token of its lease: those that entail
-- nothing else, because no execution waits for them and they hold no concurrency key. Where they lie is known from the
-- claim. Answers nothing: either all were copied, or the transaction is undone. The statement after it removes them from
-- `job`.
-- Index: the primary key.
-- $1 now, $2 positions in digits, $3 tokens, $4 where results lie, $5 results
INSERT INTO job_done (
    id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at, created_at,
    started_at, finished_at, lease_token, worker_id, attempt_status, tier, timeout_ms, backoff, unique_key,
    concurrency_key, tags, traceparent, execution_id, node_id, result, data
)
SELECT
    j.id, j.position, j.queue, j.lane, 'COMPLETED', j.attempt, j.attempt_base, j.retries_max, j.run_at, j.queued_at,
    j.created_at, j.started_at, $1, j.lease_token, j.worker_id, 'COMPLETED', j.tier, j.timeout_ms, j.backoff,
    j.unique_key, NULL, j.tags, j.traceparent, j.execution_id, j.node_id,
    CASE WHEN r.value >= 0 THEN CAST(substr($5, (r.value >> 30) + 1, r.value & 1073741823) AS text) END, j.data
FROM json_each($4) r
CROSS JOIN job j ON j.position = CAST(substr($2, r.key * 20 + 1, 20) AS integer)
    AND j.lease_token = substr($3, r.key * 16 + 1, 16) AND j.state = 'processing'
    AND j.concurrency_key IS NULL AND (j.queue <> 1 OR j.execution_id IS NULL)
