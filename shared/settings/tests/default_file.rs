//! The committed default file is what the defaults print, and reads back as them.

use settings::{Flags, Settings, load};

fn committed() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/default.toml")
}

#[test]
fn the_committed_default_file_is_fresh() {
    let text = std::fs::read_to_string(committed()).unwrap_or_default();
    assert!(text == Settings::default_toml(), "config/default.toml is stale: run `make config`");
}

#[test]
fn the_default_file_changes_nothing() {
    let flags = Flags { config: Some(committed()), ..Flags::default() };
    let settings = load(&flags, []).expect("the default file is valid");
    assert_eq!(settings.redacted(), Settings::default().redacted());
}

#[test]
fn what_is_shown_can_be_read_again() {
    let shown = Settings::default().redacted();
    let directory = tempfile::TempDir::new().expect("a temporary directory");
    let path = directory.path().join("shown.toml");
    std::fs::write(&path, &shown).expect("the file is written");
    let settings = load(&Flags { config: Some(path), ..Flags::default() }, []).expect("valid");
    assert_eq!(settings.redacted(), shown);
}
