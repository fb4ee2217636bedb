//! TLS: certificate, key and the authorities of callers' certificates, from files that are read again when they change.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tokio_util::sync::CancellationToken;

/// How often the files are looked at.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);
/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Where TLS is configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::serve) struct TlsFiles {
    /// The certificate and those between it and its root, as PEM.
    pub(in crate::serve) certificate: PathBuf,
    /// Its key, as PEM.
    pub(in crate::serve) key: PathBuf,
    /// The authorities of which callers must show a certificate; none is asked for where absent.
    pub(in crate::serve) client_ca: Option<PathBuf>,
    /// Whether HTTP/2 is offered.
    pub(in crate::serve) offers_http2: bool,
}

/// What connections that come now are served with.
pub(in crate::serve) type TlsConfig = watch::Receiver<Arc<ServerConfig>>;

/// The content of the files.
#[derive(PartialEq, Eq)]
struct Content {
    certificate: Vec<u8>,
    key: Vec<u8>,
    client_ca: Option<Vec<u8>>,
}

/// Makes the one provider of cryptography the default of the process: two are linked, and libraries that ask for the
/// default must not be left without.
pub(in crate::serve) fn install_provider() {
    if CryptoProvider::get_default().is_none() {
        // Somebody else may have been first, with the same.
        let _ = ring::default_provider().install_default();
    }
}

/// Reads the files, and reads them again when they change or the process gets SIGHUP, until `closing`. What cannot be
/// used then is logged, and the certificate before it stays.
/// Other files can be named meanwhile.
pub(in crate::serve) fn watched(
    mut named: watch::Receiver<TlsFiles>,
    closing: CancellationToken,
) -> Result<TlsConfig> {
    let mut files = named.borrow_and_update().clone();
    let content = read(&files)?;
    let (sender, receiver) = watch::channel(Arc::new(config(&content, &files)?));
    let mut hangups = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
    tokio::spawn(async move {
        let mut last = content;
        loop {
            tokio::select! {
                () = closing.cancelled() => return,
                _ = hangups.recv() => {}
                Ok(()) = named.changed() => files = named.borrow_and_update().clone(),
                () = tokio::time::sleep(LOOK_INTERVAL) => {}
            }
            last = renewed(&files, last, &sender);
        }
    });
    Ok(receiver)
}

/// Fails where the files cannot be used.
pub(in crate::serve) fn check_files(files: &TlsFiles) -> Result<()> {
    config(&read(files)?, files).map(|_| ())
}

/// Looks at the files once. Answers what they held.
fn renewed(files: &TlsFiles, last: Content, sender: &watch::Sender<Arc<ServerConfig>>) -> Content {
    let content = match read(files) {
        Ok(content) if content == last => return last,
        Ok(content) => content,
        Err(error) => {
            tracing::warn!(error = &*error as &dyn std::error::Error, "cannot read the TLS files");
            return last;
        }
    };
    match config(&content, files) {
        Ok(config) => {
            tracing::info!(certificate = %files.certificate.display(), "reloaded the TLS certificate and key");
            sender.send_replace(Arc::new(config));
        }
        Err(error) => tracing::error!(
            error = &*error as &dyn std::error::Error,
            "cannot use the changed TLS files; the previous certificate stays in use"
        ),
    }
    content
}

fn read(files: &TlsFiles) -> Result<Content> {
    let bytes = |path: &PathBuf| -> Result<Vec<u8>> {
        let of = || format!("cannot read {}", path.display());
        if std::fs::metadata(path).with_context(of)?.len() > FILE_BYTES_MAX {
            bail!("{} is larger than {FILE_BYTES_MAX} bytes", path.display());
        }
        std::fs::read(path).with_context(of)
    };
    Ok(Content {
        certificate: bytes(&files.certificate)?,
        key: bytes(&files.key)?,
        client_ca: files.client_ca.as_ref().map(bytes).transpose()?,
    })
}

fn config(content: &Content, files: &TlsFiles) -> Result<ServerConfig> {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .context("cannot enable TLS 1.2 and 1.3")?;
    let chain = certificates(&content.certificate)
        .with_context(|| format!("cannot use {}", files.certificate.display()))?;
    // The error of a key that cannot be read is not shown: it may quote it.
    let Ok(key) = PrivateKeyDer::from_pem_slice(&content.key) else {
        bail!("{} contains no private key in PEM", files.key.display());
    };
    let builder = match &content.client_ca {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(pem).context("cannot use http.tls_client_ca")? {
                roots.add(authority).context("http.tls_client_ca contains an invalid CA certificate")?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .context("cannot use http.tls_client_ca")?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut config =
        builder.with_single_cert(chain, key).context("the certificate and its key do not match")?;
    config.alpn_protocols = if files.offers_http2 {
        vec![b"h2".to_vec(), b"http/1.1".to_vec()]
    } else {
        vec![b"http/1.1".to_vec()]
    };
    Ok(config)
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>> {
    let all: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .context("expected certificates in PEM")?;
    if all.is_empty() {
        bail!("expected at least one certificate in PEM");
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Made {
        _directory: tempfile::TempDir,
        files: TlsFiles,
    }

    /// Files of a new certificate of its own.
    fn made() -> Made {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let files = TlsFiles {
            certificate: directory.path().join("tls.crt"),
            key: directory.path().join("tls.key"),
            client_ca: None,
            offers_http2: false,
        };
        write(&files);
        Made { _directory: directory, files }
    }

    fn write(files: &TlsFiles) {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
        std::fs::write(&files.certificate, made.cert.pem()).expect("written");
        std::fs::write(&files.key, made.signing_key.serialize_pem()).expect("written");
    }

    #[test]
    fn files_that_change_are_used_and_broken_ones_are_not() {
        let made = made();
        let first = read(&made.files).expect("read");
        let (sender, receiver) = watch::channel(Arc::new(config(&first, &made.files).expect("usable")));
        let before = Arc::clone(&receiver.borrow());
        let same = renewed(&made.files, first, &sender);
        assert!(Arc::ptr_eq(&before, &receiver.borrow()), "nothing changed");
        write(&made.files);
        let second = renewed(&made.files, same, &sender);
        let after = Arc::clone(&receiver.borrow());
        assert!(!Arc::ptr_eq(&before, &after), "the new certificate is in use");
        std::fs::write(&made.files.certificate, "no certificate").expect("written");
        let broken = renewed(&made.files, second, &sender);
        assert!(Arc::ptr_eq(&after, &receiver.borrow()), "what was usable stays");
        std::fs::remove_file(&made.files.key).expect("removed");
        let _ = renewed(&made.files, broken, &sender);
        assert!(Arc::ptr_eq(&after, &receiver.borrow()));
    }

    #[test]
    fn a_key_of_another_certificate_is_refused_in_words() {
        let (one, other) = (made(), made());
        let mixed = TlsFiles { key: other.files.key.clone(), ..one.files.clone() };
        let error = config(&read(&mixed).expect("read"), &mixed).expect_err("they do not fit");
        assert!(error.to_string().contains("do not match"), "{error:#}");
        let swapped = TlsFiles { key: one.files.certificate.clone(), ..one.files.clone() };
        let error = config(&read(&swapped).expect("read"), &swapped).expect_err("no key");
        assert!(error.to_string().contains("contains no private key"), "{error:#}");
    }
}
