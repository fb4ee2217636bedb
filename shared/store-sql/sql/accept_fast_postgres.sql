-- Accepts deliveries that are all new: guards, lines, bodies and jobs that are alike but for id, lane and payload. What
-- is there already, a guard that has expired too, fails the statement as a whole, and the caller takes the general path.
-- PostgreSQL only. The arrays of guards come in the order in which everybody takes them.
-- The guards are taken before anything else is done, as on the general path: a repetition costs no more than that, and the
-- two do not wait for each other. A job that has ended already is not looked for: its delivery fails the statement.
-- Guards: $1 webhooks, $2 digests, $3 deliveries, $4 expiries.
-- Deliveries: $5 ids, $6 webhooks, $7 tenants, $8 reasons, $9 event types, $10 ids of the provider, $11 secrets,
-- $12 jobs, $13 what they replay, $14 addresses, $15 methods, $16 targets, $17 headers, $18 bodies, $19 trace contexts,
-- $20 times, $32 lengths of the bodies.
-- Jobs: $21 now, $22 queue, $23 retries, $24 tier, $25 timeout, $26 backoff, $27 tags, $28 lanes, $29 times,
-- $30 payloads, $31 trace contexts. The lines of the audit log and what is answered follow (`accept_fast.rs`).
WITH guards AS (
    INSERT INTO webhook_guard (webhook_id, digest, delivery_id, expires_at)
    SELECT g.webhook_id, g.digest, g.delivery_id, g.expires_at
    FROM UNNEST($1::uuid[], $2::bytea[], $3::uuid[], $4::bigint[]) AS g (webhook_id, digest, delivery_id, expires_at)
    RETURNING 1
), deliveries AS (
    INSERT INTO webhook_delivery (
        id, webhook_id, tenant, status, reason, event_type, provider_event_id, secret_id, job_id, replay_of,
        remote_address, method, target, headers, body_bytes, traceparent, received_at
    )
    SELECT
        r.id, r.webhook_id, r.tenant, 'accepted', r.reason, r.event_type, r.provider_event_id, r.secret_id, r.job_id,
        r.replay_of, r.remote_address, r.method, r.target, r.headers, r.body_bytes, r.traceparent, r.received_at
    FROM UNNEST(
        $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[], $11::uuid[], $12::uuid[], $13::uuid[],
        $14::text[], $15::text[], $16::text[], $17::text[], $32::int[], $19::text[], $20::bigint[]
    ) AS r (
        id, webhook_id, tenant, reason, event_type, provider_event_id, secret_id, job_id, replay_of, remote_address,
        method, target, headers, body_bytes, traceparent, received_at
    )
), bodies AS (
    INSERT INTO webhook_body (delivery_id, body)
    SELECT b.id, b.body FROM UNNEST($5::uuid[], $18::bytea[]) AS b (id, body)
), made AS (
    INSERT INTO job (
        id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at, created_at, tier,
        timeout_ms, backoff, tags, traceparent, data
    )
    SELECT
        j.id, $22, {lane j.lane of $28}, 'queued', 0, 0, $23, 0, j.run_at, $21, $21, $24, $25, $26, $27, j.traceparent, j.data
    FROM UNNEST($12::uuid[], $28::int[], $29::bigint[], $30::text[], $31::text[]) AS j (id, lane, run_at, data, traceparent)
    WHERE (SELECT COUNT(*) FROM guards) >= 0
    RETURNING lane, position
