//! The first key: given, made, or there already.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use engine::{Engine, EngineError, SecretText};
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
        /// The code of the link by which a browser makes a key of its own, once and within an hour.
        code: Option<SecretText>,
    },
    /// The settings give it.
    Given,
    /// There are keys.
    There,
    /// There is none: the settings say that this machine needs none.
    Open,
}

/// Makes sure that there is a key.
pub(super) async fn first_key(engine: &Engine, settings: &Settings) -> Result<FirstKey> {
    if let Some(given) = &settings.bootstrap_key {
        engine.bootstrap_key(Some(given.expose_secret())).await.map_err(refused)?;
        return Ok(FirstKey::Given);
    }
    if engine.has_keys().await.context("cannot check for existing API keys")? {
        return Ok(FirstKey::There);
    }
    if settings.http.open {
        return Ok(FirstKey::Open);
    }
    let file = key_file(settings.database.url.expose_secret());
    let cannot_write = || format!("cannot write the first key to {}", file.display());
    // Opened before there is a key: one that cannot be kept must not be made.
    let private = PrivateFile::create(&file).with_context(cannot_write)?;
    match engine.bootstrap_key(None).await.context("cannot create the first API key")? {
        Some(key) => {
            private.keep(&key, &file).with_context(cannot_write)?;
            let code = engine.set_up_code().await.context("cannot create the set-up link")?;
            Ok(FirstKey::Made { key, file, code })
        }
        // Another node was faster.
        None => Ok(FirstKey::There),
    }
}

fn refused(error: EngineError) -> anyhow::Error {
    match error {
        EngineError::Invalid(faults) => {
            let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            anyhow!(
                "the key in TRUNKLINE_BOOTSTRAP_KEY (or its _FILE, or the setting bootstrap_key) cannot be used: {}; \
                 `openssl rand -hex 32` generates one",
                messages.join(", ")
            )
        }
        other => anyhow!(other).context("cannot store the bootstrap key"),
    }
}

/// Writes the set-up link beside the first key, for its owner alone. Answers where.
pub(super) fn keep_link(link: &str, key_file: &Path) -> Result<PathBuf> {
    let file = key_file.with_file_name("set-up.link");
    let cannot_write = || format!("cannot write the set-up link to {}", file.display());
    let private = PrivateFile::create(&file).with_context(cannot_write)?;
    private.keep(link, &file).with_context(cannot_write)?;
    Ok(file)
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

/// A file for its owner alone, written beside its place and removed unless it is kept.
struct PrivateFile {
    handle: File,
    path: PathBuf,
}

impl PrivateFile {
    fn create(file: &Path) -> std::io::Result<Self> {
        if let Some(directory) = file.parent().filter(|directory| !directory.as_os_str().is_empty()) {
            DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        }
        let path = file.with_extension(format!("key.{}", std::process::id()));
        // The mode counts only at creation; what a process of the same number left is not written into.
        if path.exists() {
            std::fs::remove_file(&path)?;
        }
        let handle = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        Ok(Self { handle, path })
    }

    /// Writes the key and puts the file into its place.
    fn keep(mut self, key: &str, file: &Path) -> std::io::Result<()> {
        writeln!(self.handle, "{key}")?;
        self.handle.sync_all()?;
        std::fs::rename(&self.path, file)
    }
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        // There only where it was not kept.
        let _ = std::fs::remove_file(&self.path);
    }
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
        for key in ["tl_x", "tl_y"] {
            let private = PrivateFile::create(&file).expect("created");
            private.keep(key, &file).expect("written");
        }
        drop(PrivateFile::create(&file).expect("created"));
        assert_eq!(std::fs::read_to_string(&file).expect("read"), "tl_y\n");
        assert_eq!(std::fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
        let parent = file.parent().expect("a directory");
        assert_eq!(std::fs::metadata(parent).expect("there").permissions().mode() & 0o777, 0o700);
        assert_eq!(std::fs::read_dir(parent).expect("listed").count(), 1, "nothing is left beside it");
    }
}
