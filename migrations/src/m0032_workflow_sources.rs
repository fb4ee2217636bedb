//! Where the nodes of versions are in the source that they were compiled from, beside the versions.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0032_workflow_sources", &[STATEMENTS]);

const STATEMENTS: &[&str] = &["CREATE TABLE workflow_source (
        owner text NOT NULL,
        name text NOT NULL,
        version integer NOT NULL,
        source text NOT NULL,
        stored_at bigint NOT NULL,
        PRIMARY KEY (owner, name, version)
    )"];
