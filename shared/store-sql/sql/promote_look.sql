-- When the first job is due, when the first parked execution is, and whether any job is blocked.
-- Indexes: job_due, job_parked, job_blocked.
SELECT
    (SELECT min(run_at) FROM job WHERE state IN ('scheduled', 'retry_wait')) AS first_due,
    (SELECT min(run_at) FROM job WHERE state = 'waiting') AS first_parked,
    CASE WHEN (SELECT min(concurrency_key) FROM job WHERE state = 'blocked') IS NULL THEN 0 ELSE 1 END AS blocked
