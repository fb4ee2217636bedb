//! How the server starts and ends: what it says on standard output, and the signals that stop it.

use std::io::{IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::Path;

use anyhow::Result;
use engine::{Engine, SecretText};
use settings::Settings;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::serve::bootstrap::{FirstKey, keep_link};

/// Says a line. A server whose standard output nobody reads any more goes on all the same.
macro_rules! say {
    ($($text:tt)*) => {{
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

/// The addresses that are really listened on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Addresses {
    /// REST, where this process has the role.
    pub(super) http: Option<SocketAddr>,
    /// gRPC, where this process serves it.
    pub(super) grpc: Option<SocketAddr>,
    /// Metrics and health.
    pub(super) metrics: SocketAddr,
}

/// Prints addresses, database and the first key.
pub(super) fn print(settings: &Settings, addresses: &Addresses, key: &FirstKey) -> Result<()> {
    let roles = settings.roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", ");
    say!("Trunkline {}", env!("CARGO_PKG_VERSION"));
    if let Some(http) = addresses.http {
        let scheme = if settings.http.has_tls() { "https" } else { "http" };
        say!("  REST      {scheme}://{http}");
        say!("  API docs  {scheme}://{http}/docs");
    }
    if let Some(grpc) = addresses.grpc {
        let scheme = if settings.http.has_tls() { "https" } else { "http" };
        say!("  gRPC      {scheme}://{grpc}");
    }
    say!("  metrics   http://{}/metrics", addresses.metrics);
    say!("  database  {}", settings.database.url_masked());
    say!("  roles     {roles}");
    match key {
        FirstKey::Made { key, file, code } => {
            // What is written to a file or a pipe is kept and read by others: the key goes to a person only.
            if std::io::stdout().is_terminal() {
                say!("  API key   {key}");
                say!("            (admin; shown once, stored in {})", file.display());
            } else {
                say!("  API key   in {} (admin)", file.display());
            }
            if let (Some(code), Some(http)) = (code, addresses.http) {
                print_link(&link_of(settings, http, code), file)?;
            }
        }
        FirstKey::Open => say!("  API key   none required from this machine (http.open)"),
        FirstKey::Given => say!("  API key   from TRUNKLINE_BOOTSTRAP_KEY"),
        FirstKey::There => say!("  API key   already created (see `trunkline key list`)"),
    }
    Ok(())
}

/// The address by which a browser sets up the deployment. The code is behind `#`, which browsers send nowhere.
fn link_of(settings: &Settings, http: SocketAddr, code: &SecretText) -> String {
    let scheme = if settings.http.has_tls() { "https" } else { "http" };
    let own = format!("{scheme}://{http}");
    let base = if settings.http.public_url.is_empty() { &own } else { &settings.http.public_url };
    format!("{base}/console/#set-up={}", code.reveal())
}

/// The link goes where the key goes.
fn print_link(link: &str, key_file: &Path) -> Result<()> {
    let file = keep_link(link, key_file)?;
    if std::io::stdout().is_terminal() {
        say!("  set up    {link}");
        say!("            (once, within an hour; also in {})", file.display());
    } else {
        say!("  set up    by the link in {} (once, within an hour)", file.display());
    }
    Ok(())
}

/// Warns where anybody could get in.
pub(super) fn warn_if_open(is_open: bool, has_keys: bool, addresses: &Addresses) {
    if has_keys || !is_open {
        return;
    }
    if let Some(http) = addresses.http {
        tracing::warn!(
            http.addr = %http,
            "NO API KEY IS CONFIGURED: every caller on this machine is an admin, and callers from elsewhere are \
             rejected (http.open). Create a key with `trunkline key create NAME --role admin`."
        );
    }
}

/// Warns where secrets of webhooks rest beside their key.
pub(super) fn warn_if_keys_are_inside(engine: &Engine) {
    if engine.uses_database_key() {
        tracing::warn!(
            "webhook secrets are encrypted with a key stored in the same database, so a copy of it contains \
             both. Set TRUNKLINE_SECRETS__KEYS=name:$(openssl rand -base64 32) to keep the key apart."
        );
    }
}

// SIGTERM and SIGINT.

/// Waits for a wish to stop, as often as one is sent.
#[derive(Debug)]
pub(super) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Takes over both signals.
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
