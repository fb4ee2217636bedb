//! Alerts: rules and routes that operators set, silences, alerts as they stand, notifications to send.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0025_alerts", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // `spec` is JSON.
    "CREATE TABLE alert_spec (
        kind text NOT NULL CHECK (kind IN ('rule', 'route')),
        name text NOT NULL,
        spec text NOT NULL,
        secret_id {uuid},
        key_id text,
        sealed {bytes},
        changed_at bigint NOT NULL,
        PRIMARY KEY (kind, name)
    )",
    "CREATE TABLE alert_silence (
        id {uuid} PRIMARY KEY,
        rule text,
        labels text NOT NULL,
        until_at bigint NOT NULL,
        reason text NOT NULL,
        created_by text NOT NULL,
        created_at bigint NOT NULL
    )",
    // Who evaluates. One row: whoever writes alerts holds it, so that nobody else does.
    "CREATE TABLE alert_turn (
        id smallint PRIMARY KEY,
        holder {uuid},
        until_at bigint NOT NULL
    ) {one_page}",
    "INSERT INTO alert_turn (id, until_at) VALUES (0, 0)",
    "CREATE TABLE alert (
        id {uuid} PRIMARY KEY,
        rule text NOT NULL,
        labels text NOT NULL,
        severity text NOT NULL,
        status text NOT NULL CHECK (status IN ('pending', 'firing', 'resolved')),
        value double precision NOT NULL,
        threshold double precision NOT NULL,
        summary text NOT NULL,
        started_at bigint NOT NULL,
        fired_at bigint,
        clear_since bigint,
        resolved_at bigint,
        silenced_by {uuid},
        notified_at bigint
    )",
    // One alert for a rule and labels over all nodes.
    "CREATE UNIQUE INDEX alert_open ON alert (rule, labels) WHERE status <> 'resolved'",
    "CREATE INDEX alert_resolved ON alert (resolved_at) WHERE resolved_at IS NOT NULL",
    "CREATE TABLE alert_notification (
        id {uuid} PRIMARY KEY,
        alert_id {uuid},
        route text NOT NULL,
        kind text NOT NULL,
        body text NOT NULL,
        status text NOT NULL CHECK (status IN ('pending', 'sent', 'failed')),
        tries integer NOT NULL,
        due_at bigint NOT NULL,
        error text,
        created_at bigint NOT NULL,
        sent_at bigint
    )",
    "CREATE INDEX alert_notification_due ON alert_notification (due_at) WHERE status = 'pending'",
    "CREATE INDEX alert_notification_age ON alert_notification (created_at)",
    // New dead letters, whoever has resolved them meanwhile.
    "CREATE INDEX dead_letter_growth ON dead_letter (died_at)",
];
