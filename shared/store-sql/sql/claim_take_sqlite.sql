-- Takes picked jobs. Nobody else writes between the pick and this statement: the transaction holds the write lock.
-- Index: the primary key.
-- $1 now, $2 end of the lease, $3 length of the lease, $4 worker
UPDATE job
SET state = 'processing', attempt = job.attempt + 1, started_at = $1, lease_ms = $3, worker_id = $4,
    lease_token = r.token,
    deadline_at = $1 + job.timeout_ms,
    lease_until = CASE WHEN job.timeout_ms IS NULL THEN $2 ELSE min($2, $1 + job.timeout_ms) END,
    progress = NULL
FROM {rows $5: position bigint, token uuid} r
WHERE job.position = r.position AND job.state = 'queued'
RETURNING job.id, job.lane, job.position, job.data, job.attempt, job.attempt_base, job.retries_max, job.crashes,
    job.timeout_ms, job.backoff, job.lease_token, job.lease_until, job.created_at, job.queued_at, job.traceparent,
    job.execution_id, job.node_id
