-- Gives leases back, each under its token, as if the attempt had not been started.
-- The planner takes leased jobs for few and would go through all of them for each row of the batch. The state is written
-- so that no partial index fits: what is left is a probe by id for each row.
-- Index: job(id).
-- $1 now
UPDATE job
SET state = 'queued', attempt = job.attempt - 1, queued_at = $1, started_at = NULL, worker_id = NULL,
    lease_token = NULL, lease_until = NULL, lease_ms = NULL, deadline_at = NULL, progress = NULL
FROM {rows $2: id uuid, token uuid} r
WHERE job.id = r.id AND job.lease_token = r.token AND job.state || '' = 'processing'
RETURNING job.id, job.queue, job.lane
