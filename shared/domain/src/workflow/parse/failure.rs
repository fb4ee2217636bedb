//! What a node does when its work fails: it tries again, goes on elsewhere, or ends the execution.

use serde_json::Value;

use crate::names::NodeId;
use crate::retry::Backoff;
use crate::workflow::definition::{OnError, RetrySpec};
use crate::workflow::parse::bounds::{FACTOR_MAX, RETRIES_MAX};
use crate::workflow::parse::fields::{Faults, Fields, did_you_mean};

/// A target, and where it is named.
#[derive(Debug)]
pub(super) struct Goto {
    /// The node that waits for the one that names it.
    pub(super) target: NodeId,
    /// Where it says so.
    pub(super) pointer: String,
}

/// Reads the id of a target.
pub(super) fn read_goto(
    owner: &Fields<'_>,
    field: &str,
    gotos: &mut Vec<Goto>,
    faults: &mut Faults,
) -> Option<NodeId> {
    let text = owner.text(field, faults)?;
    let target = NodeId::parse(text).map_err(|fault| faults.add(owner.at(field), fault.to_string())).ok()?;
    gotos.push(Goto { target: target.clone(), pointer: owner.at(field) });
    Some(target)
}

/// Reads `onError`.
pub(super) fn read_on_error(node: &Fields<'_>, gotos: &mut Vec<Goto>, faults: &mut Faults) -> OnError {
    match node.get("onError") {
        None => OnError::Fail,
        Some(Value::String(text)) if text == "fail" => OnError::Fail,
        Some(Value::String(text)) if text == "continue" => OnError::Continue,
        Some(Value::Object(_)) => {
            let Some(fields) = node.object("onError", faults) else { return OnError::Fail };
            fields.refuse_unknown(&["goto"], faults);
            fields.required("goto", faults);
            read_goto(&fields, "goto", gotos, faults).map_or(OnError::Fail, OnError::Goto)
        }
        Some(other) => {
            let hint = did_you_mean(other.as_str().unwrap_or_default(), ["fail", "continue"]);
            let message = format!("expected \"fail\" or \"continue\" or {{\"goto\": id}}{hint}");
            faults.add(node.at("onError"), message);
            OnError::Fail
        }
    }
}

/// Reads `retry` and, on a node, `retryCount`.
pub(super) fn read_retry(owner: &Fields<'_>, faults: &mut Faults) -> Option<RetrySpec> {
    let short = owner.whole("retryCount", 0..=RETRIES_MAX, faults);
    if owner.get("retryCount").is_some() && owner.get("retry").is_some() {
        faults
            .add(owner.at("retryCount"), "`retryCount` is short for `retry.maxRetries`; give one of the two");
    }
    let Some(fields) = owner.object("retry", faults) else {
        return short.map(|retries| RetrySpec { retries_max: Some(retries), backoff: None });
    };
    fields.refuse_unknown(&["maxRetries", "initial", "factor", "max", "jitter"], faults);
    let retries_max = fields.whole("maxRetries", 0..=RETRIES_MAX, faults);
    let has_backoff = ["initial", "factor", "max", "jitter"].iter().any(|field| fields.get(field).is_some());
    let backoff = has_backoff.then(|| read_backoff(&fields, faults));
    Some(RetrySpec { retries_max, backoff })
}

fn read_backoff(fields: &Fields<'_>, faults: &mut Faults) -> Backoff {
    let mut backoff = Backoff::default();
    if let Some(initial) = fields.duration("initial", faults) {
        backoff.initial = initial;
    }
    match fields.duration("max", faults) {
        Some(max) if max < backoff.initial && !faults.is_stored() => {
            faults.add(fields.at("max"), "the longest wait is shorter than the first one");
        }
        Some(max) => backoff.max = max,
        // A first wait above the default cap is meant; the cap moves up to it.
        None => backoff.max = backoff.max.max(backoff.initial),
    }
    if let Some(factor) = fields.get("factor") {
        match factor.as_f64() {
            Some(factor) if (1.0..=FACTOR_MAX).contains(&factor) => backoff.factor = factor,
            _ => faults.add(fields.at("factor"), format!("expected a number from 1 to {FACTOR_MAX}")),
        }
    }
    if let Some(jitter) = fields.flag("jitter", faults) {
        backoff.jitter = jitter;
    }
    backoff
}

/// A node's retries with the definition's filled in.
pub(super) fn with_fallback(own: Option<RetrySpec>, fallback: Option<RetrySpec>) -> Option<RetrySpec> {
    match (own, fallback) {
        (Some(own), Some(fallback)) => Some(RetrySpec {
            retries_max: own.retries_max.or(fallback.retries_max),
            backoff: own.backoff.or(fallback.backoff),
        }),
        (own, fallback) => own.or(fallback),
    }
}
