-- The same where rates or limits of job types keep something back. A row of a grant is about a part of a lane: all of
-- its jobs (the number of the grant times four), those that were never claimed (and one), or those that were (and two):
-- no rate keeps those back that were claimed, however many others wait before them. Of all rows of a grant and a part
-- together come as many as the grant says of the part, and of the grant as many as it says.
-- PostgreSQL only.
-- Index: job_claim, job_resumed.
-- $1 queue, $13 how many jobs of each grant, $14 how many of them that were never claimed
, offered AS (
    SELECT c.place, c.position, g.nth / 4 AS nth,
        row_number() OVER (PARTITION BY g.nth ORDER BY c.position) AS of_part,
        CASE WHEN g.nth % 4 = 1 THEN ($14::int[])[g.nth / 4 + 1] ELSE ($13::int[])[g.nth / 4 + 1] END AS of_part_max
    FROM {rows $8: nth int, lane int, take int, floor bigint} g
    CROSS JOIN LATERAL (
        (
            SELECT q.ctid AS place, q.position FROM job q
            WHERE g.nth % 4 < 2 AND q.queue = $1 AND q.lane = g.lane AND q.state = 'queued' AND q.position > g.floor
                AND (g.nth % 4 = 0 OR (q.attempt = 0 AND q.is_resumed = 0))
                AND {startable q at $2}
            ORDER BY q.position LIMIT g.take
        )
        UNION ALL
        (
            SELECT q.ctid AS place, q.position FROM job q
            WHERE g.nth % 4 = 2 AND q.lane = g.lane AND q.state = 'queued' AND q.queue = {queue workflow-execution}
                AND (q.attempt > 0 OR q.is_resumed = 1)
                AND {startable q at $2}
            ORDER BY q.position LIMIT g.take
        )
    ) c
), ranked AS (
    SELECT o.place, ($13::int[])[o.nth + 1] AS take, row_number() OVER (PARTITION BY o.nth ORDER BY o.position) AS rank
    FROM offered o WHERE o.of_part <= o.of_part_max
), picked AS (
    SELECT locked.place, (row_number() OVER ())::int AS n
    FROM (
        SELECT q.ctid AS place FROM ranked r JOIN job q ON q.ctid = r.place AND q.state || '' = 'queued'
        WHERE r.rank <= r.take
        FOR UPDATE OF q SKIP LOCKED
    ) locked
)
