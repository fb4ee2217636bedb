-- Moves waiting jobs to other lanes of their queue. The tier column, which remembers what was asked for, stays.
-- Index: job(id).
UPDATE job SET lane = r.lane
FROM {rows $1: id uuid, lane int, old_lane int} r
WHERE job.id = r.id AND job.lane = r.old_lane AND job.state = 'queued'
RETURNING job.lane
