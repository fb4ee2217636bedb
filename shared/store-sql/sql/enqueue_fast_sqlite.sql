-- Inserts jobs without keys that differ in nothing but id, lane, time and payload, each a place after the one before.
-- Those that are in `job` or `job_done` already are left out. Answers nothing: the places follow from the last one.
-- Ids grow with time, so that mostly none has ended that is as large as the smallest of these: one look for all of them.
-- Nor are lanes looked for once for each job.
-- Index: job_done's primary key, for ids that have ended already.
-- $1 now, $2 queue, $3 retries, $4 tier, $5 timeout, $6 backoff, $7 tags, $8 trace context, $9 ids, $10 lanes and times,
-- $11 where payloads lie, $12 payloads, $13 the smallest id, $14 the lanes, each once
INSERT INTO job (
    id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at, created_at, tier,
    timeout_ms, backoff, tags, traceparent, data
)
SELECT
    r.id, $2, CASE WHEN (
        SELECT count(*) FROM json_each($14) u WHERE NOT EXISTS (SELECT 1 FROM lane l WHERE l.id = u.value AND l.mark IS NULL)
    ) = 0 THEN r.lane END, CASE WHEN r.run_at > $1 THEN 'scheduled' ELSE 'queued' END, 0, 0, $3, 0,
    r.run_at, max(r.run_at, $1), $1, $4, $5, $6, $7, $8, r.data
FROM (
    SELECT
        substr($9, key * 16 + 1, 16) AS id,
        CAST(substr($10, key * 30 + 1, 10) AS integer) AS lane,
        CAST(substr($10, key * 30 + 11, 20) AS integer) AS run_at,
        CAST(substr($12, (value >> 30) + 1, value & 1073741823) AS text) AS data
    FROM json_each($11)
) r
WHERE NOT EXISTS (SELECT 1 FROM job_done d WHERE d.id >= $13) OR NOT EXISTS (SELECT 1 FROM job_done d WHERE d.id = r.id)
ON CONFLICT DO NOTHING
