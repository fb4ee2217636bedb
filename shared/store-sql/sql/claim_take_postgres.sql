-- Takes the granted jobs: of each grant's lanes together the first `take` by position. The state is checked again
-- on the row itself, because somebody may have cancelled or moved a job that was read.
-- PostgreSQL only: one statement with a lateral probe for each lane. The sibling for SQLite needs two.
-- Index: job_claim for the probes, the primary key for the update.
-- $1 queue, $2 now, $3 end of the lease, $4 length of the lease, $5 worker, $6 tokens
UPDATE job j
SET state = 'processing', attempt = j.attempt + 1, started_at = $2, lease_ms = $4, worker_id = $5,
    lease_token = ($6::uuid[])[p.n],
    deadline_at = $2 + j.timeout_ms,
    lease_until = LEAST($3, $2 + j.timeout_ms),
    progress = NULL
FROM (
    SELECT ranked.position, (row_number() OVER ())::int AS n
    FROM (
        SELECT c.position, g.take, row_number() OVER (PARTITION BY g.nth ORDER BY c.position) AS place
        FROM {rows $7: nth int, lane int, take int} g
        CROSS JOIN LATERAL (
            SELECT q.position FROM job q
            WHERE q.queue = $1 AND q.lane = g.lane AND q.state = 'queued'
            ORDER BY q.position LIMIT g.take
        ) c
    ) ranked
    WHERE ranked.place <= ranked.take
) p
WHERE j.position = p.position AND j.state = 'queued'
RETURNING j.id, j.lane, j.position, j.data, j.attempt, j.attempt_base, j.retries_max, j.crashes, j.timeout_ms,
    j.backoff, j.lease_token, j.lease_until, j.created_at, j.queued_at, j.traceparent, j.execution_id, j.node_id
