-- Of the lanes of each grant together the first `take` jobs by position, where a grant has several lanes. Jobs that
-- somebody else is changing are left out: who holds the row of the queue waits for no job (see `lock_order`). Only those
-- that are to be taken are locked, so that a grant comes short where one is left out, and another round gives the rest.
-- PostgreSQL only: a lateral probe for each lane.
-- Index: job_claim.
-- $1 queue
, ranked AS (
    SELECT c.place, g.take, row_number() OVER (PARTITION BY g.nth ORDER BY c.position) AS rank
    FROM {rows $8: nth int, lane int, take int, floor bigint} g
    CROSS JOIN LATERAL (
        SELECT q.ctid AS place, q.position FROM job q
        WHERE q.queue = $1 AND q.lane = g.lane AND q.state = 'queued' AND q.position > g.floor
            AND {startable q at $2}
        ORDER BY q.position LIMIT g.take
    ) c
), picked AS (
    SELECT locked.place, (row_number() OVER ())::int AS n
    FROM (
        SELECT q.ctid AS place FROM ranked r JOIN job q ON q.ctid = r.place AND q.state || '' = 'queued'
        WHERE r.rank <= r.take
        FOR UPDATE OF q SKIP LOCKED
    ) locked
)
