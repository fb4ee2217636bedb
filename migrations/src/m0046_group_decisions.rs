//! What operators decided about groups of dead letters.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0046_group_decisions", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // `owner` is the tenant that decided for itself, or '' for whoever looks after all of them.
    "CREATE TABLE dead_letter_decision (
        owner text NOT NULL,
        fingerprint text NOT NULL,
        state text NOT NULL CHECK (state IN ('open', 'resolved', 'ignored')),
        until_at bigint,
        until_count integer,
        note text,
        decided_by text NOT NULL,
        decided_at bigint NOT NULL,
        PRIMARY KEY (owner, fingerprint)
    )",
    "CREATE INDEX dead_letter_decision_age ON dead_letter_decision (owner, decided_at)",
];
