-- Of these lanes those in which jobs wait after a position, with the first of those: one step of the index for each, past
-- the entries of jobs that
-- are gone and that an old snapshot keeps. A subselect for each lane, which no planner makes a join of.
-- Index: job_claim.
-- $1 queue
SELECT h.lane, h.position
FROM (
    SELECT g.lane, (
        SELECT j.position FROM job j
        WHERE j.queue = $1 AND j.lane = g.lane AND j.state = 'queued' AND j.position > g.floor
        ORDER BY j.position LIMIT 1
    ) AS position
    FROM {rows $2: lane int, floor bigint} g
    {postgres:OFFSET 0}
) h
WHERE h.position IS NOT NULL
