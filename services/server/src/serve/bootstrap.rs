//! The first key: given, made, or there already.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use engine::{Engine, EngineError};
use secrecy::ExposeSecret;
use settings::Settings;

/// Where the first key came from.
#[derive(Debug)]
pub(super) enum FirstKey {
    /// Made now, shown once.
    Made {
        /// The key.
        key: String,
        /// The file that holds it.
        file: PathBuf,
    },
    /// The settings give it.
    Given,
    /// There are keys.
    There,
}

/// Makes sure that there is a key.
pub(super) async fn first_key(engine: &Engine, settings: &Settings) -> Result<FirstKey> {
    if let Some(given) = &settings.bootstrap_key {
        engine.bootstrap_key(Some(given.expose_secret())).await.map_err(refused)?;
        return Ok(FirstKey::Given);
    }
    match engine.bootstrap_key(None).await.context("cannot make the first key")? {
        Some(key) => {
            let file = key_file(settings.database.url.expose_secret());
            write_private(&file, &key)
                .with_context(|| format!("cannot write the first key to {}", file.display()))?;
            Ok(FirstKey::Made { key, file })
        }
        None => Ok(FirstKey::There),
    }
}

fn refused(error: EngineError) -> anyhow::Error {
    match error {
        EngineError::Invalid(faults) => {
            let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            anyhow!(
                "the key in TRUNKLINE_BOOTSTRAP_KEY (or its _FILE, or the setting bootstrap_key) cannot be used: {}; \
                 `openssl rand -hex 32` makes a good one",
                messages.join(", ")
            )
        }
        other => anyhow!(other).context("cannot store the bootstrap key"),
    }
}

/// Beside the SQLite file, and under `data` otherwise.
fn key_file(database_url: &str) -> PathBuf {
    let path = database_url.strip_prefix("sqlite:").map(|rest| rest.trim_start_matches("//"));
    let path = path.map(|path| path.split('?').next().unwrap_or_default());
    match path {
        Some(path) if !path.is_empty() && path != ":memory:" => {
            Path::new(path).parent().unwrap_or(Path::new(".")).join("admin.key")
        }
        _ => PathBuf::from(crate::client::KEY_FILE_DEFAULT),
    }
}

fn write_private(file: &Path, key: &str) -> std::io::Result<()> {
    if let Some(directory) = file.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        std::fs::create_dir_all(directory)?;
    }
    // The mode counts only at creation, so an older file is replaced and not written into.
    if file.exists() {
        std::fs::remove_file(file)?;
    }
    let mut handle = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    writeln!(handle, "{key}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_lies_beside_the_database() {
        for (url, file) in [
            ("sqlite://data/trunkline.db", "data/admin.key"),
            ("sqlite:///var/lib/t.db?mode=rwc", "/var/lib/admin.key"),
            ("sqlite::memory:", "data/admin.key"),
            ("postgres://db/x", "data/admin.key"),
        ] {
            assert_eq!(key_file(url), Path::new(file), "{url}");
        }
    }

    #[test]
    fn the_file_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("deep/admin.key");
        write_private(&file, "tl_x").expect("written");
        write_private(&file, "tl_y").expect("replaced");
        assert_eq!(std::fs::read_to_string(&file).expect("read"), "tl_y\n");
        assert_eq!(std::fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
    }
}
