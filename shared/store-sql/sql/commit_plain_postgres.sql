-- Commits steps that touch nothing but their executions and new jobs of their nodes: all of them, or nothing.
-- PostgreSQL only: one statement that is its own transaction. The locks are taken as in `lock_executions`, and before
-- anything is written, because all writes ask whether the gate is open. It is shut if a lease is gone, if owners were
-- lost before (that count is to be reset), and if an entry is not news that is still there; the caller then takes the
-- long way.
-- What the locks see is new even if they had to wait. What else is read (the entries) only the holder of the lease
-- takes away, and an end of the execution, which takes the lease.
-- The state is written so that no partial index fits: what is left is a probe by id.
-- Index: execution(id), job(id), inbox(position), job_done's primary key.
-- $1 positions of the entries that are settled, $2 to $25 as in `commit_executions`, $29 now
WITH locked AS MATERIALIZED (
    SELECT e.id FROM {rows $26: execution uuid, lease uuid, token uuid} r
    JOIN execution e ON e.id = r.execution AND e.job_id = r.lease
    ORDER BY e.depth, e.id FOR UPDATE OF e
), leased AS MATERIALIZED (
    SELECT j.id FROM {rows $26: execution uuid, lease uuid, token uuid} r
    JOIN job j ON j.id = r.lease AND j.lease_token = r.token AND j.state || '' = 'processing' AND j.crashes = 0
    WHERE (SELECT count(*) FROM locked) = cardinality($26::uuid[])
    ORDER BY j.id FOR UPDATE OF j
), gate AS MATERIALIZED (
    SELECT 1 AS is_open
    WHERE (SELECT count(*) FROM leased) = cardinality($26::uuid[])
      AND (SELECT count(*) FROM inbox i
           WHERE i.position = ANY($1::bigint[]) AND i.execution_id = ANY($2::uuid[]) AND i.status = 'pending'
             AND i.kind IN ('node_settled', 'node_requeued', 'child_settled')) = cardinality($1::bigint[])
), changed AS (
    UPDATE execution SET status = r.new_status, state = r.new_state,
      started_at = COALESCE(r.first_start, execution.started_at), completed_at = r.ended,
      output = COALESCE(r.new_output, execution.output), error = r.new_error
    FROM {rows $2: key uuid, new_status text, new_state bytes, first_start bigint?, ended bigint?, new_output text?, new_error text?} r
    WHERE execution.id = r.key AND EXISTS (SELECT 1 FROM gate)
), dropped AS (
    DELETE FROM inbox WHERE position = ANY($1::bigint[]) AND EXISTS (SELECT 1 FROM gate)
), recorded AS (
    INSERT INTO node_result (execution_id, node_id, round, status, attempts, started_at, finished_at, input, output, error)
    SELECT r.execution_id, r.node_id, r.round, r.status, r.attempts, r.started_at, r.finished_at, r.input, r.output, r.error
    FROM {rows $9: place int, execution_id uuid, node_id text, round int, status text, attempts int, started_at bigint?, finished_at bigint, input text?, output text?, error text?} r
    WHERE EXISTS (SELECT 1 FROM gate)
    ORDER BY r.place
), told AS (
    INSERT INTO execution_event (execution_id, kind, node_id, detail, at)
    SELECT r.execution_id, r.kind, r.node_id, r.detail, r.at
    FROM {rows $20: place int, execution_id uuid, kind text, node_id text?, detail text?, at bigint} r
    WHERE EXISTS (SELECT 1 FROM gate)
    ORDER BY r.place
), made AS (
    INSERT INTO job (
        id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at, created_at, tier,
        timeout_ms, backoff, unique_key, concurrency_key, tags, traceparent, execution_id, node_id, data
    )
    SELECT
        r.id, r.queue, r.lane, r.state, 0, 0, r.retries_max, 0, r.run_at, r.queued_at, $29, r.tier, r.timeout_ms,
        r.backoff, r.unique_key, r.concurrency_key, r.tags, r.traceparent, r.execution_id, r.node_id, r.data
    FROM {rows $30: ord int, id uuid, queue int, lane int, state text, retries_max int, run_at bigint, queued_at bigint, tier int, timeout_ms bigint?, backoff text?, unique_key text?, concurrency_key text?, tags text?, traceparent text?, execution_id uuid?, node_id text?, data text} r
    WHERE EXISTS (SELECT 1 FROM gate) AND NOT EXISTS (SELECT 1 FROM job_done d WHERE d.id = r.id)
    ORDER BY r.ord
    ON CONFLICT DO NOTHING
    RETURNING id, position, state
)
SELECT made.id, made.position, made.state FROM gate LEFT JOIN made ON true
