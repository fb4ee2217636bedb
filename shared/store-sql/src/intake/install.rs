//! The functions of applications: made, granted to roles, listed, taken away. PostgreSQL only.

use std::error::Error;
use std::fmt;

use domain::names::{TENANT_DEFAULT, TenantName};
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::{StoreError, StoreResult};

use crate::SqlStore;
use crate::errors::classify;
use crate::pool::commit;
use crate::rows::Row;
use crate::schema_name::{Database, SchemaName};
use crate::sql::Sql;

const INSTALL: &str = include_str!("../../sql/intake_install.sql");
/// Checks of arguments, of the functions here and of those of an outbox.
pub(super) const CHECKS: &str = include_str!("../../sql/intake_checks.sql");
const GRANT: &str = include_str!("../../sql/intake_grant.sql");
const UNINSTALL: &str = include_str!("../../sql/intake_uninstall.sql");

/// Functions in the two schemas that are ours and can be made again: not the trigger's, and not one of the same name that
/// an application has there.
const OURS: &str = "SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE p.prorettype <> 'trigger'::regtype AND (n.nspname = @store_text@ AND p.proname LIKE 'intake\\_%' OR
            n.nspname = @api_text@ AND p.proname IN ('enqueue', 'start', 'signal', 'send_event') AND p.prosrc LIKE '%intake\\_caller()%')";

/// Those of them that applications call.
const OFFERED: &str = "SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = @api_text@ AND p.proname IN ('enqueue', 'start', 'signal', 'send_event') AND p.prosrc LIKE '%intake\\_caller()%'";

static ROLES: Sql = Sql::new("intake_roles", "SELECT role, tenant FROM intake_role ORDER BY role");

static TENANT_OF: Sql =
    Sql::new("intake_tenant_of_role", "SELECT tenant FROM intake_role WHERE role = $1 {for_update}");

static WAITING: Sql =
    Sql::new("intake_waiting", "SELECT count(*) AS rows FROM intake WHERE refused_at IS NULL");

static REFUSED: Sql = Sql::new(
    "intake_refused",
    "SELECT kind, subject, tenant, name, refused_at, refusal FROM intake WHERE refused_at IS NOT NULL
     ORDER BY refused_at DESC LIMIT $1",
);

/// The schema of the functions. Its name can stand in statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeSchema(pub(super) SchemaName);

impl IntakeSchema {
    /// Reads a name.
    pub fn parse(name: &str) -> Result<Self, UnusableName> {
        SchemaName::parse(name).map(Self).map_err(|_| UnusableName)
    }

    /// The name without quotes.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// A role of the database, with a name that can be used in statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeRole(pub(super) SchemaName);

impl IntakeRole {
    /// Reads a name. Schemas and roles are named by the same rules.
    pub fn parse(name: &str) -> Result<Self, UnusableName> {
        SchemaName::parse(name).map(Self).map_err(|_| UnusableName)
    }

    /// The name without quotes.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// A name that cannot be used in statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnusableName;

impl fmt::Display for UnusableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "expected a name of 1 to 63 bytes without double quotes, dollar signs and control characters",
        )
    }
}

impl Error for UnusableName {}

/// A role of the database that may call the functions, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeInstall {
    /// The schema of the functions.
    pub schema: IntakeSchema,
    /// The role; made, without a login, where there is none.
    pub role: IntakeRole,
    /// The tenant of everything that the role requests. Without one, a role keeps its tenant, and a new role gets `default`.
    pub tenant: Option<TenantName>,
}

/// For whom a role calls the functions since they were installed for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleTenant {
    /// The tenant of everything that it asks for.
    pub tenant: TenantName,
    /// The one before, where the role was there.
    pub before: Option<TenantName>,
}

/// What is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledIntake {
    /// Roles and their tenants.
    pub roles: Vec<(String, TenantName)>,
    /// How many calls are committed and not taken yet.
    pub waiting: u64,
    /// Calls that could not be carried out, the latest first.
    pub refused: Vec<RefusedIntake>,
}

/// A call that was committed and could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedIntake {
    /// `enqueue`, `start`, `signal` or `event`.
    pub kind: String,
    /// The id that the call returned, without its prefix.
    pub subject: String,
    /// Whose it was.
    pub tenant: TenantName,
    /// Job type, workflow, or name of the signal or event.
    pub name: String,
    /// When it was refused.
    pub refused_at: Timestamp,
    /// Why, for people.
    pub reason: String,
}

impl SqlStore {
    /// Creates or replaces the functions, and grants them to a role, in one transaction. Returns the role's tenant.
    pub async fn install_intake(&self, install: &IntakeInstall) -> StoreResult<RoleTenant> {
        let name = "install_intake";
        let role = &install.role.0;
        let script = self.script(name, &format!("{INSTALL}\n{GRANT}"), &install.schema)?;
        let transaction = self.pool().begin().await?;
        let before = TENANT_OF.first(&transaction, vec![role.as_str().into()]).await?;
        let before = before
            .map(|row| Row::new("intake_role", &row).name("tenant", TenantName::trusted))
            .transpose()?;
        let tenant = install.tenant.clone().or_else(|| before.clone());
        let tenant = tenant.unwrap_or_else(|| TenantName::trusted(TENANT_DEFAULT));
        let text = script
            .replace("@role@", &role.to_string())
            .replace("@role_text@", &literal(role.as_str()))
            .replace("@tenant_text@", &literal(tenant.as_str()));
        transaction.execute_unprepared(&text).await.map_err(|error| classify(name, error))?;
        commit(transaction).await?;
        Ok(RoleTenant { tenant, before })
    }

    /// Takes the functions away from everybody. What waits in the intake is still taken.
    pub async fn uninstall_intake(&self, schema: &IntakeSchema) -> StoreResult<()> {
        let name = "uninstall_intake";
        let script = self.script(name, UNINSTALL, schema)?;
        let transaction = self.pool().begin().await?;
        transaction.execute_unprepared(&script).await.map_err(|error| classify(name, error))?;
        commit(transaction).await
    }

    /// What is installed, and the last calls that were refused.
    pub async fn installed_intake(&self, refused_max: u32) -> StoreResult<InstalledIntake> {
        let on = self.pool().read();
        let roles = ROLES.all(on, vec![]).await?;
        let role_of = |row| {
            let row = Row::new("intake_role", row);
            Ok((row.text("role")?, row.name("tenant", TenantName::trusted)?))
        };
        let roles = roles.iter().map(role_of).collect::<StoreResult<_>>()?;
        let waiting = WAITING.first(on, vec![]).await?;
        let waiting = waiting.map(|row| Row::new("intake", &row).long("rows")).transpose()?;
        let refused = REFUSED.all(on, vec![i64::from(refused_max).into()]).await?;
        let refused_of = |row| {
            let row = Row::new("intake", row);
            Ok(RefusedIntake {
                kind: row.text("kind")?,
                subject: row.uuid("subject")?.simple().to_string(),
                tenant: row.name("tenant", TenantName::trusted)?,
                name: row.text("name")?,
                refused_at: row.instant("refused_at")?,
                reason: row.text_or_null("refusal")?.unwrap_or_default(),
            })
        };
        let refused = refused.iter().map(refused_of).collect::<StoreResult<_>>()?;
        Ok(InstalledIntake { roles, waiting: waiting.unwrap_or(0).unsigned_abs(), refused })
    }

    /// A script with the names of both schemas.
    fn script(&self, name: &'static str, script: &str, schema: &IntakeSchema) -> StoreResult<String> {
        let Database::Postgres { schema: tables, .. } = self.database() else {
            let source = "these functions are for PostgreSQL; SQLite has one process that writes".into();
            return Err(StoreError::Refused { statement: name, source });
        };
        Ok(script
            .replace("@checks@", CHECKS)
            .replace("@ours@", OURS)
            .replace("@offered@", OFFERED)
            .replace("@api@", &schema.0.to_string())
            .replace("@api_text@", &literal(schema.0.as_str()))
            .replace("@store@", &tables.to_string())
            .replace("@store_text@", &literal(tables.as_str())))
    }
}

/// Text as it stands in a statement.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_end_their_literals() {
        assert_eq!(literal("it's"), "'it''s'");
        for name in ["a\"b", "a$b", "", "a\nb"] {
            assert_eq!(IntakeSchema::parse(name), Err(UnusableName), "{name}");
            assert_eq!(IntakeRole::parse(name), Err(UnusableName), "{name}");
        }
    }
}
