-- Takes picked jobs and counts their starts, in a claim that compares the epoch: what was counted before is as the node
-- remembers it. The node says between which instants jobs may start, for which it made room; where the clock is not between
-- them, it is not what the node takes it for, and nothing is taken. How many start for each subject is known here alone, so
-- each count comes as the text around the number of its last starts. Starts of lanes and of subjects are looked up in objects:
-- the planner takes what was taken for one row, and would compare each job with each lane of each subject.
-- What is counted is when they are taken, though the row of one that a node with a fast clock has enqueued says when that was.
-- Otherwise as `claim_take_postgres.sql`, with what the clock said in each row.
-- Index: start_count's primary key.
-- $1 queue, $2 now or null, $4 length of the lease, $5 workers, $6 tokens, $12 with which token the jobs of each worker
-- begin, $13 the first and $14 the last instant at which jobs may start
, clock AS MATERIALIZED (
    SELECT {now $2} AS at FROM open
), begun AS MATERIALIZED (
    SELECT at FROM clock WHERE at BETWEEN $13::bigint AND $14::bigint
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
), counted AS (
    INSERT INTO start_count AS c (queue, scope, owner, name, counted, expires_at)
    SELECT $1, s.scope, s.owner, s.name, s.head || (s.base + s.step * (n.starts ->> s.nth::text)::bigint)::text || s.tail,
        s.expires_at
    FROM (
        SELECT jsonb_object_agg(o.nth, o.starts) AS starts
        FROM (
            SELECT m.nth, sum((l.starts ->> m.lane::text)::bigint) AS starts
            FROM (
                SELECT jsonb_object_agg(t.lane, t.starts) AS starts
                FROM (SELECT lane, count(*) AS starts FROM taken GROUP BY lane) t
            ) l
            CROSS JOIN {rows $24: nth int, lane int} m
            WHERE l.starts ->> m.lane::text IS NOT NULL
            GROUP BY m.nth
        ) o
    ) n
    CROSS JOIN {rows $15: nth int, scope text, owner text, name text, head text, base bigint, step bigint, tail text, expires_at bigint} s
    WHERE n.starts ->> s.nth::text IS NOT NULL
    ON CONFLICT (queue, scope, owner, name) DO UPDATE SET counted = excluded.counted, expires_at = excluded.expires_at
)
SELECT t.*, o.place AS claim_place, k.at AS claim_at FROM open o CROSS JOIN clock k LEFT JOIN taken t ON true
