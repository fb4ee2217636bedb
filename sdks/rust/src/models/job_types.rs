//! Models of job types. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

/// The builds to pin a job type to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BuildPinRequest {
    /// Builds, as workers name them in `build`: 1 to 20.
    pub builds: Vec<String>,
}
