-- Inserts jobs and leases those with a token (others have the nil one) at once, if the epoch is the expected one;
-- otherwise they are queued. So they are if any job waits in a lane of those, of which this node has not heard. See
-- `claim_expected_postgres.sql` for why the comparison is enough, and `enqueue.sql` for what is left out.
-- PostgreSQL only.
-- Index: queue_claim's primary key where it is not known where the row lies; job_claim; job_done's primary key.
-- $1 now, $2 to $19 as in `enqueue.sql`, $20 queue, $21 expected epoch, $22 its nonce, a space, and where the row lies if that is known, or null, $23 tokens,
-- $24 workers (one for all, or one for each job), $25 length of the lease, $26 the instant at which it begins, or null, $27 lanes of the jobs with tokens, $28 the position after which to
-- look for others in each
WITH open AS (
    UPDATE queue_claim SET epoch = epoch + 1, claims = claims + 1, nonce_before = nonce, nonce = {nonce}
    WHERE ctid = COALESCE(
            NULLIF(split_part($22::text, ' ', 2), '')::tid, (SELECT q.ctid FROM queue_claim q WHERE q.queue = $20)
        )
        AND queue = $20 AND epoch = $21 AND nonce = split_part($22::text, ' ', 1)::bigint
        AND NOT EXISTS (
            SELECT 1 FROM UNNEST($27::int[], $28::bigint[]) AS w (lane, floor)
            CROSS JOIN LATERAL (
                SELECT 1 FROM job q
                WHERE q.queue = $20 AND q.lane = w.lane AND q.state = 'queued' AND q.position > w.floor
                LIMIT 1
            ) waiting
        )
    RETURNING nonce::text || ' ' || ctid::text AS place
), claim AS MATERIALIZED (
    SELECT count(*) > 0 AS is_open, min(open.place) AS place, {now $26} AS at FROM open
), made AS (
    INSERT INTO job (
        id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at, created_at, tier,
        timeout_ms, backoff, unique_key, concurrency_key, tags, traceparent, execution_id, node_id, data,
        started_at, lease_ms, worker_id, lease_token, deadline_at, lease_until, reap_at
    )
    SELECT
        r.id, r.queue, {lane r.lane of $5},
        CASE WHEN t.token IS NULL THEN r.state ELSE 'processing' END,
        CASE WHEN t.token IS NULL THEN 0 ELSE 1 END,
        0, r.retries_max, 0, r.run_at, r.queued_at, $1::bigint, r.tier, r.timeout_ms, r.backoff,
        r.unique_key, r.concurrency_key, r.tags, r.traceparent, r.execution_id, r.node_id, r.data,
        CASE WHEN t.token IS NOT NULL THEN GREATEST(c.at, r.queued_at) END,
        CASE WHEN t.token IS NOT NULL THEN $25::bigint END,
        CASE WHEN t.token IS NOT NULL THEN ($24::text[])[CASE cardinality($24::text[]) WHEN 1 THEN 1 ELSE r.ord + 1 END] END,
        t.token,
        CASE WHEN t.token IS NOT NULL THEN c.at + r.timeout_ms END,
        CASE WHEN t.token IS NOT NULL THEN LEAST(c.at + $25::bigint, c.at + r.timeout_ms) END,
        CASE WHEN t.token IS NULL THEN 0 ELSE LEAST(c.at + $25::bigint, c.at + r.timeout_ms) END
    FROM {rows $2: ord int, id uuid, queue int, lane int, state text, retries_max int, run_at bigint, queued_at bigint, tier int, timeout_ms bigint?, backoff text?, unique_key text?, concurrency_key text?, tags text?, traceparent text?, execution_id uuid?, node_id text?, data text} r
    CROSS JOIN claim c
    CROSS JOIN LATERAL (
        SELECT CASE WHEN c.is_open THEN NULLIF(($23::uuid[])[r.ord + 1], '00000000-0000-0000-0000-000000000000') END AS token
    ) t
    WHERE NOT EXISTS (SELECT 1 FROM job_done d WHERE d.id = r.id)
    ORDER BY r.ord
    ON CONFLICT DO NOTHING
    RETURNING id, position, state
