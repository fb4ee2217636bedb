//! What keys are limited to, when they end and were used, their rotation, and where a line of the audit log came from.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0017_keys", &[STATEMENTS]);

// Null in the rows that were there: no scopes, from everywhere, with payloads, without an end, as before.
const STATEMENTS: &[&str] = &[
    // `call`, `first` or `settings`; null where nobody noted it.
    "ALTER TABLE api_key ADD COLUMN source text",
    "ALTER TABLE api_key ADD COLUMN scopes text",
    "ALTER TABLE api_key ADD COLUMN networks text",
    "ALTER TABLE api_key ADD COLUMN hides_payloads integer",
    "ALTER TABLE api_key ADD COLUMN expires_at bigint",
    "ALTER TABLE api_key ADD COLUMN last_used_at bigint",
    "ALTER TABLE api_key ADD COLUMN rotated_at bigint",
    // The secret before the last rotation, and until when it holds.
    "ALTER TABLE api_key ADD COLUMN previous_digest {bytes}",
    "ALTER TABLE api_key ADD COLUMN previous_until bigint",
    "CREATE INDEX api_key_previous ON api_key (previous_digest) WHERE previous_digest IS NOT NULL",
    "ALTER TABLE audit ADD COLUMN address text",
    "ALTER TABLE audit ADD COLUMN user_agent text",
    "ALTER TABLE audit ADD COLUMN request_id text",
];
