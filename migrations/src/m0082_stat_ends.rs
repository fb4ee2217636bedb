//! How long jobs took from their creation to their end, in the figures over time.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0082_stat_ends", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // The buckets of a histogram, as those of `wait_…` and `run_…`. What was counted before has none.
    "ALTER TABLE stat ADD COLUMN end_to_end_0 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_1 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_2 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_3 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_4 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_5 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_6 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_7 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_8 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_9 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_10 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_11 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_12 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_13 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_14 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_15 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_16 bigint NOT NULL DEFAULT 0",
    "ALTER TABLE stat ADD COLUMN end_to_end_17 bigint NOT NULL DEFAULT 0",
];
