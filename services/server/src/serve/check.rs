//! Looks at settings as a start would, without starting anything or opening the database.

use anyhow::{Context, Result};
use settings::Settings;
use telemetry::{LogFilter, LogFormat};

use crate::serve::{doors, engine, parts, traces};

/// Fails with the first setting that a start would refuse.
pub(crate) fn settings(settings: &Settings) -> Result<()> {
    LogFormat::parse(settings.log.format.as_str()).context("unknown log format in the settings")?;
    LogFilter::check(&settings.log.filter)?;
    engine::secret_keys(settings)?;
    doors::check(settings)?;
    parts::egress_options(settings)?;
    parts::api_options(settings)?;
    parts::notification_sender(settings)?;
    traces::check(settings)?;
    engine::Shared::of(settings).map(drop)
}
