//! The least that a durable queue with a history can do: no lanes, no lock, no token, claims of two at once.

use super::{Layout, Prune};

pub(super) const LAYOUT: Layout = Layout {
    name: "lean reference",
    about: "one narrow row without lanes, limits and tokens; claims skip what is locked; the history has a primary key",
    schema: &["
        CREATE TABLE jobs (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, queue text NOT NULL, kind text NOT NULL,
            priority smallint NOT NULL, state smallint NOT NULL, attempt smallint NOT NULL,
            max_attempts smallint NOT NULL, run_at timestamptz NOT NULL, created_at timestamptz NOT NULL,
            claimed_at timestamptz, lease_until timestamptz, finished_at timestamptz, worker text,
            payload jsonb NOT NULL
        );
        CREATE INDEX jobs_ready ON jobs (queue, priority, run_at, id) WHERE state = 0;
        CREATE TABLE hist (
            id bigint PRIMARY KEY, queue text NOT NULL, kind text NOT NULL, state smallint NOT NULL,
            attempt smallint NOT NULL, run_at timestamptz NOT NULL, claimed_at timestamptz,
            finished_at timestamptz NOT NULL, payload jsonb NOT NULL
        )"],
    enqueue: "
        INSERT INTO jobs (queue, kind, priority, state, attempt, max_attempts, run_at, created_at, payload)
        SELECT 'default', 'noop', 0, 0, 0, 4, i.at, i.at, r.data::jsonb
        FROM UNNEST($2::uuid[], $3::int[], $4::text[]) AS r (id, lane, data)
        CROSS JOIN (SELECT to_timestamp($1::bigint / 1000.0) AS at) i",
    claim: "
        WITH unused AS (SELECT $1::bigint, $4::int, $5::uuid[], $6::int[], $7::bigint[])
        UPDATE jobs SET state = 1, attempt = attempt + 1, claimed_at = now(), lease_until = now() + interval '30 s',
            worker = $3::text
        WHERE $2::bigint > 0 AND id = ANY(ARRAY(
            SELECT id FROM jobs WHERE queue = 'default' AND state = 0 ORDER BY priority, run_at, id
            LIMIT (SELECT sum(t) FROM UNNEST($8::int[]) t) FOR UPDATE SKIP LOCKED))
        RETURNING NULL::uuid, id, 0, payload::text",
    is_serial: false,
    settle: "
        WITH unused AS (SELECT $2::uuid[], $3::uuid[], $5::bigint), gone AS (
            DELETE FROM jobs WHERE id = ANY($4::bigint[]) RETURNING *
        )
        INSERT INTO hist (id, queue, kind, state, attempt, run_at, claimed_at, finished_at, payload)
        SELECT id, queue, kind, 2, attempt, run_at, claimed_at, to_timestamp($1::bigint / 1000.0), payload FROM gone",
    settle_one: None,
    ended: "SELECT count(*) FROM hist",
    prune: Prune::Delete("DELETE FROM hist WHERE id = ANY(ARRAY(SELECT id FROM hist ORDER BY id LIMIT $1))"),
};
