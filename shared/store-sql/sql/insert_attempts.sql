-- Attempts that were followed by another one. A repeated call finds them there.
-- Index: attempt's primary key.
-- $1 now
INSERT INTO attempt (job_id, attempt_number, status, error, started_at, finished_at, worker_id)
SELECT r.job_id, r.attempt_number, r.status, r.error, r.started_at, $1, r.worker_id
FROM {rows $2: job_id uuid, attempt_number int, status text, error text?, started_at bigint, worker_id text} r
WHERE true
ON CONFLICT DO NOTHING
