-- The same as `accept_fast_postgres.sql` for deliveries of one endpoint that have tenant, secret, method, target and lane in
-- common, and neither reason nor trace context: most groups are so. What is common is bound once: a list costs a function that
-- the statement begins and ends, and a copy of each of its values. What is written in which order is as there.
-- PostgreSQL only.
-- $1 webhook. Guards: $2 digests, $3 deliveries, $4 expiries.
-- Deliveries: $5 tenant, $6 secret, $7 method, $8 target, $9 ids, $10 event types, $11 ids of the provider, $12 jobs,
-- $13 addresses, $14 headers, $15 lengths of the bodies, $16 times, $17 bodies.
-- Jobs: $18 now, $19 queue, $20 retries, $21 tier, $22 timeout, $23 backoff, $24 tags, $25 the lane as a list, $26 times,
-- $27 payloads. What is answered follows (`accept_fast.rs`).
WITH guards AS (
    INSERT INTO webhook_guard (webhook_id, digest, delivery_id, expires_at)
    SELECT $1::uuid, g.digest, g.delivery_id, g.expires_at
    FROM UNNEST($2::bytea[], $3::uuid[], $4::bigint[]) AS g (digest, delivery_id, expires_at)
    RETURNING 1
), deliveries AS (
    INSERT INTO webhook_delivery (
        id, webhook_id, tenant, status, event_type, provider_event_id, secret_id, job_id, remote_address, method, target,
        headers, body_bytes, received_at
    )
    SELECT
        r.id, $1::uuid, $5::text, 'accepted', r.event_type, r.provider_event_id, $6::uuid, r.job_id, r.remote_address,
        $7::text, $8::text, r.headers, r.body_bytes, r.received_at
    FROM UNNEST(
        $9::uuid[], $10::text[], $11::text[], $12::uuid[], $13::text[], $14::text[], $15::int[], $16::bigint[]
    ) AS r (id, event_type, provider_event_id, job_id, remote_address, headers, body_bytes, received_at)
), bodies AS (
    INSERT INTO webhook_body (delivery_id, body)
    SELECT b.id, b.body FROM UNNEST($9::uuid[], $17::bytea[]) AS b (id, body)
), made AS (
    INSERT INTO job (
        id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at, created_at, tier,
        timeout_ms, backoff, tags, data
    )
    SELECT
        j.id, $19, {lane ($25::int[])[1] of $25}, 'queued', 0, 0, $20, 0, j.run_at, $18, $18, $21, $22, $23, $24, j.data
    FROM UNNEST($12::uuid[], $26::bigint[], $27::text[]) AS j (id, run_at, data)
    WHERE (SELECT COUNT(*) FROM guards) >= 0
    RETURNING lane, position
