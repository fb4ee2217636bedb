-- When the first lease ends, of all queues, and the present instant.
-- Index: job_leased; one step along it for each queue.
-- $1 now or null
SELECT min((
    SELECT j.lease_until FROM job j
    WHERE j.queue = q.queue AND j.state = 'processing'
    ORDER BY j.lease_until LIMIT 1
)) AS lease_until, {now $1} AS now_ms
FROM (SELECT 0 AS queue UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) q
