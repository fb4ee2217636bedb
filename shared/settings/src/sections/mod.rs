//! The tables of the settings, each with its defaults.

mod addresses;
mod console;
mod database;
mod egress;
mod http;
mod log;
mod oidc;
mod queues;
mod quotas;
mod secrets;
mod upkeep;
mod vault;
mod waiting;
mod webhooks;
mod workers;
mod workflows;

pub use addresses::{GrpcSettings, MetricsSettings, RedisSettings};
pub use console::ConsoleSettings;
pub(crate) use console::is_color;
pub use database::{DatabaseKind, DatabaseSettings, Pooler, Synchronous};
pub use egress::EgressSettings;
pub(crate) use egress::{is_allow_entry, is_deny_entry, is_network, is_proxy, is_tenant_rule};
pub use http::HttpSettings;
pub(crate) use http::is_public_url;
pub use log::{LogFormat, LogSettings};
pub use oidc::OidcSettings;
pub(crate) use oidc::{is_issuer, is_role_rule};
pub use queues::{LimitSettings, QueueSettings, Queues};
pub use quotas::QuotaSettings;
pub use secrets::SecretSettings;
pub use upkeep::{RetentionSettings, UpkeepSettings};
pub use vault::VaultSettings;
pub use waiting::WaitingSettings;
pub use webhooks::WebhookSettings;
pub use workers::WorkerSettings;
pub use workflows::WorkflowSettings;
