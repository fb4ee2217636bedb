-- Moves waiting jobs to other lanes of their queue. The tier column, which remembers what was asked for, stays.
-- Index: the primary key.
UPDATE job SET lane = r.lane
FROM {rows $1: position bigint, lane int, old_lane int} r
WHERE job.position = r.position AND job.lane = r.old_lane AND job.state = 'queued'
RETURNING job.lane
