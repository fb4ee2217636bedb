-- Copies leased jobs that ended from `job` to `job_done`, each under the token of its lease; the statement after it
-- removes them from `job`. The transaction holds the write lock, so nobody changes them in between.
-- The job of an execution that dies is FAILED, not a dead letter: its execution fails and can be retried.
-- Index: job(id).
-- $1 now
INSERT INTO job_done ({done_columns}, error, result, data)
SELECT {ended j:
    status CASE WHEN r.status = 'DEAD_LETTER' AND j.queue = {queue workflow-execution} AND j.execution_id IS NOT NULL THEN 'FAILED' ELSE r.status END;
    finished_at $1; attempt_status r.attempt_status
}, r.error, r.result, j.data
FROM {rows $2: id uuid, token uuid, status text, attempt_status text?, error text?, result text?} r
JOIN job j ON j.id = r.id AND j.lease_token = r.token AND j.state = 'processing'
RETURNING id, queue, lane, status, attempt, tier, created_at, started_at, traceparent, concurrency_key, execution_id, node_id,
    CASE WHEN status = 'DEAD_LETTER' THEN data END AS data
