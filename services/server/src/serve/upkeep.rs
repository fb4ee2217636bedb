//! From settings to the options of upkeep.

use scheduler::UpkeepOptions;
use settings::Settings;

/// What upkeep needs of the settings.
pub(super) fn options(settings: &Settings) -> UpkeepOptions {
    UpkeepOptions {
        reap_every: settings.upkeep.reap_every,
        promote_every: settings.upkeep.promote_every,
        prune_every: settings.upkeep.prune_every,
        alerts_every: settings.alerts.evaluate_every,
        ..UpkeepOptions::default()
    }
}
