-- Takes picked jobs. The state is checked again on the row itself, because somebody may have cancelled or moved a job
-- that was picked. `open` says whether the claim may go on, and is looked at before anything is picked.
-- A row for each job that was taken, or one with nulls where none was: what the claim left in the row of the queue is
-- known all the same, and it need not be taken for a change that somebody else made.
-- The leases begin when that has been said: what the claim waited before is no part of them.
-- PostgreSQL only: rows are found again by where they lie, which costs no index. The sibling for SQLite uses positions.
-- The state is written so that no partial index fits: a plan made while the table is small would walk through all that is
-- queued, and be kept.
-- $2 now or null, $4 length of the lease, $5 workers, $6 tokens, $12 with which token the jobs of each worker begin
, begun AS MATERIALIZED (
    SELECT {now $2} AS at FROM open
), taken AS (
    UPDATE job j
    SET state = 'processing', attempt = j.attempt + 1, started_at = GREATEST(b.at, j.queued_at), lease_ms = $4,
        worker_id = ($5::text[])[width_bucket(p.n, $12::int[])],
        lease_token = ($6::uuid[])[p.n],
        deadline_at = b.at + j.timeout_ms,
        lease_until = LEAST(b.at + $4, b.at + j.timeout_ms), reap_at = LEAST(b.at + $4, b.at + j.timeout_ms)
    FROM picked p CROSS JOIN begun b
    WHERE j.ctid = p.place AND j.state || '' = 'queued' AND EXISTS (SELECT 1 FROM open)
    RETURNING j.lease_token, j.id, j.lane, j.position, j.data, j.attempt, j.attempt_base, j.retries_max, j.crashes,
        j.timeout_ms, j.backoff, j.created_at, j.queued_at, j.traceparent, j.execution_id, j.node_id, j.started_at,
        j.lease_until
)
SELECT t.*, o.place AS claim_place FROM open o LEFT JOIN taken t ON true
