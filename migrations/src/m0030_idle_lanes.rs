//! Lanes that nobody uses go: when they were marked for that, and from when on any may go.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration =
    SqlMigration::new("m0030_idle_lanes", &[STATEMENTS]).on_postgres(POSTGRES);

const STATEMENTS: &[&str] = &[
    // No job may be inserted into a lane that has a mark: it is about to go.
    "ALTER TABLE lane ADD COLUMN mark bigint",
    "CREATE TABLE lane_removal (id smallint PRIMARY KEY, starts_at bigint NOT NULL)",
    "INSERT INTO lane_removal (id, starts_at) VALUES (1, 0)",
];

const POSTGRES: &[&str] = &[
    // Nodes of a version before may still run, and insert into a lane without asking whether it is marked: none goes for a
    // day where there are any.
    "UPDATE lane_removal SET starts_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 86400000
     WHERE EXISTS (SELECT 1 FROM lane)",
    // `job.lane` has 32 bits. Numbers begin anew where they have been through; by then those at the beginning are free.
    "ALTER TABLE lane ALTER COLUMN id SET MAXVALUE 2147483647 SET CYCLE",
];
