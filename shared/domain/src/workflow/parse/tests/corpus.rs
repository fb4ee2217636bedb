//! All definitions of the tables, for others that have to agree with the parser.

use serde_json::Value;

use super::{refused, types};

/// Definitions that are accepted.
pub(in crate::workflow) fn good_definitions() -> Vec<Value> {
    refused::good().into_iter().chain(types::good()).collect()
}

/// Definitions that are refused, each with a part of the reason.
pub(in crate::workflow) fn bad_definitions() -> Vec<(Value, String)> {
    refused::bad().into_iter().chain(types::bad()).map(|row| (row.definition, row.part)).collect()
}
