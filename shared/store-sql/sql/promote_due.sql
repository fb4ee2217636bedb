-- Makes due jobs claimable, or blocked where they have a concurrency key (they are admitted next): those that wait for
-- their time, and parked executions that the clock takes up. At most $2 of each.
-- Nodes that promote at once share the work.
-- A parked execution that finds no slot is looked at without one, see `executions/unowned`.
-- The outer state is written so that no partial index fits: what is left is where the rows lie.
-- Indexes: job_due, job_parked.
-- $1 now
UPDATE job
SET state = CASE WHEN concurrency_key IS NULL THEN 'queued' ELSE 'blocked' END, queued_at = $1,
    look_at = CASE WHEN state = 'waiting' THEN $1 ELSE look_at END
WHERE state || '' IN ('scheduled', 'retry_wait', 'waiting') AND {place} {postgres:= ANY(ARRAY}{sqlite:IN }(
    SELECT found FROM (
        SELECT {place} AS found FROM job
        WHERE state IN ('scheduled', 'retry_wait') AND run_at <= $1
        ORDER BY run_at LIMIT $2
        {for_update_skip}
    ) due
    UNION ALL
    SELECT found FROM (
        SELECT {place} AS found FROM job
        WHERE state = 'waiting' AND run_at <= $1
        ORDER BY run_at LIMIT $2
        {for_update_skip}
    ) parked
){postgres:)}
RETURNING id, queue, lane, position, state, concurrency_key, tier
