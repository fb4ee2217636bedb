-- The same as `finish_placed_sqlite.sql` for jobs that lie close together: all between the first and the last position that
-- are leased under the token that is said for theirs. To look each up in a list costs half as much again.
-- Index: the primary key; the signs keep the planner from others.
-- $1 now, $2 first and $3 last position, $4 tokens, one for each position between, zeros for those that are not meant,
-- $5 where results lie, in digits, one for each position between, or null where there are none, $6 results
INSERT INTO job_done (
    id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at, created_at,
    started_at, finished_at, lease_token, worker_id, attempt_status, tier, timeout_ms, backoff, unique_key,
    concurrency_key, tags, traceparent, execution_id, node_id, result, data
)
SELECT
    j.id, j.position, j.queue, j.lane, 'COMPLETED', j.attempt, j.attempt_base, j.retries_max, j.run_at, j.queued_at,
    j.created_at, j.started_at, $1, j.lease_token, j.worker_id, 'COMPLETED', j.tier, j.timeout_ms, j.backoff,
    j.unique_key, NULL, j.tags, j.traceparent, j.execution_id, j.node_id,
    CASE WHEN $5 IS NOT NULL AND CAST(substr($5, (j.position - $2) * 20 + 1, 20) AS integer) >= 0 THEN CAST(substr(
        $6, (CAST(substr($5, (j.position - $2) * 20 + 1, 20) AS integer) >> 30) + 1,
        CAST(substr($5, (j.position - $2) * 20 + 1, 20) AS integer) & 1073741823
    ) AS text) END,
    j.data
FROM job j
WHERE j.position BETWEEN $2 AND $3 AND j.lease_token = substr($4, (j.position - $2) * 16 + 1, 16)
    AND +j.state = 'processing' AND +j.concurrency_key IS NULL AND (+j.queue <> 1 OR +j.execution_id IS NULL)
