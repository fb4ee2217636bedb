-- Jobs that waited long enough to be promoted a tier: among the first $4 of each lane of these lanes, those that became
-- claimable so long ago that they are due for one more tier than they were promoted so far. At most $5.
-- Index: job_claim.
-- $1 queue, $2 now, $3 the age
SELECT j.id, j.lane
FROM {rows $6: lane int, tier int} g
JOIN job j ON j.position IN (
    SELECT q.position FROM job q
    WHERE q.queue = $1 AND q.lane = g.lane AND q.state = 'queued'
    ORDER BY q.position LIMIT $4
)
WHERE j.queued_at <= $2 - $3 * (1 + max(j.tier - g.tier, 0))
LIMIT $5
