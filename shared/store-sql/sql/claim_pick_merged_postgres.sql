-- Of the lanes of each grant together the first `take` jobs by position, where a grant has several lanes.
-- PostgreSQL only: a lateral probe for each lane.
-- Index: job_claim.
-- $1 queue
, picked AS (
    SELECT ranked.place, (row_number() OVER ())::int AS n
    FROM (
        SELECT c.place, g.take, row_number() OVER (PARTITION BY g.nth ORDER BY c.position) AS rank
        FROM {rows $9: nth int, lane int, take int, floor bigint} g
        CROSS JOIN LATERAL (
            SELECT q.ctid AS place, q.position FROM job q
            WHERE q.queue = $1 AND q.lane = g.lane AND q.state = 'queued' AND q.position > g.floor
            ORDER BY q.position LIMIT g.take
        ) c
    ) ranked
    WHERE ranked.rank <= ranked.take
)
