-- Admits blocked jobs of a concurrency key to free places of it.
-- Two transactions that choose the same place at once are told apart by the unique index job_key_place: one of them fails and
-- is tried again.
-- The state is written so that no partial index fits: what is left is a probe by id.
-- Index: job(id).
-- $1 now
UPDATE job SET state = 'queued', queued_at = $1, key_place = r.place
FROM {rows $2: id uuid, place int} r
WHERE job.id = r.id AND job.state || '' = 'blocked'
RETURNING job.id, job.position, job.queue, job.lane, job.tier
