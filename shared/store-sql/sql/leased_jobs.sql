-- Leases that hold, with what the decision after the attempt depends on.
-- The state is written so that no partial index fits: see extend_leases.
-- Index: job(id).
SELECT r.ord, j.id, j.queue, j.lane, j.attempt, j.attempt_base, j.retries_max, j.crashes, j.backoff,
    j.deadline_at, j.lease_until, j.lease_token, j.worker_id, j.execution_id,
    l.tenant, l.workflow_owner, l.workflow, l.job_type
FROM {rows $1: ord int, id uuid, token uuid} r
JOIN job j ON j.id = r.id AND j.lease_token = r.token AND j.state || '' = 'processing'
JOIN lane l ON l.id = j.lane
