//! Webhooks: endpoints, deliveries, and the keys that tell a delivery that came before.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0004_webhooks", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // `config` is JSON and holds no secret.
    "CREATE TABLE webhook (
        id {uuid} PRIMARY KEY,
        tenant text NOT NULL,
        name text NOT NULL,
        config text NOT NULL,
        is_paused smallint NOT NULL,
        version bigint NOT NULL,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        UNIQUE (tenant, name)
    ) {hot}",
    "CREATE INDEX webhook_tenant ON webhook (tenant, id)",
    // Encrypted under a key that is not in the database.
    "CREATE TABLE webhook_secret (
        id {uuid} PRIMARY KEY,
        webhook_id {uuid} NOT NULL,
        purpose text NOT NULL CHECK (purpose IN ('signature', 'verify_token')),
        key_id text NOT NULL,
        sealed {bytes} NOT NULL,
        created_at bigint NOT NULL,
        expires_at bigint
    )",
    "CREATE INDEX webhook_secret_webhook ON webhook_secret (webhook_id)",
    "CREATE TABLE webhook_delivery (
        id {uuid} PRIMARY KEY,
        webhook_id {uuid} NOT NULL,
        tenant text NOT NULL,
        status text NOT NULL CHECK (status IN
            ('accepted', 'matched', 'unmatched', 'parked', 'duplicate', 'rejected', 'handshake')),
        reason text,
        event_type text,
        provider_event_id text,
        secret_id {uuid},
        job_id {uuid},
        duplicate_of {uuid},
        replay_of {uuid},
        remote_address text,
        method text NOT NULL,
        target text NOT NULL,
        headers text NOT NULL,
        body_bytes integer NOT NULL,
        traceparent text,
        received_at bigint NOT NULL,
        processed_at bigint,
        outcome text,
        executions text
    )",
    "CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook_id, id)",
    "CREATE INDEX webhook_delivery_tenant ON webhook_delivery (tenant, id)",
    "CREATE INDEX webhook_delivery_age ON webhook_delivery (received_at)",
    // The few that somebody has to look at, and those of which only the newest are kept.
    "CREATE INDEX webhook_delivery_parked ON webhook_delivery (tenant, id) WHERE status = 'parked'",
    "CREATE INDEX webhook_delivery_rejected ON webhook_delivery (webhook_id, id) WHERE status = 'rejected'",
    // Exact bytes, out of the row that lists read.
    "CREATE TABLE webhook_body (
        delivery_id {uuid} PRIMARY KEY,
        body {bytes} NOT NULL
    )",
    // What was seen: the digest of a signature, or of what names a delivery. Unique by the key, whoever inserts.
    "CREATE TABLE webhook_guard (
        webhook_id {uuid} NOT NULL,
        digest {bytes} NOT NULL,
        delivery_id {uuid} NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (webhook_id, digest)
    )",
    "CREATE INDEX webhook_guard_expiry ON webhook_guard (expires_at)",
];
