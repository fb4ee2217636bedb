-- The same as `complete_by_position_sqlite.sql` for jobs that lie close together: all between the first and the last position that
-- are leased under the token that is said for theirs. To look each up in a list costs half as much again.
-- Index: the primary key; the signs keep the planner from others.
-- $1 now, $2 first and $3 last position, $4 tokens, one for each position between, zeros for those that are not meant,
-- $5 where results lie, in digits, one for each position between, or null where there are none, $6 results
INSERT INTO job_done ({done_columns}, result, data)
SELECT {ended j: status 'COMPLETED'; finished_at $1; attempt_status 'COMPLETED'; concurrency_key NULL},
    CASE WHEN $5 IS NOT NULL AND CAST(substr($5, (j.position - $2) * 20 + 1, 20) AS integer) >= 0 THEN CAST(substr(
        $6, (CAST(substr($5, (j.position - $2) * 20 + 1, 20) AS integer) >> 30) + 1,
        CAST(substr($5, (j.position - $2) * 20 + 1, 20) AS integer) & 1073741823
    ) AS text) END,
    j.data
FROM job j
WHERE j.position BETWEEN $2 AND $3 AND j.lease_token = substr($4, (j.position - $2) * 16 + 1, 16)
    AND +j.state = 'processing' AND +j.concurrency_key IS NULL AND (+j.queue <> {queue workflow-node} OR +j.execution_id IS NULL)
