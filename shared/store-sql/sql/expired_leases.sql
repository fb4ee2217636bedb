-- Leases that ended before $1, oldest first, at most $2; none that is longer than $3.
-- Index: job_leased; all queues are named so that it serves.
SELECT j.id, j.queue, j.lane, j.attempt, j.attempt_base, j.retries_max, j.crashes, j.backoff,
    j.deadline_at, j.lease_until, j.lease_token, j.worker_id, j.execution_id, j.position,
    l.tenant, l.workflow_owner, l.workflow, l.job_type
FROM job j JOIN lane l ON l.id = j.lane
WHERE j.queue IN (0, 1, 2, 3) AND j.state = 'processing' AND j.reap_at < $1 AND j.lease_until < $1 AND j.lease_ms <= $3
ORDER BY j.lease_until, j.position
LIMIT $2
