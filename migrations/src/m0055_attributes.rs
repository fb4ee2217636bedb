//! Searchable attributes: what is declared, and the values of jobs and executions beside their rows.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0055_attributes", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // A tenant that has ever declared anything: the lock of its declarations, and the sign that there may be values.
    "CREATE TABLE attribute_tenant (
        tenant text PRIMARY KEY,
        changed_at bigint NOT NULL
    )",
    // `id` follows from tenant, name and type.
    "CREATE TABLE attribute_declaration (
        tenant text NOT NULL,
        scope text NOT NULL CHECK (scope IN ('tenant', 'jobType', 'workflow')),
        owner text NOT NULL,
        name text NOT NULL,
        id bigint NOT NULL,
        kind text NOT NULL,
        path text,
        since bigint NOT NULL,
        PRIMARY KEY (tenant, scope, owner, name)
    )",
    // Values by attribute, in the order of their bytes, which is the order of the values; objects of one value in the order
    // in which they were made.
    "CREATE TABLE attribute_value (
        attribute bigint NOT NULL,
        value text {bytewise} NOT NULL,
        object {uuid} NOT NULL,
        PRIMARY KEY (attribute, value, object)
    )",
    "CREATE INDEX attribute_value_object ON attribute_value (object)",
];
