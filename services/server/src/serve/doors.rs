//! From settings to how the listeners treat their callers.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use settings::Settings;
use tokio_util::sync::CancellationToken;

use crate::serve::listeners::{CapOptions, ListenerOptions, TlsFiles, served_max, watched};

/// Descriptors that a process needs whatever it does: files, sockets, the metrics address, those who are turned away.
const OWN_DESCRIPTORS: usize = 400;
/// How many connections beyond the bound are asked to retry at one time.
const REFUSED_MAX: usize = 64;
/// How many connections the metrics address takes: a few collectors and probes.
const METRICS_MAX: usize = 128;
/// How long the head of a request to the metrics address may take.
const METRICS_HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// Of the HTTP address. Reads the files of TLS, and watches them until `closing`.
pub(super) fn http(
    settings: &Settings,
    open_files_max: u64,
    closing: &CancellationToken,
) -> Result<ListenerOptions> {
    let http = &settings.http;
    let proxies = http.trusted_proxies.iter().map(String::as_str);
    let caps = CapOptions {
        served_max: served_max(http.connections_max as usize, open_files_max, own_descriptors(settings)),
        per_address_max: http.connections_per_address_max as usize,
        refused_max: REFUSED_MAX,
        proxies: api::TrustedProxies::parse(proxies).context("cannot use http.trusted_proxies")?,
    };
    if caps.served_max < http.connections_max as usize {
        tracing::warn!(
            connections.max = caps.served_max,
            "fewer connections than http.connections_max are accepted, because of the limit of open files; see `ulimit -n`"
        );
    }
    let tls = match tls_files(settings) {
        Some(files) => {
            Some(watched(files, closing.clone()).context("cannot start TLS (http.tls_certificate)")?)
        }
        None => None,
    };
    Ok(ListenerOptions { head_timeout: http.head_timeout.to_std(), serves_http2: http.http2, tls, caps })
}

/// Of the metrics address.
pub(super) fn metrics() -> ListenerOptions {
    ListenerOptions {
        head_timeout: METRICS_HEAD_TIMEOUT,
        serves_http2: false,
        tls: None,
        caps: CapOptions {
            served_max: METRICS_MAX,
            per_address_max: METRICS_MAX,
            refused_max: 0,
            proxies: api::TrustedProxies::default(),
        },
    }
}

/// What the process itself may have open at once: connections to the database, and one call for each worker.
fn own_descriptors(settings: &Settings) -> usize {
    let roles = settings.roles.iter().filter_map(|role| role.queue());
    let workers: usize = roles.map(|queue| settings.queues.get(queue).workers as usize).sum();
    let database = &settings.database;
    OWN_DESCRIPTORS + workers + 3 * database.readers_max as usize + 2 * database.connections_max as usize
}

fn tls_files(settings: &Settings) -> Option<TlsFiles> {
    let http = &settings.http;
    http.has_tls().then(|| TlsFiles {
        certificate: PathBuf::from(&http.tls_certificate),
        key: PathBuf::from(&http.tls_key),
        client_ca: (!http.tls_client_ca.is_empty()).then(|| PathBuf::from(&http.tls_client_ca)),
        offers_http2: http.http2,
    })
}
