//! From settings to the options of upkeep.

use scheduler::UpkeepOptions;
use settings::Settings;

/// What upkeep needs of the settings.
pub(super) fn options(settings: &Settings) -> UpkeepOptions {
    let retention = &settings.retention;
    UpkeepOptions {
        promote_every: settings.upkeep.promote_every,
        reap_every: settings.upkeep.reap_every,
        prune_every: settings.upkeep.prune_every,
        alerts_every: settings.alerts.evaluate_every,
        retention: engine::RetentionPolicy {
            completed: retention.completed,
            failed: retention.failed,
            cancelled: retention.cancelled,
            archive: retention.archive,
            executions: retention.executions,
            idempotency: retention.idempotency,
            logs: retention.logs,
            audit: retention.audit,
            deliveries: retention.deliveries,
            ..engine::RetentionPolicy::default()
        },
        ..UpkeepOptions::default()
    }
}
