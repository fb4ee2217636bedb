//! Calls of doctor. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::Doctor;
use crate::transport::Request;

impl Calls {
    /// Check the deployment.
    /// Checks schema, connection pooler, old snapshots, dead rows, clocks, leases, parked executions, disk, certificates,
    /// keys and dispatch. Each warning and failure says how to fix it. Requires role `admin` and a key that is not bound to
    /// a tenant.
    ///
    /// Action `doctor.read`: requires role `admin`.
    pub async fn examine(&self) -> Result<Doctor, ClientError> {
        self.call(Request::new("examine", "GET", "/v1/doctor")).await
    }
}
