//! Until when the certificates are valid that a process serves with.

use std::path::Path;

use anyhow::{Context, Result, bail};
use der::asn1::{AnyRef, GeneralizedTime, UtcTime};
use der::{Decode, SliceReader, Tag, Tagged};
use domain::doctor::CertificateFacts;
use domain::time::Timestamp;
use settings::Settings;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

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
        let der = der.context("it is no PEM")?;
        let until = not_after(&der).context("it is no certificate")?;
        first = Some(first.map_or(until, |known| known.min(until)));
    }
    let secs = first.context("it holds no certificate")?;
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
