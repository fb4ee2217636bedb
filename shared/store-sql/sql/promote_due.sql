-- Makes due jobs claimable, or blocked where they have a concurrency key (they are admitted next). At most $2.
-- Nodes that promote at once share the work.
-- Index: job_due.
-- $1 now
UPDATE job
SET state = CASE WHEN concurrency_key IS NULL THEN 'queued' ELSE 'blocked' END, queued_at = $1
WHERE state IN ('scheduled', 'retry_wait') AND position IN (
    SELECT position FROM job
    WHERE state IN ('scheduled', 'retry_wait') AND run_at <= $1
    ORDER BY run_at LIMIT $2
    {for_update_skip}
)
RETURNING id, queue, lane, state, concurrency_key
