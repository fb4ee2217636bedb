-- Concurrency keys with blocked jobs, after key $1, at most $2: one step along the index for each.
-- Index: job_blocked.
WITH RECURSIVE blocked (concurrency_key) AS (
    SELECT (
        SELECT j.concurrency_key FROM job j
        WHERE j.state = 'blocked' AND j.concurrency_key > $1
        ORDER BY j.concurrency_key LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT j.concurrency_key FROM job j
        WHERE j.state = 'blocked' AND j.concurrency_key > b.concurrency_key
        ORDER BY j.concurrency_key LIMIT 1
    )
    FROM blocked b WHERE b.concurrency_key IS NOT NULL
)
SELECT concurrency_key FROM blocked WHERE concurrency_key IS NOT NULL LIMIT $2
