-- Commits steps that touch nothing but their executions and jobs of their nodes, new ones and completed ones: all of
-- them, or nothing.
-- PostgreSQL only: one statement that is its own transaction. The locks are taken as in `lock_executions`, and before
-- anything is written, because all writes ask whether the gate is open. It is shut if a lease is gone, of an
-- execution or of a job that was completed, if owners were lost before (that count is to be reset), if a concurrency
-- key is to be given on, and if an entry that was applied is no longer there; the caller then takes the general path.
-- What the locks see is new even if they had to wait. What else is read (the entries) only the holder of the lease
-- takes away, and an end of the execution, which takes the lease.
-- The state is written so that no partial index fits, and the limit makes the planner take the leases for one row: what
-- is left is a probe by id.
-- Index: execution(id), job(id), inbox(position), job_claim, job_done's primary key.
-- New jobs are leased as in `enqueue_leased_postgres.sql`, where there is leave for that.
-- $1 positions of the entries that are settled, $2 to $25 as in `commit_executions`, $30 now, $31 to $48 new jobs,
-- $49 to $52 completed ones, $53 to $61 as $20 to $28 of `enqueue_leased_postgres.sql`
WITH locked AS MATERIALIZED (
    SELECT e.id FROM {rows $26: execution uuid, lease uuid, token uuid, step bigint} r
    JOIN execution e ON e.id = r.execution AND e.job_id = r.lease AND e.step = r.step
    ORDER BY e.depth, e.id FOR UPDATE OF e
), leases AS (
    SELECT r.lease AS id, r.token, NULL::uuid AS execution, NULL AS result
    FROM {rows $26: execution uuid, lease uuid, token uuid, step bigint} r
    UNION ALL
    SELECT c.id, c.token, c.execution, c.result
    FROM {rows $49: execution uuid, id uuid, token uuid, result text?} c
), leased AS MATERIALIZED (
    SELECT j.id, r.execution IS NOT NULL AS is_completed, r.result
    FROM (SELECT * FROM leases LIMIT cardinality($26::uuid[]) + cardinality($49::uuid[])) r
    JOIN job j ON j.id = r.id AND j.lease_token = r.token AND j.state || '' = 'processing'
    WHERE (SELECT count(*) FROM locked) = cardinality($26::uuid[])
      AND CASE WHEN r.execution IS NULL THEN j.crashes = 0
          ELSE j.queue = {queue workflow-node} AND j.execution_id = r.execution AND j.concurrency_key IS NULL END
    ORDER BY j.id FOR UPDATE OF j
), gate AS MATERIALIZED (
    SELECT 1 AS is_open
    WHERE (SELECT count(*) FROM leased) = cardinality($26::uuid[]) + cardinality($49::uuid[])
      AND (SELECT count(*) FROM inbox i
           WHERE i.position = ANY($1::bigint[]) AND i.execution_id = ANY($2::uuid[]) AND i.status = 'pending'
             AND i.kind IN ('node_settled', 'node_requeued', 'child_settled')) = cardinality($1::bigint[])
), gone AS (
    DELETE FROM job j USING leased l WHERE j.id = l.id AND l.is_completed AND EXISTS (SELECT 1 FROM gate)
    RETURNING j.*, l.result
), done AS (
    INSERT INTO job_done ({done_columns}, error, result, data)
    SELECT {ended gone: status 'COMPLETED'; finished_at $30; attempt_status 'COMPLETED'; concurrency_key NULL}, NULL, result, data
    FROM gone
    ON CONFLICT DO NOTHING
), changed AS (
    UPDATE execution SET status = r.new_status, state = r.new_state, step = execution.step + 1,
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
), history AS (
    INSERT INTO execution_event (execution_id, kind, node_id, detail, at)
    SELECT r.execution_id, r.kind, r.node_id, r.detail, r.at
    FROM {rows $20: place int, execution_id uuid, kind text, node_id text?, detail text?, at bigint} r
    WHERE EXISTS (SELECT 1 FROM gate)
    ORDER BY r.place
), open AS (
    UPDATE queue_claim SET epoch = epoch + 1, claims = claims + 1, nonce_before = nonce, nonce = {nonce}
    WHERE ctid = COALESCE(
            NULLIF(split_part($55::text, ' ', 2), '')::tid, (SELECT q.ctid FROM queue_claim q WHERE q.queue = $53)
        )
        AND queue = $53 AND epoch = $54 AND nonce = split_part($55::text, ' ', 1)::bigint AND EXISTS (SELECT 1 FROM gate)
        AND NOT EXISTS (
            SELECT 1 FROM UNNEST($60::int[], $61::bigint[]) AS w (lane, floor)
            CROSS JOIN LATERAL (
                SELECT 1 FROM job q
                WHERE q.queue = $53 AND q.lane = w.lane AND q.state = 'queued' AND q.position > w.floor
                LIMIT 1
            ) waiting
        )
    RETURNING nonce::text || ' ' || ctid::text AS place
), claim AS MATERIALIZED (
    SELECT count(*) > 0 AS is_open, min(open.place) AS place, {now $59} AS at FROM open
), made AS (
    INSERT INTO job (
        id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at, created_at, tier,
        timeout_ms, backoff, unique_key, concurrency_key, tags, traceparent, execution_id, node_id, data,
        started_at, lease_ms, worker_id, lease_token, deadline_at, lease_until, reap_at
    )
    SELECT
        r.id, r.queue, {lane r.lane of $34},
        CASE WHEN t.token IS NULL THEN r.state ELSE 'processing' END,
        CASE WHEN t.token IS NULL THEN 0 ELSE 1 END,
        0, r.retries_max, 0, r.run_at, r.queued_at, $30::bigint, r.tier, r.timeout_ms, r.backoff,
        r.unique_key, r.concurrency_key, r.tags, r.traceparent, r.execution_id, r.node_id, r.data,
        CASE WHEN t.token IS NOT NULL THEN GREATEST(c.at, r.queued_at) END,
        CASE WHEN t.token IS NOT NULL THEN $58::bigint END,
        CASE WHEN t.token IS NOT NULL THEN ($57::text[])[CASE cardinality($57::text[]) WHEN 1 THEN 1 ELSE r.ord + 1 END] END,
        t.token,
        CASE WHEN t.token IS NOT NULL THEN c.at + r.timeout_ms END,
        CASE WHEN t.token IS NOT NULL THEN LEAST(c.at + $58::bigint, c.at + r.timeout_ms) END,
        CASE WHEN t.token IS NULL THEN 0 ELSE LEAST(c.at + $58::bigint, c.at + r.timeout_ms) END
    FROM {rows $31: ord int, id uuid, queue int, lane int, state text, retries_max int, run_at bigint, queued_at bigint, tier int, timeout_ms bigint?, backoff text?, unique_key text?, concurrency_key text?, tags text?, traceparent text?, execution_id uuid?, node_id text?, data text} r
    CROSS JOIN claim c
    CROSS JOIN LATERAL (
        SELECT CASE WHEN c.is_open THEN NULLIF(($56::uuid[])[r.ord + 1], '00000000-0000-0000-0000-000000000000') END AS token
    ) t
    WHERE EXISTS (SELECT 1 FROM gate) AND NOT EXISTS (SELECT 1 FROM job_done d WHERE d.id = r.id)
    ORDER BY r.ord
    ON CONFLICT DO NOTHING
    RETURNING id, position, state
)
SELECT made.id, made.position, made.state, NULL::int AS lane, claim.place, claim.at
FROM gate CROSS JOIN claim LEFT JOIN made ON true
UNION ALL
SELECT NULL, NULL, NULL, gone.lane, NULL, NULL FROM gone
