-- Jobs that waited long enough to be promoted a tier: among the first $4 of each lane of these lanes, those that became
-- claimable so long ago that they are due for one more tier than they were promoted so far. At most $5.
-- PostgreSQL only: a lateral probe for each lane. The sibling for SQLite uses a correlated subquery.
-- Index: job_claim.
-- $1 queue, $2 now, $3 the age
SELECT c.id, c.lane
FROM {rows $6: lane int, tier int} g
CROSS JOIN LATERAL (
    SELECT q.id, q.lane, q.queued_at, q.tier FROM job q
    WHERE q.queue = $1 AND q.lane = g.lane AND q.state = 'queued'
    ORDER BY q.position LIMIT $4
) c
WHERE c.queued_at <= $2 - $3 * (1 + GREATEST(c.tier - g.tier, 0))
LIMIT $5
