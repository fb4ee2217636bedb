//! Certificates for tests.

use std::path::PathBuf;

/// A directory with the files of an authority, of a server at `localhost`, and of a caller, both of whom it vouches for.
pub(in crate::serve) struct Authority {
    directory: tempfile::TempDir,
}

impl Authority {
    /// A new one that nobody knows.
    pub(in crate::serve) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut params = rcgen::CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        let made = Self { directory };
        std::fs::write(made.file("ca.crt"), certificate.pem()).expect("written");
        let issuer = rcgen::Issuer::new(params, key);
        for name in ["localhost", "caller"] {
            let params = rcgen::CertificateParams::new(vec![name.to_owned()]).expect("parameters");
            let key = rcgen::KeyPair::generate().expect("a key");
            let certificate = params.signed_by(&key, &issuer).expect("a certificate");
            std::fs::write(made.file(&format!("{name}.crt")), certificate.pem()).expect("written");
            std::fs::write(made.file(&format!("{name}.key")), key.serialize_pem()).expect("written");
        }
        made
    }

    /// The path of a file: `ca.crt`, `localhost.crt`, `localhost.key`, `caller.crt`, `caller.key`.
    pub(in crate::serve) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}
