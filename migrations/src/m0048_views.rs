//! Saved views of lists.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0048_views", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // `tenant` is '' for views of whoever is bound to none. `spec` is JSON.
    "CREATE TABLE saved_view (
        id {uuid} PRIMARY KEY,
        tenant text NOT NULL,
        owner text NOT NULL,
        list text NOT NULL,
        is_shared smallint NOT NULL,
        spec text NOT NULL,
        created_at bigint NOT NULL,
        changed_at bigint NOT NULL
    )",
    "CREATE INDEX saved_view_owner ON saved_view (tenant, owner, id)",
    "CREATE INDEX saved_view_shared ON saved_view (tenant, id) WHERE is_shared = 1",
];
