//! All settings of a process in one value.

use domain::doctor::DoctorPolicy;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::sections::{
    AlertSettings, ConsoleSettings, DatabaseSettings, DispatchSettings, EgressSettings, GrpcSettings,
    HttpSettings, KafkaSettings, LogSettings, MetricsSettings, OidcSettings, OtelSettings, Queues,
    QuotaSettings, RedisSettings, RetentionSettings, SecretSettings, SmtpSettings, UpkeepSettings,
    VaultSettings, WaitingSettings, WebhookSettings, WorkerSettings, WorkflowSettings,
};
use crate::values::{Role, roles_all, secret};

/// All settings of a process. `Default` is what runs when nothing is set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Which parts of the work this process does; never empty, without repetitions.
    pub roles: Vec<Role>,
    /// The admin key of the first start, instead of one that is made up and printed.
    #[serde(with = "secret::optional_key", skip_serializing_if = "Option::is_none")]
    pub bootstrap_key: Option<SecretString>,
    /// REST, documentation pages and webhook ingress.
    pub http: HttpSettings,
    /// What people call this server.
    pub console: ConsoleSettings,
    /// Who else vouches for callers.
    pub oidc: OidcSettings,
    /// The gRPC interface.
    pub grpc: GrpcSettings,
    /// The Prometheus endpoint.
    pub metrics: MetricsSettings,
    /// Where everything is stored.
    pub database: DatabaseSettings,
    /// Optional: rate limits over a whole cluster.
    pub redis: RedisSettings,
    /// The keys under which secrets rest.
    pub secrets: SecretSettings,
    /// What keeps secrets of tenants beside the database.
    pub vault: VaultSettings,
    /// The four queues and their pools.
    pub queues: Queues,
    /// The pools as a whole, and what external workers may ask for.
    pub workers: WorkerSettings,
    /// How jobs come to outside workers.
    pub dispatch: DispatchSettings,
    /// The Kafka that carries them.
    pub kafka: KafkaSettings,
    /// How many requests may wait.
    pub waiting: WaitingSettings,
    /// What executions may take up.
    pub workflows: WorkflowSettings,
    /// Webhook endpoints.
    pub webhooks: WebhookSettings,
    /// What tenants may keep.
    pub quotas: QuotaSettings,
    /// How often the background duties run.
    pub upkeep: UpkeepSettings,
    /// How long finished things are kept.
    pub retention: RetentionSettings,
    /// Alerts.
    pub alerts: AlertSettings,
    /// The mail server of alerts.
    pub smtp: SmtpSettings,
    /// From when on `trunkline doctor` warns.
    pub doctor: DoctorPolicy,
    /// What HTTP nodes may call.
    pub egress: EgressSettings,
    /// Log lines.
    pub log: LogSettings,
    /// Traces.
    pub otel: OtelSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            roles: roles_all(),
            bootstrap_key: None,
            http: HttpSettings::default(),
            console: ConsoleSettings::default(),
            oidc: OidcSettings::default(),
            grpc: GrpcSettings::default(),
            metrics: MetricsSettings::default(),
            database: DatabaseSettings::default(),
            redis: RedisSettings::default(),
            secrets: SecretSettings::default(),
            vault: VaultSettings::default(),
            queues: Queues::default(),
            workers: WorkerSettings::default(),
            dispatch: DispatchSettings::default(),
            kafka: KafkaSettings::default(),
            waiting: WaitingSettings::default(),
            workflows: WorkflowSettings::default(),
            webhooks: WebhookSettings::default(),
            quotas: QuotaSettings::default(),
            upkeep: UpkeepSettings::default(),
            retention: RetentionSettings::default(),
            alerts: AlertSettings::default(),
            smtp: SmtpSettings::default(),
            doctor: DoctorPolicy::default(),
            egress: EgressSettings::default(),
            log: LogSettings::default(),
            otel: OtelSettings::default(),
        }
    }
}

impl Settings {
    /// Whether this process has the role.
    pub fn has_role(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }
}
