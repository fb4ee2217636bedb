-- Takes the first jobs of one lane, which were read by the statement before, where they lie close together: all that are
-- queued in the lane between the first and the last of them. Nobody else writes in between: the transaction holds the
-- write lock. To look each up in a list costs half as much again.
-- Index: the primary key; the signs keep the planner from others.
-- $1 now, $2 end of the lease, $3 length of the lease, $4 worker, $5 tokens, one for each position between, $6 first and
-- $7 last position, $8 queue, $9 lane
UPDATE job
SET state = 'processing', attempt = attempt + 1, started_at = max($1, queued_at), lease_ms = $3, worker_id = $4,
    lease_token = substr($5, (position - $6) * 16 + 1, 16),
    deadline_at = $1 + timeout_ms,
    lease_until = min($2, $1 + COALESCE(timeout_ms, $3)), reap_at = min($2, $1 + COALESCE(timeout_ms, $3))
WHERE position BETWEEN $6 AND $7 AND +state = 'queued' AND +queue = $8 AND +lane = $9
    AND {startable job at $1}
