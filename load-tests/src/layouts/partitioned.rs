//! The narrow row with its history in partitions that are dropped: by the day on which jobs end, or by that on which they
//! were made, which is the first part of their ids.

use super::narrow::{CLAIM, ENQUEUE, JOB, SETTLE};
use super::{Layout, Prune, QUEUE};

pub(super) const BY_END: Layout = Layout {
    name: "narrow, history by end day",
    about: "the same with a partition of the history for each day on which jobs end, dropped when its time has come; ids are \
            unique within a partition only, and each enqueue looks into all of them for ids that have ended",
    schema: &[
        QUEUE,
        JOB,
        DONE_BY_END,
        "
        DO $do$
        DECLARE today bigint := floor(extract(epoch FROM clock_timestamp()) / 86400)::bigint;
        BEGIN
            FOR n IN 0 .. 8 LOOP
                EXECUTE format('CREATE TABLE done_%s PARTITION OF done FOR VALUES FROM (%s) TO (%s)', n,
                    (today + n - 7) * 86400000, (today + n - 6) * 86400000);
                EXECUTE format('CREATE UNIQUE INDEX done_%s_id ON done_%s (id)', n, n);
            END LOOP;
        END $do$",
    ],
    enqueue: ENQUEUE,
    claim: CLAIM,
    is_serial: true,
    settle: SETTLE,
    settle_one: None,
    ended: "SELECT count(*) FROM done",
    prune: Prune::Drop("DROP TABLE done_7"),
};

pub(super) const BY_ID: Layout = Layout {
    name: "narrow, history by day of the id",
    about: "the same with a partition for each day on which jobs were made, by the time in their ids: an id is unique in all \
            of them, and is looked for in one; a day is dropped when all that was made in it has ended and had its time",
    schema: &[QUEUE, JOB, DONE_BY_ID, "
        DO $do$
        DECLARE
            today bigint := floor(extract(epoch FROM clock_timestamp()) / 86400)::bigint;
            bounds text[];
        BEGIN
            FOR n IN 0 .. 8 LOOP
                bounds := ARRAY(SELECT lpad(to_hex((today + d) * 86400000), 12, '0') || repeat('0', 20)
                    FROM UNNEST(ARRAY[n - 7, n - 6]) AS d);
                EXECUTE format('CREATE TABLE done_%s PARTITION OF done FOR VALUES FROM (%L) TO (%L)', n, bounds[1], bounds[2]);
            END LOOP;
        END $do$"],
    ..BY_END
};

const DONE_BY_END: &str = "
    CREATE TABLE done (
        id uuid NOT NULL, created_at bigint NOT NULL, started_at bigint, finished_at bigint NOT NULL,
        lane integer NOT NULL, worker integer, status smallint NOT NULL, attempt smallint NOT NULL,
        lease_token uuid, run_at bigint, queued_at bigint, execution_id uuid, more text, error text, result text,
        data text NOT NULL
    ) PARTITION BY RANGE (finished_at);
    CREATE INDEX done_lane ON done (lane, id);
    CREATE INDEX done_ended ON done USING brin (finished_at)";

const DONE_BY_ID: &str = "
    CREATE TABLE done (
        id uuid PRIMARY KEY, created_at bigint NOT NULL, started_at bigint, finished_at bigint NOT NULL,
        lane integer NOT NULL, worker integer, status smallint NOT NULL, attempt smallint NOT NULL,
        lease_token uuid, run_at bigint, queued_at bigint, execution_id uuid, more text, error text, result text,
        data text NOT NULL
    ) PARTITION BY RANGE (id);
    CREATE INDEX done_lane ON done (lane, id);
    CREATE INDEX done_ended ON done USING brin (finished_at)";
