-- Renews leases, each under its token, for the length asked for or the one it was claimed with, but never beyond the
-- attempt's deadline. When a lease is looked at is indexed, and moves only where the lease ends sooner than that: a usual
-- renewal writes to no index (see `defer_reaping.sql`).
-- The planner takes leased jobs for few and would go through all of them for each row of the batch. The state is written
-- so that no partial index fits: what is left is a probe by id for each row.
-- Index: job(id).
-- $1 now or null
UPDATE job
SET lease_until = CASE
        WHEN job.deadline_at < t.at + COALESCE(r.extend_ms, job.lease_ms) THEN job.deadline_at
        ELSE t.at + COALESCE(r.extend_ms, job.lease_ms)
    END,
    reap_at = {postgres:LEAST}{sqlite:min}(job.reap_at, CASE
        WHEN job.deadline_at < t.at + COALESCE(r.extend_ms, job.lease_ms) THEN job.deadline_at
        ELSE t.at + COALESCE(r.extend_ms, job.lease_ms)
    END),
    progress = COALESCE(r.progress, job.progress)
FROM {rows $2: id uuid, token uuid, extend_ms bigint?, progress text?} r CROSS JOIN (SELECT {now $1} AS at) t
WHERE job.id = r.id AND job.lease_token = r.token AND job.state || '' = 'processing'
RETURNING job.id, job.lease_token, job.lease_until
