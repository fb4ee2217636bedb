-- Moves leased jobs that ended from `job` to `job_done`, each under the token of its lease.
-- PostgreSQL only: one statement. The siblings for SQLite, which cannot write in a subquery, are two.
-- The job of an execution that dies is FAILED, not a dead letter: its execution fails and can be retried.
-- A repeated enqueue that met the job's first end half-way may have brought it back under its id: the first end stays,
-- and the job can still leave.
-- The planner takes leased jobs for few and would go through all of them for each row of the batch. The limit makes it
-- take the batch for one row, and the state is written so that no partial index fits: what is left is a probe by id
-- for each row.
-- Index: job(id).
-- $1 now
WITH gone AS (
    DELETE FROM job j
    USING (SELECT * FROM {rows $2: id uuid, token uuid, status text, attempt_status text?, error text?, result text?} bound_rows LIMIT cardinality($2::uuid[])) r
    WHERE j.id = r.id AND j.lease_token = r.token AND j.state || '' = 'processing'
    RETURNING j.*, CASE
            WHEN r.status = 'DEAD_LETTER' AND j.queue = {queue workflow-execution} AND j.execution_id IS NOT NULL THEN 'FAILED' ELSE r.status
        END AS status, r.attempt_status, r.error AS new_error, r.result
), done AS (
    INSERT INTO job_done ({done_columns}, error, result, data)
    SELECT {ended gone: finished_at $1}, new_error, result, data
    FROM gone
    ON CONFLICT DO NOTHING
)
SELECT id, queue, lane, status, attempt, tier, created_at, started_at, traceparent, concurrency_key, execution_id, node_id,
    CASE WHEN status = 'DEAD_LETTER' THEN data END AS data
FROM gone
