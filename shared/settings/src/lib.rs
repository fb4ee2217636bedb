//! Typed, layered settings: a flag wins over the environment, the environment over the file, the file over the
//! defaults. This is the only crate that reads environment variables.
//!
//! A setting that nobody knows and a value that cannot be used are errors which name the file or the variable they
//! came from. Secrets can be read by the code that needs them, and are masked in every text form of the settings.

mod catalog;
mod default_file;
mod differences;
mod load;
mod sections;
mod settings;
mod values;

pub use load::{Flags, Origin, SettingsError, load, process_environment, secret_variable};
pub use sections::{
    AlertBackoffSettings, AlertSettings, ConsoleSettings, DatabaseKind, DatabaseSettings, DispatchSettings,
    EgressSettings, GrpcSettings, HttpSettings, KafkaEnvelope, KafkaSettings, KafkaTopics, LimitSettings,
    LogFormat, LogSettings, MetricsSettings, OidcSettings, OtelProtocol, OtelSettings, Pooler,
    QueueRetention, QueueRetentions, QueueSettings, Queues, QuotaSettings, RedisSettings, RetentionSettings,
    SecretSettings, SmtpEncryption, SmtpSettings, Synchronous, UpkeepSettings, VaultSettings,
    WaitingSettings, WebhookSettings, WorkerSettings, WorkflowSettings, otel_pairs,
};
pub use settings::Settings;
pub use values::{ByteSize, RateLimit, Role};
