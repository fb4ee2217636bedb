-- Moves waiting jobs to other lanes of their queue. The tier column, which remembers what was asked for, stays.
-- A lane that is gone, or about to go, fails the statement.
-- Jobs that somebody else is changing are left for the next time.
-- The state is written so that no partial index fits: what is left is a probe by id.
-- Index: job(id).
WITH moved AS (
    SELECT j.id, r.lane
    FROM {rows $1: id uuid, lane int, old_lane int} r
    JOIN job j ON j.id = r.id AND j.lane = r.old_lane AND j.state || '' = 'queued'
    {postgres:ORDER BY j.id FOR UPDATE OF j SKIP LOCKED}
)
UPDATE job SET lane = (SELECT l.id FROM lane l WHERE l.id = m.lane AND l.mark IS NULL) FROM moved m WHERE job.id = m.id
RETURNING job.lane
