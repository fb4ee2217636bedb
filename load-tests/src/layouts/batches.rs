//! The same body, and rows for batches: one lease row for a claim, one end row for what is settled at once.
//!
//! The token of a job follows from the secret of its claim and its place in it, and is checked outside of the database.

use super::body::{BODY, BY_ID, DAYS, ENQUEUE, FLOORS, claim_up_lanes};
use super::{Layout, Prune, QUEUE};

pub(super) const LAYOUT: Layout = Layout {
    name: "records per batch",
    about: "the same body; a lease row for each claim with its positions and a bit for each that is open, an end row for each \
            settle with its positions, BRIN over the time",
    schema: &[QUEUE, FLOORS, "CREATE SEQUENCE body_position", BODY, "
        CREATE TABLE lease_batch (
            batch bigint PRIMARY KEY, started_at bigint NOT NULL, lease_until bigint NOT NULL, secret uuid NOT NULL,
            worker integer NOT NULL, positions bigint[] NOT NULL, is_open bit varying NOT NULL
        ) WITH (fillfactor = 50);
        CREATE TABLE end_batch (
            first bigint NOT NULL, batch bigint NOT NULL, started_at bigint NOT NULL, finished_at bigint NOT NULL,
            worker integer NOT NULL, status smallint NOT NULL, positions bigint[] NOT NULL
        );
        CREATE INDEX end_batch_first ON end_batch (first);
        CREATE INDEX end_batch_at ON end_batch USING brin (finished_at)", DAYS],
    enqueue: ENQUEUE,
    claim: claim_up_lanes!("q.id, q.position, q.lane, q.data", "
            INSERT INTO lease_batch (batch, started_at, lease_until, secret, worker, positions, is_open)
            SELECT $1::bigint + 1, $2::bigint, $2::bigint + 30000, ($5::uuid[])[1], $4::int,
                array_agg(position ORDER BY n), repeat('1', count(*)::int)::bit varying
            FROM picked HAVING count(*) > 0", "id"),
    settle: "
        WITH unused AS (SELECT $2::uuid[], $3::uuid[]), gone AS (
            DELETE FROM lease_batch
            WHERE batch = $5::bigint AND cardinality(positions) = cardinality($4::bigint[]) AND position('0' IN is_open::text) = 0
            RETURNING *
        )
        INSERT INTO end_batch (first, batch, started_at, finished_at, worker, status, positions)
        SELECT positions[1], batch, started_at, $1::bigint, worker, 1, positions FROM gone",
    settle_one: Some(
        "WITH unused AS (SELECT $2::uuid[], $3::uuid[]), hit AS (
            UPDATE lease_batch
            SET is_open = set_bit(is_open, array_position(positions, ($4::bigint[])[1]) - 1, 0)
            WHERE batch = $5::bigint AND get_bit(is_open, array_position(positions, ($4::bigint[])[1]) - 1) = 1
            RETURNING batch, started_at, worker
        )
        INSERT INTO end_batch (first, batch, started_at, finished_at, worker, status, positions)
        SELECT ($4::bigint[])[1], batch, started_at, $1::bigint, worker, 1, $4::bigint[] FROM hit",
    ),
    ended: "SELECT COALESCE(sum(cardinality(positions)), 0)::bigint FROM end_batch",
    prune: Prune::Drop("DELETE FROM lease_batch; DROP TABLE body_7; DROP TABLE end_batch"),
    ..BY_ID
};
