//! The chain of the audit log: more of each row, seals beside the rows, and where the chain begins and ends.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0026_audit", &[STATEMENTS]);

// Null in the rows that were there. Rows of the log are never updated: what seals them is a table of its own.
const STATEMENTS: &[&str] = &[
    "ALTER TABLE audit ADD COLUMN door text",
    "ALTER TABLE audit ADD COLUMN outcome text",
    "ALTER TABLE audit ADD COLUMN reason text",
    "ALTER TABLE audit ADD COLUMN before_change text",
    "ALTER TABLE audit ADD COLUMN after_change text",
    "ALTER TABLE audit ADD COLUMN batch text",
    "CREATE INDEX audit_tenant ON audit (tenant, id)",
    "CREATE TABLE audit_seal (
        seq bigint PRIMARY KEY,
        audit_id {uuid} NOT NULL UNIQUE,
        prev_hash {bytes} NOT NULL,
        hash {bytes} NOT NULL
    )",
    // One row. The head is what the last seal has to be, the anchor the last one that retention has removed.
    "CREATE TABLE audit_chain (
        id smallint PRIMARY KEY CHECK (id = 1),
        head_seq bigint NOT NULL,
        head_hash {bytes} NOT NULL,
        anchor_seq bigint NOT NULL,
        anchor_hash {bytes} NOT NULL
    ) {one_page}",
];
