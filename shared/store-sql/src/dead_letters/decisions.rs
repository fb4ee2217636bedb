//! Decisions about groups of dead letters, and what is counted of the groups.

use std::collections::HashMap;

use domain::access::TenantScope;
use domain::failure::{
    DeadLetterStatus, DeathsSince, GroupDecision, GroupState, IGNORE_COUNT_MAX, IgnoreUntil, IgnoredVersion,
};
use domain::names::{TenantName, WorkflowName};
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::audit::AuditRecord;
use store::dead_letters::{GROUP_DECISIONS_MAX, GROUP_TENANTS_MAX, GroupFacts};

use super::counts::{COUNTS, HOURS, of_tenants};
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;
use crate::{audit, bind};

/// The owner of decisions whose maker is bound to no tenant.
const UNBOUND: &str = "";

const HOUR_MS: i64 = 3_600_000;

/// How many of the newest dead letters of each status are looked at for the version that a group waits for.
const OF_VERSION_MAX: u32 = 3_000;

/// Each status by name: the index by fingerprint has it before the instant.
const ANY_STATUS: &str = "d.status IN ('open', 'requeued', 'archived')";

static DECIDE: Sql = Sql::new(
    "decide_dead_letter_group",
    "INSERT INTO dead_letter_decision (owner, fingerprint, state, until_at, until_count, until_workflow, until_version,
       note, decided_by, decided_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (owner, fingerprint) DO UPDATE SET state = excluded.state, until_at = excluded.until_at,
       until_count = excluded.until_count, until_workflow = excluded.until_workflow,
       until_version = excluded.until_version, note = excluded.note, decided_by = excluded.decided_by,
       decided_at = excluded.decided_at",
);

// Index: dead_letter_decision_age. $2 how many stay
static FORGET: Sql = Sql::new(
    "forget_dead_letter_decisions",
    "DELETE FROM dead_letter_decision WHERE owner = $1 AND fingerprint IN (
         SELECT fingerprint FROM dead_letter_decision WHERE owner = $1
         ORDER BY decided_at DESC, fingerprint LIMIT 100 OFFSET $2)",
);

/// `DeadLetterStore::decide_dead_letter_group`.
pub(super) async fn decide(
    pool: &Pool,
    scope: &TenantScope,
    fingerprint: &str,
    decision: &GroupDecision,
    lines: &[AuditRecord],
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let mut any = Select::new("dead_letter_of_group", "SELECT d.id FROM dead_letter d WHERE");
    any.push(ANY_STATUS);
    any.with("AND d.fingerprint = $?", fingerprint);
    any.with_some("AND d.tenant = $?", scope.tenant().map(TenantName::as_str));
    any.push("LIMIT 1");
    if any.first(&transaction).await?.is_none() {
        rollback(transaction).await;
        return Ok(false);
    }
    let values = vec![
        owner_of(scope).into(),
        fingerprint.into(),
        decision.state.as_str().into(),
        decision.until.instant.map(|instant| instant.0).into(),
        decision.until.count.and_then(|count| i32::try_from(count).ok()).into(),
        decision.until.version.as_ref().map(|until| until.workflow.as_str()).into(),
        decision.until.version.as_ref().and_then(|until| i32::try_from(until.version).ok()).into(),
        decision.note.clone().into(),
        decision.decided_by.as_str().into(),
        decision.decided_at.0.into(),
    ];
    DECIDE.run(&transaction, values).await?;
    FORGET.run(&transaction, vec![owner_of(scope).into(), i64::from(GROUP_DECISIONS_MAX).into()]).await?;
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit(transaction).await?;
    Ok(true)
}

/// `DeadLetterStore::dead_letter_group_facts`.
pub(super) async fn facts(
    pool: &Pool,
    scope: &TenantScope,
    tenant: Option<&TenantName>,
    fingerprints: &[String],
    trend_from: Timestamp,
) -> StoreResult<HashMap<String, GroupFacts>> {
    let mut facts: HashMap<String, GroupFacts> =
        fingerprints.iter().map(|fingerprint| (fingerprint.clone(), GroupFacts::default())).collect();
    if facts.is_empty() {
        return Ok(facts);
    }
    let wanted = Wanted { pool, scope, tenant, fingerprints };
    wanted.add_decisions(&mut facts).await?;
    wanted.add_trends(&mut facts, trend_from).await?;
    wanted.add_tenants(&mut facts).await?;
    Ok(facts)
}

/// Of which groups, within which tenants.
struct Wanted<'a> {
    pool: &'a Pool,
    scope: &'a TenantScope,
    tenant: Option<&'a TenantName>,
    fingerprints: &'a [String],
}

impl Wanted<'_> {
    /// Appends the condition on the fingerprints.
    fn of_groups(&self, select: &mut Select, condition: &str) {
        let texts = self.fingerprints.iter().map(String::as_str);
        select.with(condition, bind::texts(self.pool.dialect(), texts));
    }

    // Index: dead_letter_fingerprint or dead_letter_tenant_fingerprint, for each decision.
    async fn add_decisions(&self, facts: &mut HashMap<String, GroupFacts>) -> StoreResult<()> {
        let mut select = Select::new(
            "dead_letter_decisions",
            "SELECT s.fingerprint, s.state, s.until_at, s.until_count, s.until_workflow, s.until_version, s.note, s.decided_by,
               s.decided_at,
               (SELECT count(*) FROM (SELECT d.id FROM dead_letter d
                WHERE d.fingerprint = s.fingerprint AND d.died_at > s.decided_at AND",
        );
        select.push(ANY_STATUS);
        of_tenants(&mut select, "d", self.scope, self.tenant);
        select.push(&format!("LIMIT {IGNORE_COUNT_MAX}) since) AS deaths,"));
        self.push_version(&mut select);
        select.with("FROM dead_letter_decision s WHERE s.owner = $?", owner_of(self.scope));
        self.of_groups(&mut select, "AND s.fingerprint {any $? text}");
        for row in &select.all(self.pool.lists()).await? {
            let (fingerprint, decision, deaths) = decision_of(row)?;
            if let Some(group) = facts.get_mut(&fingerprint) {
                (group.decision, group.deaths) = (Some(decision), deaths);
            }
        }
        Ok(())
    }

    /// Whether something of the version that a decision waits for has died since: the newest first, and no further than the first.
    // Index: the same, and the key of execution.
    fn push_version(&self, select: &mut Select) {
        select.push("CASE WHEN s.until_version IS NULL THEN 0");
        for status in DeadLetterStatus::ALL {
            select.push(&format!(
                "WHEN EXISTS (SELECT 1 FROM (SELECT d.execution_id FROM dead_letter d
                   WHERE d.fingerprint = s.fingerprint AND d.status = '{}' AND d.died_at > s.decided_at",
                status.as_str()
            ));
            of_tenants(select, "d", self.scope, self.tenant);
            select.push(&format!(
                "ORDER BY d.died_at DESC, d.id DESC LIMIT {OF_VERSION_MAX}) n JOIN execution e ON e.id = n.execution_id
                   WHERE e.workflow = s.until_workflow AND e.version >= s.until_version) THEN 1"
            ));
        }
        select.push("ELSE 0 END AS of_version");
    }

    /// From the hour that is under way at `from` on.
    async fn add_trends(&self, facts: &mut HashMap<String, GroupFacts>, from: Timestamp) -> StoreResult<()> {
        let mut select = Select::new("dead_letter_trends", "SELECT d.fingerprint,");
        select.with("(d.at - $?) / 3600000 AS hour, CAST(sum(d.died) AS bigint) AS number", from.0);
        select.push(&format!("FROM {HOURS} WHERE true"));
        self.of_groups(&mut select, "AND d.fingerprint {any $? text}");
        select.with("AND d.at > $?", from.0 - HOUR_MS);
        of_tenants(&mut select, "d", self.scope, self.tenant);
        select.push("GROUP BY 1, 2 ORDER BY 1, 2");
        for row in &select.all(self.pool.lists()).await? {
            let row = Row::new("dead_letter_hour", row);
            if let Some(group) = facts.get_mut(&row.text("fingerprint")?) {
                let hour = u32::try_from(row.long("hour")?).unwrap_or(0);
                group.trend.push((hour, u64::try_from(row.long("number")?).unwrap_or(0)));
            }
        }
        Ok(())
    }

    async fn add_tenants(&self, facts: &mut HashMap<String, GroupFacts>) -> StoreResult<()> {
        let mut select = Select::new(
            "dead_letter_tenants",
            "SELECT r.fingerprint, r.tenant, r.number, r.tenants FROM (
               SELECT c.fingerprint, c.tenant, c.number,
                 row_number() OVER (PARTITION BY c.fingerprint ORDER BY c.number DESC, c.tenant) AS place,
                 count(*) OVER (PARTITION BY c.fingerprint) AS tenants
               FROM (SELECT d.fingerprint, d.tenant, CAST(sum(d.opened) AS bigint) AS number FROM",
        );
        select.push(&format!("{COUNTS} WHERE true"));
        self.of_groups(&mut select, "AND d.fingerprint {any $? text}");
        of_tenants(&mut select, "d", self.scope, self.tenant);
        select.push("GROUP BY d.fingerprint, d.tenant HAVING sum(d.opened) > 0) c) r");
        select.push(&format!("WHERE r.place <= {GROUP_TENANTS_MAX} ORDER BY r.fingerprint, r.place"));
        for row in &select.all(self.pool.lists()).await? {
            let row = Row::new("dead_letter", row);
            if let Some(group) = facts.get_mut(&row.text("fingerprint")?) {
                let number = u64::try_from(row.long("number")?).unwrap_or(0);
                group.tenants.push((row.name("tenant", TenantName::trusted)?, number));
                group.tenant_count = u64::try_from(row.long("tenants")?).unwrap_or(0);
            }
        }
        Ok(())
    }
}

fn decision_of(row: &QueryResult) -> StoreResult<(String, GroupDecision, DeathsSince)> {
    let row = Row::new("dead_letter_decision", row);
    let decision = GroupDecision {
        state: row.parsed("state", GroupState::parse)?,
        until: IgnoreUntil {
            instant: row.instant_or_null("until_at")?,
            count: row.count_or_null("until_count")?,
            version: until_version(row)?,
        },
        note: row.text_or_null("note")?,
        decided_by: row.text("decided_by")?,
        decided_at: row.instant("decided_at")?,
    };
    let deaths = DeathsSince {
        count: u64::try_from(row.long("deaths")?).unwrap_or(0),
        is_of_version: row.long("of_version")? != 0,
    };
    Ok((row.text("fingerprint")?, decision, deaths))
}

fn until_version(row: Row<'_>) -> StoreResult<Option<IgnoredVersion>> {
    let version = row.count_or_null("until_version")?;
    let workflow = row.name_or_null("until_workflow", WorkflowName::trusted)?;
    Ok(workflow.zip(version).map(|(workflow, version)| IgnoredVersion { workflow, version }))
}

fn owner_of(scope: &TenantScope) -> &str {
    scope.tenant().map_or(UNBOUND, TenantName::as_str)
}
