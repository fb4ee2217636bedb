//! A body that is appended once and never changed, a narrow row from claim to end, and a narrow row for the end.
//!
//! A claim goes up its lanes by their floors, so that no index says in which state a job is. In these figures nothing is
//! retried, cancelled or put off: such jobs would keep a row of today's kind.

use super::{Layout, Prune, QUEUE};

/// A claim that goes up its lanes by their floors: what it reads of a body as `q`, how it leases what was picked, and what it
/// answers as the id.
macro_rules! claim_up_lanes {
    ($columns:literal, $leased:literal, $id:literal) => {
        concat!(
            "
        WITH unused AS (SELECT $3::text), open AS (
            UPDATE queue_claim SET epoch = epoch + 1 WHERE queue = 1 AND epoch = $1::bigint RETURNING epoch
        ), picked AS (
            SELECT b.*, (row_number() OVER ())::int AS n
            FROM UNNEST($6::int[], $7::bigint[], $8::int[]) AS g (lane, floor, take)
            CROSS JOIN LATERAL (
                SELECT ",
            $columns,
            " FROM body q WHERE q.lane = g.lane AND q.position > g.floor
                ORDER BY q.position LIMIT g.take
            ) b
            WHERE EXISTS (SELECT 1 FROM open)
        ), leased AS (",
            $leased,
            "
        ), moved AS (
            UPDATE lane_floor f SET position = m.position
            FROM (SELECT lane, max(position) AS position FROM picked GROUP BY lane) m WHERE f.lane = m.lane
        )
        SELECT ",
            $id,
            ", position, lane, data FROM picked"
        )
    };
}
pub(super) use claim_up_lanes;

pub(super) const BY_ID: Layout = Layout {
    name: "body, lease, end",
    about: "a body appended once with indexes on the id and (lane, position), a lease row by id, an end row by id with BRIN over \
            the time; bodies and ends in partitions by the day in their ids, dropped together",
    schema: &[QUEUE, FLOORS, "CREATE SEQUENCE body_position", BODY, LEASE_AND_END, DAYS],
    enqueue: ENQUEUE,
    claim: claim_up_lanes!(
        "q.id, q.position, q.lane, q.data",
        "
            INSERT INTO lease (id, lane, attempt, worker, started_at, lease_until, token)
            SELECT id, lane, 1, $4::int, $2::bigint, $2::bigint + 30000, ($5::uuid[])[n] FROM picked",
        "id"
    ),
    is_serial: true,
    settle: "
        WITH unused AS (SELECT $5::bigint), gone AS (
            DELETE FROM lease l
            USING (
                SELECT * FROM UNNEST($2::uuid[], $3::uuid[], $4::bigint[]) AS b (id, token, position)
                LIMIT cardinality($2::uuid[])
            ) r
            WHERE l.id = r.id AND l.token = r.token
            RETURNING l.*
        )
        INSERT INTO ended (id, started_at, finished_at, lane, worker, status, attempt, token)
        SELECT id, started_at, $1::bigint, lane, worker, 1, attempt, token FROM gone",
    settle_one: None,
    ended: "SELECT count(*) FROM ended",
    prune: Prune::Drop("DROP TABLE body_7; DROP TABLE ended_7"),
};

pub(super) const BY_PLACE: Layout = Layout {
    name: "body, lease, end by position",
    about: "the same where leases and ends have the position for their key, which the node that claimed remembers and others read \
            from the body; ends in partitions by position",
    schema: &[QUEUE, FLOORS, "CREATE SEQUENCE body_position", BODY, DAYS, LEASE_BY_POSITION, "
        CREATE TABLE ended (
            position bigint PRIMARY KEY, started_at bigint, finished_at bigint NOT NULL, token uuid, lane integer NOT NULL,
            worker integer, status smallint NOT NULL, attempt smallint NOT NULL, result text
        ) PARTITION BY RANGE (position);
        CREATE INDEX ended_at ON ended USING brin (finished_at)", "
        DO $do$
        BEGIN
            FOR n IN 0 .. 8 LOOP
                EXECUTE format('CREATE TABLE ended_%s PARTITION OF ended FOR VALUES FROM (%s) TO (%s)', n,
                    n * 10000000, (n + 1) * 10000000);
            END LOOP;
        END $do$"],
    claim: claim_up_lanes!("q.id, q.position, q.lane, q.data", "
            INSERT INTO lease (position, lane, attempt, worker, started_at, lease_until, token)
            SELECT position, lane, 1, $4::int, $2::bigint, $2::bigint + 30000, ($5::uuid[])[n] FROM picked", "id"),
    settle: SETTLE_BY_POSITION,
    prune: Prune::Drop("DROP TABLE body_7; DROP TABLE ended_0"),
    ..BY_ID
};

pub(super) const BY_POSITION: Layout = Layout {
    name: "body, lease, end; the id is the position",
    about: "the same where the public id carries the position: no index on ids, a salt checks them; BRIN over position and time; \
            partitions by position",
    schema: &[QUEUE, FLOORS, "CREATE SEQUENCE body_position", LEASE_BY_POSITION, "
        CREATE TABLE body (
            position bigint NOT NULL DEFAULT nextval('body_position'), created_at bigint NOT NULL, lane integer NOT NULL,
            salt integer NOT NULL, retries_max smallint NOT NULL, run_at bigint, execution_id uuid, more text,
            data text NOT NULL
        ) PARTITION BY RANGE (position);
        CREATE INDEX body_claim ON body (lane, position);
        CREATE INDEX body_position_range ON body USING brin (position) WITH (pages_per_range = 8);
        CREATE TABLE ended (
            position bigint NOT NULL, started_at bigint, finished_at bigint NOT NULL, token uuid, lane integer NOT NULL,
            worker integer, status smallint NOT NULL, attempt smallint NOT NULL, result text
        ) PARTITION BY RANGE (position);
        CREATE INDEX ended_position_range ON ended USING brin (position) WITH (pages_per_range = 8);
        CREATE INDEX ended_at ON ended USING brin (finished_at)", "
        DO $do$
        BEGIN
            FOR n IN 0 .. 8 LOOP
                EXECUTE format('CREATE TABLE body_%s PARTITION OF body FOR VALUES FROM (%s) TO (%s)', n,
                    n * 10000000, (n + 1) * 10000000);
                EXECUTE format('CREATE TABLE ended_%s PARTITION OF ended FOR VALUES FROM (%s) TO (%s)', n,
                    n * 10000000, (n + 1) * 10000000);
            END LOOP;
        END $do$"],
    enqueue: "
        INSERT INTO body (created_at, lane, salt, retries_max, data)
        SELECT $1::bigint, r.lane, ('x' || right(r.id::text, 7))::bit(28)::int, 3, r.data
        FROM UNNEST($2::uuid[], $3::int[], $4::text[]) AS r (id, lane, data)
        RETURNING position",
    claim: claim_up_lanes!("q.position, q.lane, q.data", "
            INSERT INTO lease (position, lane, attempt, worker, started_at, lease_until, token)
            SELECT position, lane, 1, $4::int, $2::bigint, $2::bigint + 30000, ($5::uuid[])[n] FROM picked", "NULL::uuid"),
    settle: SETTLE_BY_POSITION,
    prune: Prune::Drop("DROP TABLE body_0; DROP TABLE ended_0"),
    ..BY_ID
};

/// Up to which position everything of a lane was taken.
pub(super) const FLOORS: &str = "
    CREATE TABLE lane_floor (lane integer PRIMARY KEY, position bigint NOT NULL) WITH (fillfactor = 10);
    INSERT INTO lane_floor SELECT n, 0 FROM generate_series(1, 10) n";

pub(super) const BODY: &str = "
    CREATE TABLE body (
        position bigint NOT NULL DEFAULT nextval('body_position'), id uuid PRIMARY KEY, created_at bigint NOT NULL,
        lane integer NOT NULL, retries_max smallint NOT NULL, run_at bigint, execution_id uuid, more text,
        data text NOT NULL
    ) PARTITION BY RANGE (id);
    CREATE INDEX body_claim ON body (lane, position)";

pub(super) const ENQUEUE: &str = "
    INSERT INTO body (id, created_at, lane, retries_max, data)
    SELECT r.id, $1::bigint, r.lane, 3, r.data FROM UNNEST($2::uuid[], $3::int[], $4::text[]) AS r (id, lane, data)
    RETURNING id, position";

const LEASE_BY_POSITION: &str = "
    CREATE TABLE lease (
        position bigint PRIMARY KEY, started_at bigint NOT NULL, lease_until bigint NOT NULL, deadline_at bigint,
        token uuid NOT NULL, lane integer NOT NULL, worker integer NOT NULL, attempt smallint NOT NULL, progress text
    ) WITH (fillfactor = 70)";

const SETTLE_BY_POSITION: &str = "
    WITH unused AS (SELECT $5::bigint), gone AS (
        DELETE FROM lease l
        USING (
            SELECT * FROM UNNEST($2::uuid[], $3::uuid[], $4::bigint[]) AS b (id, token, position)
            LIMIT cardinality($4::bigint[])
        ) r
        WHERE l.position = r.position AND l.token = r.token
        RETURNING l.*
    )
    INSERT INTO ended (position, started_at, finished_at, lane, worker, status, attempt, token)
    SELECT position, started_at, $1::bigint, lane, worker, 1, attempt, token FROM gone";

const LEASE_AND_END: &str = "
    CREATE TABLE lease (
        id uuid PRIMARY KEY, started_at bigint NOT NULL, lease_until bigint NOT NULL, deadline_at bigint,
        token uuid NOT NULL, lane integer NOT NULL, worker integer NOT NULL, attempt smallint NOT NULL, progress text
    ) WITH (fillfactor = 70);
    CREATE TABLE ended (
        id uuid PRIMARY KEY, started_at bigint, finished_at bigint NOT NULL, token uuid, lane integer NOT NULL,
        worker integer, status smallint NOT NULL, attempt smallint NOT NULL, result text
    ) PARTITION BY RANGE (id);
    CREATE INDEX ended_at ON ended USING brin (finished_at)";

/// A week of partitions and tomorrow's, of what is partitioned by id.
pub(super) const DAYS: &str = "
    DO $do$
    DECLARE
        today bigint := floor(extract(epoch FROM clock_timestamp()) / 86400)::bigint;
        bounds text[];
        parent text;
    BEGIN
        FOR n IN 0 .. 8 LOOP
            bounds := ARRAY(SELECT lpad(to_hex((today + d) * 86400000), 12, '0') || repeat('0', 20)
                FROM UNNEST(ARRAY[n - 7, n - 6]) AS d);
            FOR parent IN SELECT relname FROM pg_class WHERE relkind = 'p' AND pg_get_partkeydef(oid) = 'RANGE (id)' LOOP
                EXECUTE format('CREATE TABLE %s_%s PARTITION OF %s FOR VALUES FROM (%L) TO (%L)', parent, n, parent,
                    bounds[1], bounds[2]);
            END LOOP;
        END LOOP;
    END $do$";
