-- Inserts jobs without keys that differ in nothing but id, lane, time and payload, each a place after the one before.
-- A job that is in `job` already fails the statement, and the caller takes the general path; one that is in `job_done` is
-- left out.
-- PostgreSQL only: to ask for conflicts beforehand costs as much as an index.
-- Index: job_done's primary key, for ids that have ended already.
-- $1 now, $2 queue, $3 retries, $4 tier, $5 timeout, $6 backoff, $7 tags, $8 trace context, $9 ids, $10 lanes, $11 times,
-- $12 payloads, $13 what the notification of a job begins with, or null
INSERT INTO job (
    id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at, created_at, tier,
    timeout_ms, backoff, tags, traceparent, data
)
SELECT
    r.id, $2, {lane r.lane of $10}, CASE WHEN r.run_at > $1 THEN 'scheduled' ELSE 'queued' END, 0, 0, $3, 0,
    r.run_at, GREATEST(r.run_at, $1), $1, $4, $5, $6, $7, $8, r.data
FROM UNNEST($9::uuid[], $10::int[], $11::bigint[], $12::text[]) AS r (id, lane, run_at, data)
WHERE NOT EXISTS (SELECT 1 FROM job_done d WHERE d.id = r.id)
RETURNING id, position, CASE WHEN $13::text IS NOT NULL AND state = 'queued' THEN
    pg_notify('trunkline', $13::text || lane || '.' || position)::text END
