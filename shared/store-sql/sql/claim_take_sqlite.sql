-- Takes jobs that were read by the statement before. Nobody else writes in between: the transaction holds the write lock.
-- Index: the primary key.
-- $1 now, $2 end of the lease, $3 length of the lease, $4 worker, $5 tokens, $6 positions
UPDATE job
SET state = 'processing', attempt = job.attempt + 1, started_at = max($1, job.queued_at), lease_ms = $3, worker_id = $4,
    lease_token = r.token,
    deadline_at = $1 + job.timeout_ms,
    lease_until = min($2, $1 + COALESCE(job.timeout_ms, $3)), reap_at = min($2, $1 + COALESCE(job.timeout_ms, $3))
FROM (SELECT value AS position, substr($5, key * 16 + 1, 16) AS token FROM json_each($6)) r
WHERE job.position = r.position AND job.state = 'queued'
