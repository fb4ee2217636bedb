-- Of each lane the first `take` jobs after its floor, the position up to which everything was taken: entries of jobs
-- that are gone lie before it. Jobs that somebody else is changing are left out: who holds the row of the queue waits
-- for no job (see `lock_order`). So are those that expired: they end soon.
-- PostgreSQL only: a lateral probe for each lane.
-- Index: job_claim.
-- $1 queue
, picked AS (
    SELECT c.place, (row_number() OVER ())::int AS n
    FROM {rows $8: nth int, lane int, take int, floor bigint} g
    CROSS JOIN LATERAL (
        SELECT q.ctid AS place FROM job q
        WHERE q.queue = $1 AND q.lane = g.lane AND q.state = 'queued' AND q.position > g.floor
            AND {startable q at $2}
        ORDER BY q.position LIMIT g.take
        FOR UPDATE SKIP LOCKED
    ) c
)
