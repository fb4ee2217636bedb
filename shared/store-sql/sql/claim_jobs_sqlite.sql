-- The first jobs of one lane after its floor: all that a claim hands out, before it is taken. The transaction holds the
-- write lock, so they are as they were when they are taken.
-- Index: job_claim.
-- $1 queue, $2 lane, $3 floor, $4 how many, $5 now or null
SELECT 0 AS nth, id, lane, position, data, attempt, attempt_base, retries_max, crashes, timeout_ms, backoff, created_at,
    queued_at, traceparent, execution_id, node_id, (SELECT {now $5}) AS now_ms
FROM job
WHERE queue = $1 AND lane = $2 AND state = 'queued' AND position > $3
    AND {startable job at $5}
ORDER BY position LIMIT $4
