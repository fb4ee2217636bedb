-- The lanes of a tier, after lane $3, at most $4, with the position of the first job that waits in each, or null. A
-- subselect for each lane, which no planner makes a join of: it is one step of the index, however many jobs there are.
-- Index: lane_tier, job_claim.
-- $1 queue, $2 tier
SELECT l.id, (
    SELECT j.position FROM job j
    WHERE j.queue = $1 AND j.lane = l.id AND j.state = 'queued'
    ORDER BY j.position LIMIT 1
) AS position
FROM (
    SELECT id FROM lane
    WHERE queue = $1 AND tier = $2 AND id > $3
    ORDER BY id LIMIT $4
) l
ORDER BY l.id
