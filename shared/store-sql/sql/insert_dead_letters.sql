-- Dead letters. Their ids are derived from job and attempt, so that dying twice makes one.
-- Index: dead_letter's primary key.
-- $1 now
INSERT INTO dead_letter (
    id, job_id, queue, tier, tenant, workflow_owner, workflow, job_type, execution_id, node_id, status, reason, error,
    fingerprint, attempt_count, data, died_at
)
SELECT
    r.id, r.job_id, r.queue, r.tier, r.tenant, r.workflow_owner, r.workflow, r.job_type, r.execution_id, r.node_id,
    'open', r.reason, r.error, r.fingerprint, r.attempt_count, r.data, $1
FROM {rows $2: id uuid, job_id uuid, queue int, tier int, tenant text, workflow_owner text, workflow text, job_type text, execution_id uuid?, node_id text?, reason text, error text, fingerprint text, attempt_count int, data text} r
WHERE true
ON CONFLICT DO NOTHING
