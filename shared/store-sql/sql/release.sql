-- Gives leases back, each under its token, as if the attempt had not been started: at once, or for later. A job that
-- waits gives its concurrency key back. Progress stays, for the next attempt. Offers that nobody took in time are counted:
-- `untaken` is 1 for those, and 0 for all else.
-- When the lease was to be looked at goes with it: a former version, which leases it next, does not write that.
-- The planner takes leased jobs for few and would go through all of them for each row of the batch. The state is written
-- so that no partial index fits: what is left is a probe by id for each row.
-- Index: job(id).
-- $1 now
UPDATE job
SET state = CASE WHEN r.due IS NULL THEN 'queued' ELSE 'scheduled' END,
    run_at = COALESCE(r.due, job.run_at),
    queued_at = CASE WHEN r.due IS NULL THEN $1 ELSE job.queued_at END,
    offers_returned = job.offers_returned + r.untaken,
    attempt = job.attempt - 1, is_resumed = 1, started_at = NULL, worker_id = NULL,
    lease_token = NULL, lease_until = NULL, reap_at = 0, lease_ms = NULL, deadline_at = NULL
FROM {rows $2: id uuid, token uuid, due bigint?, untaken int} r
WHERE job.id = r.id AND job.lease_token = r.token AND job.state || '' = 'processing'
RETURNING job.id, job.queue, job.lane, job.position, job.state, job.concurrency_key
