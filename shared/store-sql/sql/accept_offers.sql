-- Starts the leases of offers that stand: the holder becomes the worker, the token another one, and the attempt begins now.
-- When a lease is looked at is indexed, and moves only where the lease ends sooner than that (see `extend_leases.sql`).
-- The state is written so that no partial index fits: what is left is a probe by id for each row.
-- Index: job(id).
-- $1 now or null, $2 length of the lease
UPDATE job
SET worker_id = r.worker, lease_token = r.accepted, lease_ms = $2,
    started_at = {postgres:GREATEST}{sqlite:max}(t.at, job.queued_at),
    deadline_at = t.at + job.timeout_ms,
    lease_until = CASE WHEN job.timeout_ms < $2 THEN t.at + job.timeout_ms ELSE t.at + $2 END,
    reap_at = {postgres:LEAST}{sqlite:min}(job.reap_at,
        CASE WHEN job.timeout_ms < $2 THEN t.at + job.timeout_ms ELSE t.at + $2 END)
FROM {rows $3: id uuid, token uuid, accepted uuid, worker text} r CROSS JOIN (SELECT {now $1} AS at) t
WHERE job.id = r.id AND job.lease_token = r.token AND job.state || '' = 'processing'
    AND job.worker_id LIKE 'trunkline-relay/%'
RETURNING job.id, job.lease_token, job.lease_until, job.progress
