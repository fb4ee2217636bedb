//! Attributes that definitions of workflows declare.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0065_definition_attributes", &[STATEMENTS]);

// Another scope, which the check of the table does not allow. It is small: it is made again, on both databases alike.
const STATEMENTS: &[&str] = &[
    "CREATE TABLE attribute_declaration_next (
        tenant text NOT NULL,
        scope text NOT NULL CHECK (scope IN ('tenant', 'jobType', 'workflow', 'definition')),
        owner text NOT NULL,
        name text NOT NULL,
        id bigint NOT NULL,
        kind text NOT NULL,
        path text,
        since bigint NOT NULL,
        PRIMARY KEY (tenant, scope, owner, name)
    )",
    "INSERT INTO attribute_declaration_next (tenant, scope, owner, name, id, kind, path, since)
     SELECT tenant, scope, owner, name, id, kind, path, since FROM attribute_declaration",
    "DROP TABLE attribute_declaration",
    "ALTER TABLE attribute_declaration_next RENAME TO attribute_declaration",
];
