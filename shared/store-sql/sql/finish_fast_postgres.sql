-- Moves leased jobs that were completed from `job` to `job_done`, each under the token of its lease: those that entail
-- nothing else, because no execution waits for them and they hold no concurrency key. The others stay.
-- PostgreSQL only. A job that is in `job_done` already fails the statement; the caller then takes the general path.
-- The planner takes leased jobs for few and would go through all of them for each row of the batch. The limit makes it
-- take the batch for one row, and the state is written so that no partial index fits: what is left is a probe by id
-- for each row.
-- Index: job(id).
-- $1 now
WITH gone AS (
    DELETE FROM job j
    USING (SELECT * FROM {rows $2: id uuid, token uuid, result text?} bound_rows LIMIT cardinality($2::uuid[])) r
    WHERE j.id = r.id AND j.lease_token = r.token AND j.state || '' = 'processing'
        AND j.concurrency_key IS NULL AND (j.queue <> {queue workflow-node} OR j.execution_id IS NULL)
    RETURNING j.*, r.result
)
INSERT INTO job_done ({done_columns}, error, result, data)
SELECT {ended gone: status 'COMPLETED'; finished_at $1; attempt_status 'COMPLETED'; concurrency_key NULL}, NULL, result, data
FROM gone
RETURNING id, queue, lane, tier, created_at, started_at, traceparent
