//! Looks at settings as a start would, without starting anything or opening the database.

use anyhow::{Context, Result, anyhow, bail};
use secrecy::ExposeSecret as _;
use settings::{DatabaseKind, Settings};
use store::StoreError;
use store_sql::{SchemaState, SqlStore};
use telemetry::{LogFilter, LogFormat};

use crate::serve::{doors, engine, outside, parts};

/// Fails with the first setting that a start would refuse.
pub(crate) fn settings(settings: &Settings) -> Result<()> {
    LogFormat::parse(settings.log.format.as_str()).context("unknown log format in the settings")?;
    LogFilter::check(&settings.log.filter)?;
    engine::secret_keys(settings)?;
    doors::check(settings)?;
    parts::egress_options(settings)?;
    parts::api_options(settings)?;
    parts::notification_sender(settings)?;
    outside::check(settings)?;
    let database = &settings.database;
    if DatabaseKind::of(database.url.expose_secret()) == Some(DatabaseKind::Postgres) {
        outside::authorities(&database.tls_ca, "database.tls_ca")?;
    }
    engine::Shared::of(settings).map(drop)
}

// What is wrong with the schema of a database, and what to do about it.

/// What the library of migrations says about a schema that is newer than the list it knows.
const NEWER: &str = "migration has been applied but its file is missing";

/// Fails where no server of this version works with the schema. That of a later version may do.
pub(crate) async fn require_workable(store: &SqlStore) -> Result<()> {
    let SchemaState::Later(later) = store.schema_state().await? else {
        return require(store).await;
    };
    tracing::info!(
        migrations = later.join(", "),
        "the database was migrated by a later version, and this version is compatible with it"
    );
    Ok(())
}

/// Fails where the schema is not the one of this version.
pub(crate) async fn require(store: &SqlStore) -> Result<()> {
    match store.schema_state().await? {
        SchemaState::Current => Ok(()),
        SchemaState::Absent => bail!(
            "the database has no schema yet: run `trunkline migrate`, or start without --no-migrate \
             (database.migrate = true)"
        ),
        SchemaState::Behind(pending) => bail!(
            "the schema is older than this version ({} to be applied: {}): run `trunkline migrate`, or start without \
             --no-migrate (database.migrate = true)",
            pending.len(),
            pending.join(", ")
        ),
        SchemaState::Later(newer) | SchemaState::Newer(newer) => Err(newer_schema(&newer.join(", "))),
    }
}

/// An error of opening the store, with what to do where that is known.
pub(crate) fn explain(error: StoreError) -> anyhow::Error {
    match &error {
        StoreError::Refused { statement: "migrate", source } if source.to_string().contains(NEWER) => {
            newer_schema("see the table seaql_migrations")
        }
        _ => anyhow!(error),
    }
}

fn newer_schema(what: &str) -> anyhow::Error {
    anyhow!(
        "the schema is newer than this version of Trunkline ({what}): start the version that migrated it, or a later one; \
         schemas are never downgraded"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_schema_is_distinguished() {
        let source = "Migration file of version 'm0099_x' is missing, this migration has been applied but its file is missing";
        let error = StoreError::Refused { statement: "migrate", source: source.into() };
        assert!(explain(error).to_string().contains("newer than this version"));
        let other = StoreError::Refused { statement: "migrate", source: "disk".into() };
        assert!(!explain(other).to_string().contains("newer"));
    }
}
