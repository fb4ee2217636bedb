//! Dispatch: the mode of all nodes, the nodes that are there, and the shards of relays.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0043_dispatch", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // One row: the mode of the nodes that are there, and whether relays make no more offers.
    "CREATE TABLE dispatch (
        id smallint PRIMARY KEY,
        mode text NOT NULL CHECK (mode IN ('polling', 'kafka_outbox')),
        is_draining integer NOT NULL,
        changed_at bigint NOT NULL
    ) {one_page}",
    "INSERT INTO dispatch (id, mode, is_draining, changed_at) VALUES (1, 'polling', 0, 0)",
    "CREATE TABLE dispatch_node (
        id {uuid} PRIMARY KEY,
        name text NOT NULL,
        mode text NOT NULL,
        relays integer NOT NULL,
        until bigint NOT NULL,
        broker_away_since bigint
    ) {one_page}",
    // Whoever has a shard makes the offers of its job types. `term` grows with each new owner.
    "CREATE TABLE dispatch_shard (
        shard integer PRIMARY KEY,
        owner {uuid},
        term bigint NOT NULL,
        until bigint NOT NULL
    ) {one_page}",
    "INSERT INTO dispatch_shard (shard, owner, term, until)
     VALUES (0, NULL, 0, 0), (1, NULL, 0, 0), (2, NULL, 0, 0), (3, NULL, 0, 0),
        (4, NULL, 0, 0), (5, NULL, 0, 0), (6, NULL, 0, 0), (7, NULL, 0, 0)",
    // How often the job was offered and nobody took it.
    "ALTER TABLE job ADD COLUMN offers_returned integer NOT NULL DEFAULT 0",
];
