//! Models of builds. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::BuildPin;

/// All pinned job types.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BuildPins {
    /// The pins, by job type and tenant.
    pub items: Vec<BuildPin>,
}
