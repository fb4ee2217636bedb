-- Puts leased jobs back after an attempt, each under the token of its lease. The token stays in the row until the
-- next claim, so that a repeated call is known; the reaper's does not, so that the worker that was lost is told.
-- When the lease was to be looked at goes with it, as in `release.sql`.
-- A job that is claimable at once keeps its concurrency key; one that waits gives it back.
-- The planner takes leased jobs for few and would go through all of them for each row of the batch. The state is written
-- so that no partial index fits: what is left is a probe by id for each row.
-- Index: job(id).
-- $1 now
UPDATE job
SET state = CASE WHEN r.run_at <= $1 THEN 'queued' ELSE 'retry_wait' END,
    run_at = r.run_at,
    queued_at = CASE WHEN r.run_at <= $1 THEN $1 ELSE job.queued_at END,
    error = r.error,
    crashes = CASE r.crash WHEN 2 THEN job.crashes + 1 WHEN 1 THEN job.crashes ELSE 0 END,
    lease_token = CASE WHEN r.crash = 0 THEN job.lease_token END,
    lease_until = NULL, reap_at = 0, lease_ms = NULL, deadline_at = NULL
FROM {rows $2: id uuid, token uuid, run_at bigint, error text, crash int} r
WHERE job.id = r.id AND job.lease_token = r.token AND job.state || '' = 'processing'
RETURNING job.id, job.queue, job.lane, job.position, job.state, job.attempt, job.started_at, job.worker_id, job.concurrency_key,
    job.tier, job.created_at, job.traceparent
