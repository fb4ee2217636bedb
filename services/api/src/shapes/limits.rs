//! Limits: how they are set and how those in force are shown.

use std::collections::BTreeMap;

use domain::limits::LimitSource;
use domain::queue::QueueName;
use domain::rate::Rate;
use engine::{LimitEdit, LimitEdits, LimitLine, LimitPart, LimitTarget, OwnLimit, RateEdit};
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
    /// Starts per period: a window such as `"100/1m"`, which allows at most 100 starts in any minute, or a token bucket
    /// that refills evenly.
    #[serde(default)]
    #[schema(value_type = Option<RateDocument>, required = false)]
    rate: RateValue,
    /// Rate of each tenant without its own rate. Only on `/v1/limits`.
    #[serde(default)]
    #[schema(value_type = Option<RateDocument>, required = false)]
    tenant_rate: RateValue,
    /// Rate of each workflow without its own rate. Only on `/v1/limits`.
    #[serde(default)]
    #[schema(value_type = Option<RateDocument>, required = false)]
    workflow_rate: RateValue,
    /// Rate of each job type without its own rate. Only on `/v1/limits`, for `workflow-node`.
    #[serde(default)]
    #[schema(value_type = Option<RateDocument>, required = false)]
    job_type_rate: RateValue,
}

/// A rate: a window as text, or a bucket.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = Rate)]
#[expect(dead_code, reason = "it is the schema of what the domain reads and writes")]
pub(crate) enum RateDocument {
    /// Maximum number of starts in any period of this length, such as `100/1m`: 1 to 1,000,000 starts, 100 ms to 30 d.
    #[schema(value_type = String, example = "100/1m")]
    Window(String),
    /// A token bucket that refills evenly.
    Bucket {
        /// Number of tokens added per period.
        #[schema(minimum = 1, maximum = 1_000_000)]
        starts: u32,
        /// The period.
        #[schema(example = "1m")]
        per: String,
        /// Capacity of the bucket in tokens.
        #[schema(minimum = 1, maximum = 1_000_000)]
        burst: u32,
    },
}

/// What a body says about one rate.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum RateValue {
    /// Nothing.
    #[default]
    Keep,
    /// Null: what was set is removed.
    Remove,
    /// A rate.
    Set(Rate),
}

impl<'de> Deserialize<'de> for RateValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<Rate>::deserialize(deserializer).map(|value| value.map_or(Self::Remove, Self::Set))
    }
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

/// The edits of a body for a target. The queues have defaults for tenants, workflows and job types.
pub(crate) fn edits(body: LimitsBody, target: &LimitTarget) -> ApiResult<LimitEdits> {
    let (mut edits, mut faults) = (LimitEdits::default(), Vec::new());
    let has_defaults = *target == LimitTarget::Queue;
    for (name, changes) in body {
        let Some(queue) = QueueName::parse(&name) else {
            let known = QueueName::NAMES.join(", ");
            faults.push(fault_at(&[&name], &format!("expected one of the queues {known}")));
            continue;
        };
        let changes = changes.unwrap_or_else(|| LimitChangesBody::removal(has_defaults, queue));
        let limits = [
            (LimitPart::Own, "maxConcurrent", changes.max_concurrent),
            (LimitPart::TenantDefault, "tenantMaxConcurrent", changes.tenant_max_concurrent),
            (LimitPart::WorkflowDefault, "workflowMaxConcurrent", changes.workflow_max_concurrent),
        ];
        let mut may = |part: LimitPart, field: &str| {
            let is_default = part != LimitPart::Own;
            if is_default && !has_defaults {
                faults.push(fault_at(&[&name, field], "only the limits of all queues have defaults"));
            } else if part == LimitPart::JobTypeDefault && queue != QueueName::Node {
                faults.push(fault_at(&[&name, field], "job types have rates on workflow-node only"));
            } else {
                return true;
            }
            false
        };
        for (part, field, value) in limits {
            let max_concurrent = match value {
                LimitValue::Keep => continue,
                LimitValue::Remove => None,
                LimitValue::Set(limit) => Some(Some(limit)),
            };
            if may(part, field) {
                edits.limits.push(LimitEdit { queue, part, max_concurrent });
            }
        }
        let rates = [
            (LimitPart::Own, "rate", changes.rate),
            (LimitPart::TenantDefault, "tenantRate", changes.tenant_rate),
            (LimitPart::WorkflowDefault, "workflowRate", changes.workflow_rate),
            (LimitPart::JobTypeDefault, "jobTypeRate", changes.job_type_rate),
        ];
        for (part, field, value) in rates {
            let rate = match value {
                RateValue::Keep => continue,
                RateValue::Remove => None,
                RateValue::Set(rate) => Some(rate),
            };
            if may(part, field) {
                edits.rates.push(RateEdit { queue, part, rate });
            }
        }
    }
    if faults.is_empty() { Ok(edits) } else { Err(Problem::invalid(faults)) }
}

impl LimitChangesBody {
    /// What null for a queue says: everything that was set is removed.
    fn removal(has_defaults: bool, queue: QueueName) -> Self {
        let (limit, rate) = if has_defaults {
            (LimitValue::Remove, RateValue::Remove)
        } else {
            (LimitValue::Keep, RateValue::Keep)
        };
        let has_types = has_defaults && queue == QueueName::Node;
        Self {
            max_concurrent: LimitValue::Remove,
            tenant_max_concurrent: limit,
            workflow_max_concurrent: limit,
            rate: RateValue::Remove,
            tenant_rate: rate,
            workflow_rate: rate,
            job_type_rate: if has_types { RateValue::Remove } else { RateValue::Keep },
        }
    }
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
    /// Starts per period; absent if there is no rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RateDocument>)]
    rate: Option<Rate>,
    /// `override`, `definition` or `default`; absent if there is no rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    rate_source: Option<&'static str>,
    /// Rate of each tenant without its own rate. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RateDocument>)]
    tenant_rate: Option<Rate>,
    /// Rate of each workflow without its own rate. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RateDocument>)]
    workflow_rate: Option<Rate>,
    /// Rate of each job type without its own rate. Only on `/v1/limits`, for `workflow-node`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RateDocument>)]
    job_type_rate: Option<Rate>,
    /// The values set for individual tenants, workflows and job types, at most 100. Only in `GET /v1/limits`; absent if there
    /// are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    overrides: Vec<OwnLimitResponse>,
    /// Total number of overrides; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    override_count: Option<u32>,
}

/// The values set for one tenant, workflow or job type, or for a job type of one tenant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OwnLimit)]
struct OwnLimitResponse {
    /// The tenant; for a workflow, the tenant that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job_type: Option<String>,
    /// Maximum number of concurrent jobs; null means unlimited; absent if only a rate is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>)]
    max_concurrent: Option<Number>,
    /// Starts per period; absent if only a limit is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RateDocument>)]
    rate: Option<Rate>,
}

/// A limit; null is unlimited.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Number(Option<u32>);

/// Maximum number of overrides listed for each queue.
const OVERRIDES_MAX: usize = 100;

/// Adds the values set for individual tenants, workflows and job types.
pub(crate) fn add_own(limits: &mut LimitsResponse, own: Vec<OwnLimit>) {
    for OwnLimit { queue, tenant, workflow, job_type, max_concurrent, rate } in own {
        let shape = limits.entry(queue.as_str()).or_default();
        shape.override_count = Some(shape.override_count.unwrap_or(0).saturating_add(1));
        if shape.overrides.len() < OVERRIDES_MAX {
            shape.overrides.push(OwnLimitResponse {
                tenant: tenant.map(|tenant| tenant.to_string()),
                workflow: workflow.map(|workflow| workflow.to_string()),
                job_type: job_type.map(|job_type| job_type.to_string()),
                max_concurrent: max_concurrent.map(Number),
                rate,
            });
        }
    }
}

/// The answer for the lines that the engine gave.
pub(crate) fn in_force(lines: Vec<LimitLine>) -> LimitsResponse {
    let mut limits = LimitsResponse::new();
    for LimitLine { queue, part, max_concurrent, source, rate } in lines {
        let shape = limits.entry(queue.as_str()).or_default();
        let source = source_word(source);
        let of_default = rate.map(|effective| effective.rate);
        match part {
            LimitPart::TenantDefault => {
                shape.tenant_max_concurrent = Some(Number(max_concurrent));
                shape.tenant_source = Some(source);
                shape.tenant_rate = of_default;
            }
            LimitPart::WorkflowDefault => {
                shape.workflow_max_concurrent = Some(Number(max_concurrent));
                shape.workflow_source = Some(source);
                shape.workflow_rate = of_default;
            }
            LimitPart::JobTypeDefault => shape.job_type_rate = of_default,
            LimitPart::Own => {
                shape.max_concurrent = max_concurrent;
                shape.source = source;
                shape.rate = rate.map(|effective| effective.rate);
                shape.rate_source = rate.map(|effective| source_word(effective.source));
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
    use crate::json;

    fn read(text: &str, has_defaults: bool) -> Result<LimitEdits, serde_json::Value> {
        let tenant = LimitTarget::Tenant(domain::names::TenantName::trusted("acme"));
        let target = if has_defaults { LimitTarget::Queue } else { tenant };
        json::parse::<LimitsBody>(text)
            .and_then(|body| edits(body, &target))
            .map_err(|problem| serde_json::to_value(problem.shape()).expect("encodes"))
    }

    #[test]
    fn null_removes_and_absence_keeps() {
        let edits =
            read(r#"{"workflow-node":{"maxConcurrent":7},"workflow-webhook":null}"#, false).expect("valid");
        let own = |queue, max_concurrent| LimitEdit { queue, part: LimitPart::Own, max_concurrent };
        assert_eq!(edits.limits, [own(QueueName::Node, Some(Some(7))), own(QueueName::Webhook, None)]);
        let rate = |queue, rate| RateEdit { queue, part: LimitPart::Own, rate };
        assert_eq!(edits.rates, [rate(QueueName::Webhook, None)]);
        let edits = read(r#"{"workflow-execution":{"maxConcurrent":null}}"#, false).expect("valid");
        assert_eq!((edits.limits, edits.rates), (vec![own(QueueName::Execution, None)], vec![]));
        let edits = read(r#"{"workflow-execution":{"rate":"7/1s"}}"#, false).expect("valid");
        let seven = Rate::parse("7/1s").expect("valid");
        assert_eq!((edits.limits, edits.rates), (vec![], vec![rate(QueueName::Execution, Some(seven))]));
        assert_eq!(read(r#"{"workflow-node":{}}"#, true).expect("valid"), LimitEdits::default());
        let all = read(r#"{"workflow-node":null}"#, true).expect("valid");
        assert_eq!((all.limits.len(), all.rates.len()), (3, 4));
        let others = read(r#"{"workflow-webhook":null}"#, true).expect("valid");
        assert_eq!((others.limits.len(), others.rates.len()), (3, 3));
        let text = r#"{"workflow-node":{"jobTypeRate":{"starts":5,"per":"1m","burst":2}}}"#;
        assert_eq!(read(text, true).expect("valid").rates[0].part, LimitPart::JobTypeDefault);
    }

    #[test]
    fn faults_point_at_their_place() {
        for (text, pointer) in [
            (r#"{"workflow-node":{"tenantMaxConcurrent":7}}"#, "/workflow-node/tenantMaxConcurrent"),
            (r#"{"workflow-node":{"maxConcurrent":-1}}"#, "/workflow-node/maxConcurrent"),
            (r#"{"workflow-node":{"maxConcurrent":"7"}}"#, "/workflow-node/maxConcurrent"),
            (r#"{"workflow-node":{"max":7}}"#, "/workflow-node/max"),
            (r#"{"workflow-node":{"rate":"7"}}"#, "/workflow-node/rate"),
            (r#"{"workflow-node":{"rate":"0/1s"}}"#, "/workflow-node/rate"),
            (r#"{"workflow-node":{"tenantRate":"7/1s"}}"#, "/workflow-node/tenantRate"),
            (r#"{"no-such-queue":{}}"#, "/no-such-queue"),
        ] {
            assert_eq!(read(text, false).expect_err("invalid")["errors"][0]["pointer"], pointer, "{text}");
        }
    }
}
