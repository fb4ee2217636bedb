//! From settings to how the listeners treat their callers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use der::asn1::{AnyRef, GeneralizedTime, UtcTime};
use der::{Decode, SliceReader, Tag, Tagged};
use domain::doctor::CertificateFacts;
use domain::time::Timestamp;
use settings::Settings;
use tokio::sync::watch;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_util::sync::CancellationToken;

use crate::serve::listeners::{
    CapOptions, ListenerOptions, LiveCaps, TlsConfig, TlsFiles, check_files, served_max, watched,
};

/// Descriptors that a process needs whatever it does: files, sockets, the metrics address, those who are turned away.
const OWN_DESCRIPTORS: usize = 400;
/// How many connections beyond the bound are asked to retry at one time.
const REFUSED_MAX: usize = 64;
/// How many connections the metrics address takes: a few collectors and probes.
const METRICS_MAX: usize = 128;
/// How many requests of one HTTP/2 connection may be under way.
const STREAMS_MAX: u32 = 128;
/// How long the head of a request to the metrics address may take.
const METRICS_HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// What of the addresses for callers can be changed while they are served.
#[derive(Clone)]
pub(super) struct HttpDoor {
    live: LiveCaps,
    tls: Option<watch::Sender<TlsFiles>>,
    grpc_tls: Option<watch::Sender<TlsFiles>>,
    open_files_max: u64,
}

impl HttpDoor {
    /// Takes over what other settings say. TLS that is switched on or off is left as it is.
    pub(super) fn change(&self, settings: &Settings) {
        let (served_max, per_address_max) = caps_of(settings, self.open_files_max);
        self.live.set(served_max, per_address_max);
        for (sender, offers_http2) in [(&self.tls, settings.http.http2), (&self.grpc_tls, true)] {
            if let (Some(sender), Some(files)) = (sender, tls_files(settings, offers_http2)) {
                sender.send_if_modified(|known| {
                    let is_other = *known != files;
                    *known = files;
                    is_other
                });
            }
        }
    }
}

/// Of the HTTP address. Reads the files of TLS, and watches them until `closing`.
pub(super) fn http(
    settings: &Settings,
    open_files_max: u64,
    closing: &CancellationToken,
) -> Result<(ListenerOptions, HttpDoor)> {
    let http = &settings.http;
    let (served_max, per_address_max) = caps_of(settings, open_files_max);
    let live = LiveCaps::new(served_max, per_address_max);
    let caps = CapOptions { live: live.clone(), refused_max: REFUSED_MAX, proxies: proxies(settings)? };
    let (tls, files) = tls(settings, http.http2, closing)?;
    let door = HttpDoor { live, tls: files, grpc_tls: None, open_files_max };
    let head_timeout = http.head_timeout.to_std();
    let (serves_http2, streams_max) = (http.http2, STREAMS_MAX);
    Ok((ListenerOptions { head_timeout, serves_http2, tls, streams_max, age_max: None, caps }, door))
}

/// Of the gRPC address: as HTTP, with HTTP/2 for all, whose connections end when they are old.
pub(super) fn grpc(
    settings: &Settings,
    http: &ListenerOptions,
    door: &mut HttpDoor,
    closing: &CancellationToken,
) -> Result<ListenerOptions> {
    let (tls, files) = tls(settings, true, closing)?;
    door.grpc_tls = files;
    let age_max = Some(settings.grpc.age.to_std());
    let streams_max = settings.grpc.streams_max;
    Ok(ListenerOptions { serves_http2: true, tls, streams_max, age_max, ..http.clone() })
}

/// Reads the files of TLS and watches them. Answers where other files are named as well.
fn tls(
    settings: &Settings,
    offers_http2: bool,
    closing: &CancellationToken,
) -> Result<(Option<TlsConfig>, Option<watch::Sender<TlsFiles>>)> {
    let Some(files) = tls_files(settings, offers_http2) else {
        return Ok((None, None));
    };
    let (sender, receiver) = watch::channel(files);
    let config = watched(receiver, closing.clone()).context("cannot start TLS (http.tls_certificate)")?;
    Ok((Some(config), Some(sender)))
}

/// Fails where what a listener needs cannot be used.
pub(super) fn check(settings: &Settings) -> Result<()> {
    proxies(settings)?;
    if let Some(files) = tls_files(settings, settings.http.http2) {
        check_files(&files).context("cannot start TLS (http.tls_certificate)")?;
    }
    Ok(())
}

fn proxies(settings: &Settings) -> Result<api::TrustedProxies> {
    let proxies = settings.http.trusted_proxies.iter().map(String::as_str);
    api::TrustedProxies::parse(proxies).context("cannot use http.trusted_proxies")
}

/// How many connections are served, in all and of each address.
fn caps_of(settings: &Settings, open_files_max: u64) -> (usize, usize) {
    let http = &settings.http;
    let asked = http.connections_max as usize;
    let served_max = served_max(asked, open_files_max, own_descriptors(settings));
    if served_max < asked {
        tracing::warn!(
            connections.max = served_max,
            "fewer connections than http.connections_max are accepted, because of the limit of open files; see `ulimit -n`"
        );
    }
    (served_max, http.connections_per_address_max as usize)
}

/// Of the metrics address.
pub(super) fn metrics() -> ListenerOptions {
    ListenerOptions {
        head_timeout: METRICS_HEAD_TIMEOUT,
        serves_http2: false,
        tls: None,
        streams_max: STREAMS_MAX,
        age_max: None,
        caps: CapOptions {
            live: LiveCaps::new(METRICS_MAX, METRICS_MAX),
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

fn tls_files(settings: &Settings, offers_http2: bool) -> Option<TlsFiles> {
    let http = &settings.http;
    http.has_tls().then(|| TlsFiles {
        certificate: PathBuf::from(&http.tls_certificate),
        key: PathBuf::from(&http.tls_key),
        client_ca: (!http.tls_client_ca.is_empty()).then(|| PathBuf::from(&http.tls_client_ca)),
        offers_http2,
    })
}

// Until when the certificates are valid that a process serves with.

/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The files of certificates that the settings name, and until when the first of each to end is valid.
pub(crate) fn of(settings: &Settings) -> Vec<CertificateFacts> {
    let http = &settings.http;
    let files = [&http.tls_certificate, &http.tls_client_ca].into_iter().filter(|file| !file.is_empty());
    let facts = files.map(|file| CertificateFacts {
        file: file.clone(),
        valid_until: valid_until(Path::new(file)).map_err(|error| format!("{error:#}")),
    });
    facts.collect()
}

fn valid_until(file: &Path) -> Result<Timestamp> {
    let length = std::fs::metadata(file).context("cannot read it")?.len();
    if length > FILE_BYTES_MAX {
        bail!("the file is larger than {FILE_BYTES_MAX} bytes");
    }
    let pem = std::fs::read(file).context("cannot read it")?;
    let mut first: Option<u64> = None;
    for der in CertificateDer::pem_slice_iter(&pem) {
        let der = der.context("it is not PEM")?;
        let until = not_after(&der).context("it is not a certificate")?;
        first = Some(first.map_or(until, |known| known.min(until)));
    }
    let secs = first.context("it contains no certificate")?;
    Ok(Timestamp(i64::try_from(secs)?.saturating_mul(1_000)))
}

/// `notAfter` of a certificate (RFC 5280 §4.1), in seconds since the Unix epoch.
fn not_after(certificate: &[u8]) -> der::Result<u64> {
    let certificate = AnyRef::from_der(certificate)?;
    let signed = AnyRef::decode(&mut SliceReader::new(certificate.value())?)?;
    let mut fields = SliceReader::new(signed.value())?;
    // The version is there or not; then serial number, algorithm and issuer.
    let first = AnyRef::decode(&mut fields)?;
    let before_validity = if first.tag() == Tag::Integer { 2 } else { 3 };
    for _ in 0..before_validity {
        AnyRef::decode(&mut fields)?;
    }
    let validity = AnyRef::decode(&mut fields)?;
    let mut times = SliceReader::new(validity.value())?;
    AnyRef::decode(&mut times)?;
    let end = AnyRef::decode(&mut times)?;
    let since_epoch = match end.tag() {
        Tag::UtcTime => end.decode_as::<UtcTime>()?.to_unix_duration(),
        _ => end.decode_as::<GeneralizedTime>()?.to_unix_duration(),
    };
    Ok(since_epoch.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_have_fifteen_seconds_where_nothing_else_is_set() {
        let served = http(&Settings::default(), 1_048_576, &CancellationToken::new());
        let (options, _door) = served.expect("the defaults can be served with");
        for options in [options, metrics()] {
            assert_eq!(options.head_timeout, Duration::from_secs(15));
        }
    }

    #[test]
    fn the_first_end_of_a_file_counts() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("tls.crt");
        let pem = |year: i32| {
            let mut parameters = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
            parameters.not_after = rcgen::date_time_ymd(year, 1, 1);
            let key = rcgen::KeyPair::generate().expect("a key");
            parameters.self_signed(&key).expect("a certificate").pem()
        };
        std::fs::write(&file, [pem(2040), pem(2035)].concat()).expect("it can be written");
        let expected = Timestamp::parse("2035-01-01T00:00:00Z").expect("an instant");
        assert_eq!(valid_until(&file).expect("it can be read"), expected);
        std::fs::write(&file, "nothing").expect("it can be written");
        assert!(valid_until(&file).is_err());
        assert!(valid_until(&directory.path().join("missing")).is_err());
    }
}
