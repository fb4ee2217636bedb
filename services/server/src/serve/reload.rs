//! SIGHUP: the settings are read again, and what can change without a restart changes.

use std::sync::Arc;

use settings::{Settings, SettingsError};
use telemetry::LogFilter;
use tokio::signal::unix::Signal;
use tokio_util::sync::CancellationToken;

use crate::serve::doors::HttpDoor;
use crate::serve::parts;

/// Settings that change at once. The TLS files are read anew in any case; what is said here is that others may be named.
const LIVE: [&str; 7] = [
    "http.rate_limit",
    "http.connections_max",
    "http.connections_per_address_max",
    "http.tls_certificate",
    "http.tls_key",
    "http.tls_client_ca",
    "log.filter",
];

/// Reads the settings again, from the same flags, variables and files.
pub(crate) type Read = Box<dyn Fn() -> Result<Settings, SettingsError> + Send + Sync>;

/// What changes.
pub(super) struct Reload {
    /// Reads the settings.
    pub(super) read: Arc<Read>,
    /// The settings that were read last.
    pub(super) known: Settings,
    /// Which lines are logged.
    pub(super) logs: LogFilter,
    /// The HTTP address, where the process has one.
    pub(super) door: Option<HttpDoor>,
    /// The rate of API keys.
    pub(super) rate_limit: api::LiveRateLimit,
}

/// What became of the settings that differ.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    changed: Vec<String>,
    needs_restart: Vec<String>,
}

impl Reload {
    /// Reads the settings with each SIGHUP until `closing`. Those that cannot be used change nothing. Answers what was in use last.
    pub(super) async fn run(mut self, mut hangups: Signal, closing: CancellationToken) -> Settings {
        loop {
            let is_asked = tokio::select! {
                asked = hangups.recv() => asked.is_some(),
                () = closing.cancelled() => false,
            };
            if !is_asked {
                return self.known;
            }
            match (self.read)() {
                Ok(settings) => self.take_over(settings),
                Err(error) => tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "the settings cannot be used; the previous ones stay in use"
                ),
            }
        }
    }

    fn take_over(&mut self, settings: Settings) {
        let plan = plan(&self.known, &settings);
        if let Err(error) = self.logs.set(&settings.log.filter) {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the settings cannot be used; the previous ones stay in use"
            );
            return;
        }
        if let Some(door) = &self.door {
            door.change(&settings);
        }
        self.rate_limit.set(parts::rate_limit(&settings));
        // What needs a restart is said each time until it was restarted.
        let live = plan.changed.clone();
        tracing::info!(
            changed = live.join(", "),
            needs_restart = plan.needs_restart.join(", "),
            "reloaded the settings"
        );
        for path in plan.needs_restart {
            tracing::warn!(setting = path, "the setting takes effect after a restart");
        }
        self.known = with_live_of(&self.known, settings);
    }
}

/// What differs, by whether it changes at once.
fn plan(known: &Settings, read: &Settings) -> Plan {
    // TLS is not switched on or off under a listener.
    let is_tls_kept = known.http.has_tls() == read.http.has_tls();
    let is_live =
        |path: &String| LIVE.contains(&path.as_str()) && (is_tls_kept || !path.starts_with("http.tls_"));
    let (changed, needs_restart) = known.differences(read).into_iter().partition(is_live);
    Plan { changed, needs_restart }
}

/// The settings that are in use after those of `read` that can change.
fn with_live_of(known: &Settings, read: Settings) -> Settings {
    let mut settings = known.clone();
    settings.log.filter = read.log.filter;
    settings.http.rate_limit = read.http.rate_limit;
    settings.http.connections_max = read.http.connections_max;
    settings.http.connections_per_address_max = read.http.connections_per_address_max;
    if known.http.has_tls() == read.http.has_tls() {
        settings.http.tls_certificate = read.http.tls_certificate;
        settings.http.tls_key = read.http.tls_key;
        settings.http.tls_client_ca = read.http.tls_client_ca;
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_change_changes_and_the_rest_waits_for_a_restart() {
        let known = Settings::default();
        let mut read = known.clone();
        read.log.filter = "debug".to_owned();
        read.http.connections_max = 7;
        read.database.connections_max = 3;
        let found = plan(&known, &read);
        assert_eq!(found.changed, ["http.connections_max", "log.filter"]);
        assert_eq!(found.needs_restart, ["database.connections_max"]);
        let next = with_live_of(&known, read.clone());
        assert_eq!(plan(&next, &read).changed, Vec::<String>::new(), "it is said once");
        assert_eq!(plan(&next, &read).needs_restart, ["database.connections_max"], "until the restart");
    }

    #[test]
    fn tls_is_switched_on_by_a_restart() {
        let known = Settings::default();
        let mut read = known.clone();
        read.http.tls_certificate = "a.crt".to_owned();
        read.http.tls_key = "a.key".to_owned();
        assert_eq!(plan(&known, &read).needs_restart, ["http.tls_certificate", "http.tls_key"]);
        let mut other = read.clone();
        other.http.tls_key = "b.key".to_owned();
        assert_eq!(plan(&read, &other).changed, ["http.tls_key"]);
    }

    #[test]
    fn every_live_setting_is_taken_over() {
        let mut known = Settings::default();
        for file in [&mut known.http.tls_certificate, &mut known.http.tls_key, &mut known.http.tls_client_ca]
        {
            "a".clone_into(file);
        }
        let mut read = known.clone();
        read.log.filter = "debug".to_owned();
        read.http.rate_limit = None;
        read.http.connections_max += 1;
        read.http.connections_per_address_max += 1;
        for file in [&mut read.http.tls_certificate, &mut read.http.tls_key, &mut read.http.tls_client_ca] {
            "b".clone_into(file);
        }
        let mut changed = plan(&known, &read).changed;
        changed.sort();
        let mut live = LIVE.map(str::to_owned);
        live.sort();
        assert_eq!(changed, live);
        let next = with_live_of(&known, read.clone());
        assert_eq!(plan(&next, &read), Plan { changed: vec![], needs_restart: vec![] });
    }
}
