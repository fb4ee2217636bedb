//! Searchable attributes: how they are declared, and how what is declared is shown.

use std::collections::BTreeMap;

use domain::attribute::{AttributePath, AttributeType};
use domain::names::AttributeName;
use domain::time::Timestamp;
use engine::AttributeLine;
use serde::{Deserialize, Serialize};
use store::attributes::AttributeChange;
use utoipa::ToSchema;

use super::words::AttributeTypeSchema;
use crate::problem::{ApiResult, Problem};

/// Attributes to declare, by name; null removes one.
pub(crate) type AttributesBody = BTreeMap<String, Option<AttributeBody>>;

/// Declared attributes, by name.
pub(crate) type AttributesResponse = BTreeMap<String, AttributeResponse>;

/// An attribute to declare.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AttributeDeclaration)]
pub(crate) struct AttributeBody {
    /// `text` (at most 256 bytes), `integer`, `number`, `boolean` or `instant`.
    #[schema(value_type = AttributeTypeSchema)]
    r#type: String,
    /// Path to the value in a payload: `data` or `result` of jobs, `input` or `output` of executions.
    #[schema(example = "data.customer.id")]
    path: Option<String>,
}

/// A declared attribute.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Attribute)]
pub(crate) struct AttributeResponse {
    #[schema(value_type = AttributeTypeSchema)]
    r#type: &'static str,
    /// Path to the value in a payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Where it is declared: `jobType`, `workflow`, `definition` or `tenant`.
    source: &'static str,
    /// When it was declared. Objects created earlier do not have it.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
}

/// Reads changes.
pub(crate) fn changes(body: AttributesBody) -> ApiResult<Vec<AttributeChange>> {
    let (mut changes, mut faults) = (Vec::with_capacity(body.len()), Vec::new());
    for (name, wanted) in body {
        match change(&name, wanted) {
            Ok(change) => changes.push(change),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(changes) } else { Err(Problem::invalid(faults)) }
}

fn change(name: &str, wanted: Option<AttributeBody>) -> Result<AttributeChange, domain::error::Fault> {
    let pointer = |field: &str| format!("/{}{field}", name.replace('~', "~0").replace('/', "~1"));
    let fault = |field: &str, message: String| domain::error::Fault::new(pointer(field), message);
    let known = AttributeName::parse(name).map_err(|error| fault("", error.to_string()))?;
    let Some(wanted) = wanted else {
        return Ok(AttributeChange { name: known, declared: None });
    };
    let kind = AttributeType::parse(&wanted.r#type).ok_or_else(|| {
        let types: Vec<&str> = AttributeType::ALL.iter().map(|kind| kind.as_str()).collect();
        fault("/type", format!("expected one of {}", types.join(", ")))
    })?;
    let path = wanted.path.map(|path| AttributePath::parse(&path)).transpose();
    Ok(AttributeChange {
        name: known,
        declared: Some((kind, path.map_err(|message| fault("/path", message))?)),
    })
}

/// What is declared, as it is shown.
pub(crate) fn declared(lines: Vec<AttributeLine>) -> AttributesResponse {
    let shown = lines.into_iter().map(|line| {
        let attribute = AttributeResponse {
            r#type: line.kind.as_str(),
            path: line.path.map(|path| path.to_string()),
            source: line.source,
            since: line.since,
        };
        (line.name.to_string(), attribute)
    });
    shown.collect()
}
