-- Copies leased jobs that were completed from `job` to `job_done`, each under the token of its lease; the statement after
-- it removes them from `job`. The transaction holds the write lock, so nobody changes them in between.
-- Index: job(id).
-- $1 now, $2 ids and tokens, $3 where results lie, $4 results
INSERT INTO job_done ({done_columns}, result, data)
SELECT {ended j: status 'COMPLETED'; finished_at $1; attempt_status 'COMPLETED'},
    CASE WHEN r.value >= 0 THEN CAST(substr($4, (r.value >> 30) + 1, r.value & 1073741823) AS text) END, j.data
FROM json_each($3) r
CROSS JOIN job j ON j.id = substr($2, r.key * 32 + 1, 16) AND j.lease_token = substr($2, r.key * 32 + 17, 16)
    AND j.state = 'processing'
RETURNING id, position, queue, lane, attempt, tier, started_at, concurrency_key, execution_id, node_id, created_at,
    traceparent
