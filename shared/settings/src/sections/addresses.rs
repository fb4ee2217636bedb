//! The tables that hold little but an address.

use std::net::{Ipv4Addr, SocketAddr};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::values::secret;

/// The Prometheus endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsSettings {
    /// Where `/metrics` is served.
    pub addr: SocketAddr,
    /// Whether metrics of jobs have the label `tenant`.
    pub tenant_label: bool,
    /// Whether metrics of jobs have the label `job_type`.
    pub job_type_label: bool,
    /// How many values each of these labels has; more are `other`.
    pub label_values_max: u32,
}

impl Default for MetricsSettings {
    fn default() -> Self {
        Self {
            addr: (Ipv4Addr::LOCALHOST, 9091).into(),
            tenant_label: false,
            job_type_label: false,
            label_values_max: 100,
        }
    }
}

/// Redis, for rate limits over a whole cluster.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedisSettings {
    /// `redis://…`, or `rediss://…` over TLS; absent when there is none.
    #[serde(with = "secret::optional_address", skip_serializing_if = "Option::is_none")]
    pub url: Option<SecretString>,
    /// The file of the authorities that may vouch for Redis, as PEM; empty for the system's.
    pub tls_ca: String,
}
