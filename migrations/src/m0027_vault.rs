//! Secrets of tenants may rest in a secret manager: the words of their providers are the code's business, not the table's.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0027_vault", &[STATEMENTS]);

// SQLite cannot take a check from a column: the table is made anew. A tenant has a thousand rows at most.
const STATEMENTS: &[&str] = &[
    "CREATE TABLE tenant_secret_next (
        tenant text NOT NULL,
        name text NOT NULL,
        id {uuid} NOT NULL,
        provider text NOT NULL,
        reference text,
        hosts text NOT NULL,
        key_id text,
        sealed {bytes},
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        PRIMARY KEY (tenant, name)
    )",
    "INSERT INTO tenant_secret_next (tenant, name, id, provider, reference, hosts, key_id, sealed, created_at, updated_at)
     SELECT tenant, name, id, provider, reference, hosts, key_id, sealed, created_at, updated_at FROM tenant_secret",
    "DROP TABLE tenant_secret",
    "ALTER TABLE tenant_secret_next RENAME TO tenant_secret",
];
