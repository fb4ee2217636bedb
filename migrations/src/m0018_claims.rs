//! Who has claimed a user task, and whom an API key stands for.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0018_claims", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE user_task ADD COLUMN claimed_by text",
    "ALTER TABLE user_task ADD COLUMN claimed_at bigint",
    "ALTER TABLE api_key ADD COLUMN person text",
    // A list as JSON; null for none.
    "ALTER TABLE api_key ADD COLUMN member_of text",
];
