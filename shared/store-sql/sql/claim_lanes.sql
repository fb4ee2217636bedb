-- The lanes of a queue in which jobs wait, after lane $2, at most $3: one step along the index for each, however
-- many jobs wait in it.
-- Index: job_claim.
WITH RECURSIVE nonempty (lane) AS (
    SELECT (
        SELECT j.lane FROM job j
        WHERE j.queue = $1 AND j.state = 'queued' AND j.lane > $2
        ORDER BY j.lane LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT j.lane FROM job j
        WHERE j.queue = $1 AND j.state = 'queued' AND j.lane > n.lane
        ORDER BY j.lane LIMIT 1
    )
    FROM nonempty n WHERE n.lane IS NOT NULL
)
SELECT lane FROM nonempty WHERE lane IS NOT NULL LIMIT $3
