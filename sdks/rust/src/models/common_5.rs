//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

open_enum! {
    /// WhyReason
    pub enum WhyReason {
        /// `not_due`.
        NotDue = "not_due",
        /// `queue_paused`.
        QueuePaused = "queue_paused",
        /// `unique_key`.
        UniqueKey = "unique_key",
        /// `limit_global`.
        LimitGlobal = "limit_global",
        /// `limit_tenant`.
        LimitTenant = "limit_tenant",
        /// `limit_workflow`.
        LimitWorkflow = "limit_workflow",
        /// `limit_job_type`.
        LimitJobType = "limit_job_type",
        /// `limit_tenant_job_type`.
        LimitTenantJobType = "limit_tenant_job_type",
        /// `limit_rate_key`.
        LimitRateKey = "limit_rate_key",
        /// `limit_key`.
        LimitKey = "limit_key",
        /// `rate_global`.
        RateGlobal = "rate_global",
        /// `rate_tenant`.
        RateTenant = "rate_tenant",
        /// `rate_workflow`.
        RateWorkflow = "rate_workflow",
        /// `rate_job_type`.
        RateJobType = "rate_job_type",
        /// `rate_tenant_job_type`.
        RateTenantJobType = "rate_tenant_job_type",
        /// `rate_key`.
        RateKey = "rate_key",
        /// `dispatch_draining`.
        DispatchDraining = "dispatch_draining",
        /// `no_relay`.
        NoRelay = "no_relay",
        /// `broker_away`.
        BrokerAway = "broker_away",
        /// `topic_not_created`.
        TopicNotCreated = "topic_not_created",
        /// `not_acknowledged`.
        NotAcknowledged = "not_acknowledged",
        /// `offered`.
        Offered = "offered",
        /// `no_worker`.
        NoWorker = "no_worker",
        /// `no_worker_of_build`.
        NoWorkerOfBuild = "no_worker_of_build",
        /// `behind`.
        Behind = "behind",
        /// `waiting`.
        Waiting = "waiting",
        /// `running`.
        Running = "running",
        /// `finished`.
        Finished = "finished",
    }
}

/// A node that a delivery woke.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WokenNode {
    /// `executionId`.
    pub execution_id: String,
    /// `nodeId`.
    pub node_id: String,
}
