//! Starts of triggers that are put off: gathered from several events, or waiting for their turn under a rate.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0053_put_off_starts", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // 'gathering' takes further events until it is due; 'throttled' waits for a place under its rate, in the order of its
    // place; 'ready' waits for nothing; 'starting' is answered again when it is due and nobody has recorded its end.
    "CREATE TABLE put_off_start (
        place {identity},
        id {uuid} NOT NULL UNIQUE,
        tenant text NOT NULL,
        owner {uuid} NOT NULL,
        trigger_id text NOT NULL,
        gather_key text,
        throttle_key text,
        rate text,
        state text NOT NULL CHECK (state IN ('gathering', 'throttled', 'ready', 'starting')),
        first_at bigint NOT NULL,
        due_at bigint NOT NULL,
        events integer NOT NULL,
        bytes bigint NOT NULL,
        last_delivery {uuid} NOT NULL,
        request text NOT NULL
    ) {hot}",
    "CREATE UNIQUE INDEX put_off_start_gathering ON put_off_start (owner, trigger_id, gather_key)
        WHERE state = 'gathering'",
    "CREATE INDEX put_off_start_due ON put_off_start (due_at) WHERE state <> 'throttled'",
    "CREATE INDEX put_off_start_throttled ON put_off_start (owner, trigger_id, throttle_key, place)
        WHERE state = 'throttled'",
    // The events of a start, and how it ended: `result` is null until then. They go with their deliveries.
    "CREATE TABLE put_off_event (
        delivery_id {uuid} NOT NULL,
        trigger_id text NOT NULL,
        start_id {uuid} NOT NULL,
        entry text,
        result text,
        execution_id {uuid},
        failure text,
        PRIMARY KEY (delivery_id, trigger_id)
    ) {hot}",
    "CREATE INDEX put_off_event_waits ON put_off_event (start_id, delivery_id) WHERE result IS NULL",
    // Keys under which starts are counted or wait for a place. `free_at` is when there is one as far as was known at the
    // last look, `next_at` when to look again: for who waits, or, where nobody does, to forget the count.
    "CREATE TABLE start_throttle (
        owner {uuid} NOT NULL,
        trigger_id text NOT NULL,
        throttle_key text NOT NULL,
        free_at bigint NOT NULL,
        next_at bigint NOT NULL,
        counted text,
        PRIMARY KEY (owner, trigger_id, throttle_key)
    ) {hot}",
    "CREATE INDEX start_throttle_next ON start_throttle (next_at)",
];
