//! Limits: how they are set and how those in force are shown.

use std::collections::BTreeMap;

use domain::limits::{LimitScope, LimitSource};
use domain::queue::QueueName;
use engine::{LimitEdit, LimitLine, LimitPart};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::json::fault_at;
use crate::problem::{ApiResult, Problem};

/// Limits to change, by queue. Absent queues keep their limits; null for a queue removes its overrides.
pub(crate) type LimitsBody = BTreeMap<String, Option<LimitChangesBody>>;

/// Limits of one queue. Absent fields keep their limit; null removes an override.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = LimitChanges)]
#[expect(clippy::struct_field_names, reason = "the names are the contract's")]
pub(crate) struct LimitChangesBody {
    /// Maximum number of concurrent jobs.
    #[serde(default)]
    #[schema(value_type = Option<u32>, required = false)]
    max_concurrent: LimitValue,
    /// Limit of each tenant without its own limit. Only on `/v1/limits`.
    #[serde(default)]
    #[schema(value_type = Option<u32>, required = false)]
    tenant_max_concurrent: LimitValue,
    /// Limit of each workflow without its own limit. Only on `/v1/limits`.
    #[serde(default)]
    #[schema(value_type = Option<u32>, required = false)]
    workflow_max_concurrent: LimitValue,
}

/// What a body says about one limit.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LimitValue {
    /// Nothing.
    #[default]
    Keep,
    /// Null: what was set is removed.
    Remove,
    /// A number.
    Set(u32),
}

impl<'de> Deserialize<'de> for LimitValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<u32>::deserialize(deserializer).map(|value| value.map_or(Self::Remove, Self::Set))
    }
}

/// The edits of a body. `has_defaults` tells whether the target has defaults for tenants and workflows.
pub(crate) fn edits(body: LimitsBody, has_defaults: bool) -> ApiResult<Vec<LimitEdit>> {
    let (mut edits, mut faults) = (Vec::new(), Vec::new());
    for (name, changes) in body {
        let Some(queue) = QueueName::parse(&name) else {
            let known = QueueName::ALL.map(QueueName::as_str).join(", ");
            faults.push(fault_at(&[&name], &format!("expected one of the queues {known}")));
            continue;
        };
        let of_default = if has_defaults { LimitValue::Remove } else { LimitValue::Keep };
        let changes = changes.unwrap_or(LimitChangesBody {
            max_concurrent: LimitValue::Remove,
            tenant_max_concurrent: of_default,
            workflow_max_concurrent: of_default,
        });
        let parts = [
            (LimitPart::Own, "maxConcurrent", changes.max_concurrent),
            (LimitPart::TenantDefault, "tenantMaxConcurrent", changes.tenant_max_concurrent),
            (LimitPart::WorkflowDefault, "workflowMaxConcurrent", changes.workflow_max_concurrent),
        ];
        for (part, field, value) in parts {
            let max_concurrent = match value {
                LimitValue::Keep => continue,
                LimitValue::Remove => None,
                LimitValue::Set(limit) => Some(Some(limit)),
            };
            if part == LimitPart::Own || has_defaults {
                edits.push(LimitEdit { queue, part, max_concurrent });
            } else {
                faults.push(fault_at(&[&name, field], "only the limits of all queues have defaults"));
            }
        }
    }
    if faults.is_empty() { Ok(edits) } else { Err(Problem::invalid(faults)) }
}

/// Effective limits, by queue.
pub(crate) type LimitsResponse = BTreeMap<&'static str, QueueLimitsResponse>;

/// Effective limits of one queue with their sources.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = QueueLimits)]
pub(crate) struct QueueLimitsResponse {
    /// Maximum number of concurrent jobs; null is unlimited.
    #[schema(required = true)]
    max_concurrent: Option<u32>,
    /// `override`, `definition`, `default` or `settings`.
    #[schema(value_type = String)]
    source: &'static str,
    /// Limit of each tenant without its own limit. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>)]
    tenant_max_concurrent: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    tenant_source: Option<&'static str>,
    /// Limit of each workflow without its own limit. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>)]
    workflow_max_concurrent: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    workflow_source: Option<&'static str>,
}

/// A limit; null is unlimited.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Number(Option<u32>);

/// The answer for the lines that the engine gave.
pub(crate) fn in_force(lines: Vec<LimitLine>) -> LimitsResponse {
    let mut limits = LimitsResponse::new();
    for LimitLine { queue, scope, max_concurrent, source } in lines {
        let shape = limits.entry(queue.as_str()).or_default();
        let source = source_word(source);
        match scope {
            LimitScope::TenantDefault => {
                shape.tenant_max_concurrent = Some(Number(max_concurrent));
                shape.tenant_source = Some(source);
            }
            LimitScope::WorkflowDefault => {
                shape.workflow_max_concurrent = Some(Number(max_concurrent));
                shape.workflow_source = Some(source);
            }
            LimitScope::Global | LimitScope::Tenant(_) | LimitScope::Workflow(_) => {
                shape.max_concurrent = max_concurrent;
                shape.source = source;
            }
        }
    }
    limits
}

const fn source_word(source: LimitSource) -> &'static str {
    match source {
        LimitSource::Override => "override",
        LimitSource::Definition => "definition",
        LimitSource::OverriddenDefault => "default",
        LimitSource::Settings => "settings",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn read(text: &str, has_defaults: bool) -> Result<Vec<LimitEdit>, serde_json::Value> {
        parse::<LimitsBody>(text)
            .and_then(|body| edits(body, has_defaults))
            .map_err(|problem| serde_json::to_value(problem.shape()).expect("encodes"))
    }

    #[test]
    fn null_removes_and_absence_keeps() {
        let edits =
            read(r#"{"workflow-node":{"maxConcurrent":7},"workflow-webhook":null}"#, false).expect("valid");
        let own = |queue, max_concurrent| LimitEdit { queue, part: LimitPart::Own, max_concurrent };
        assert_eq!(edits, [own(QueueName::Node, Some(Some(7))), own(QueueName::Webhook, None)]);
        let edits = read(r#"{"workflow-execution":{"maxConcurrent":null}}"#, false).expect("valid");
        assert_eq!(edits, [own(QueueName::Execution, None)]);
        assert_eq!(read(r#"{"workflow-node":{}}"#, true).expect("valid"), []);
        assert_eq!(read(r#"{"workflow-node":null}"#, true).expect("valid").len(), 3);
    }

    #[test]
    fn faults_point_at_their_place() {
        for (text, pointer) in [
            (r#"{"workflow-node":{"tenantMaxConcurrent":7}}"#, "/workflow-node/tenantMaxConcurrent"),
            (r#"{"workflow-node":{"maxConcurrent":-1}}"#, "/workflow-node/maxConcurrent"),
            (r#"{"workflow-node":{"maxConcurrent":"7"}}"#, "/workflow-node/maxConcurrent"),
            (r#"{"workflow-node":{"max":7}}"#, "/workflow-node/max"),
            (r#"{"no-such-queue":{}}"#, "/no-such-queue"),
        ] {
            assert_eq!(read(text, false).expect_err("invalid")["errors"][0]["pointer"], pointer, "{text}");
        }
    }
}
