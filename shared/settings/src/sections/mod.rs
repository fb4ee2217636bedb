//! The tables of the settings, each with its defaults.

mod alerts;
mod bounds;
mod database;
mod dispatch;
mod egress;
mod http;
mod oidc;
mod otel;
mod queues;
mod secrets;
mod upkeep;

pub use alerts::{AlertBackoffSettings, AlertSettings, SmtpEncryption, SmtpSettings};
pub use bounds::{QuotaSettings, WaitingSettings, WorkflowSettings};
pub use database::{DatabaseKind, DatabaseSettings, Pooler, Synchronous};
pub use dispatch::{DispatchSettings, KafkaEnvelope, KafkaSettings, KafkaTopics};
pub(crate) use dispatch::{is_property, is_topic_prefix};
pub use egress::EgressSettings;
pub(crate) use egress::{is_allow_entry, is_deny_entry, is_network, is_proxy, is_tenant_rule};
pub use http::{
    ConsoleSettings, GrpcSettings, HttpSettings, MetricsSettings, RedisSettings, WebhookSettings,
};
pub(crate) use http::{is_color, is_public_url};
pub use oidc::OidcSettings;
pub(crate) use oidc::{is_issuer, is_role_rule};
pub use otel::{LogFormat, LogSettings, OtelProtocol, OtelSettings, otel_pairs};
pub use queues::{LimitSettings, QueueSettings, Queues, WorkerSettings};
pub use secrets::{SecretSettings, VaultSettings};
pub use upkeep::{QueueRetention, QueueRetentions, RetentionSettings, UpkeepSettings};
