-- The lanes of the next $3 jobs that wait in a queue after lane $2, with how many of them each has. The last lane may have
-- more.
-- Index: job_claim.
SELECT waiting.lane, count(*) AS jobs
FROM (
    SELECT lane FROM job
    WHERE queue = $1 AND state = 'queued' AND lane > $2
    ORDER BY lane, position LIMIT $3
) waiting
GROUP BY waiting.lane ORDER BY waiting.lane
