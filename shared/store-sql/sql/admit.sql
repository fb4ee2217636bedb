-- Admits the first blocked job of each of these concurrency keys, where no job holds the key. A job that somebody else
-- is changing is passed over: nobody who admits waits for a job.
-- Two transactions that do so at once are told apart by the unique index job_key_place: one of them fails
-- and is tried again.
-- The outer state is written so that no partial index fits: what is left is where the rows lie.
-- Indexes: job_key_place, job_blocked.
-- $1 now
UPDATE job SET state = 'queued', queued_at = $1, key_place = NULL
WHERE state || '' = 'blocked' AND {place} {postgres:= ANY(ARRAY}{sqlite:IN }(
    SELECT (
        SELECT b.{place} FROM job b
        WHERE b.concurrency_key = r.concurrency_key AND b.state = 'blocked'
        ORDER BY b.position LIMIT 1
        {for_update_skip}
    )
    FROM {rows $2: concurrency_key text} r
    WHERE NOT EXISTS (
        SELECT 1 FROM job h
        WHERE h.concurrency_key = r.concurrency_key AND h.state IN ('queued', 'processing')
    )
){postgres:)}
RETURNING id, position, queue, lane, tier
