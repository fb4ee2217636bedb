-- When the first lease is to be looked at, of all queues, and the present instant. None ends before that.
-- Index: job_leased; one step along it for each queue.
-- $1 now or null
SELECT min((
    SELECT j.reap_at FROM job j
    WHERE j.queue = q.queue AND j.state = 'processing'
    ORDER BY j.reap_at LIMIT 1
)) AS reap_at, {now $1} AS now_ms
FROM (SELECT 0 AS queue UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) q
