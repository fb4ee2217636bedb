-- The same for several lanes: the first `take` jobs of each after its floor, lane by lane, job by job. SQLite has no
-- lateral joins, and a window over the whole lane would read all that waits in it.
-- Index: job_claim.
-- $1 queue, $2 now or null
WITH RECURSIVE picked (nth, lane, take, position, place) AS (
    SELECT g.nth, g.lane, g.take, (
        SELECT j.position FROM job j
        WHERE j.queue = $1 AND j.lane = g.lane AND j.state = 'queued' AND j.position > g.floor
            AND {startable j at $2}
        ORDER BY j.position LIMIT 1
    ), 1
    FROM {rows $3: nth int, lane int, take int, floor bigint} g
    UNION ALL
    SELECT p.nth, p.lane, p.take, (
        SELECT j.position FROM job j
        WHERE j.queue = $1 AND j.lane = p.lane AND j.state = 'queued' AND j.position > p.position
            AND {startable j at $2}
        ORDER BY j.position LIMIT 1
    ), p.place + 1
    FROM picked p WHERE p.place < p.take AND p.position IS NOT NULL
)
SELECT p.nth, j.id, j.lane, j.position, j.data, j.attempt, j.attempt_base, j.retries_max, j.crashes, j.timeout_ms,
    j.backoff, j.created_at, j.queued_at, j.traceparent, j.execution_id, j.node_id, (SELECT {now $2}) AS now_ms
FROM picked p CROSS JOIN job j ON j.position = p.position
