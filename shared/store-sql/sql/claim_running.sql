-- Leased jobs by lane: what counts against the limits. Read under the lock, so that no claim can be missing.
-- Index: job_leased.
SELECT lane, count(*) AS running FROM job
WHERE queue = $1 AND state = 'processing'
GROUP BY lane
