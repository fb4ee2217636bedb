//! The REST client of the command line.

mod http;
mod path;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Deserialize;

pub(crate) use http::{Client, ClientError, query};
pub(crate) use path::{api_path, id, path_of};

// Where the server is and which key to show: flag, then environment, then profile, then what a server that was
// started in this directory left behind.

const URL_DEFAULT: &str = "http://127.0.0.1:8080";

/// Where the server of this directory writes its first key.
pub(crate) const KEY_FILE_DEFAULT: &str = "data/admin.key";

/// Where to call, and as whom.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// The base URL without a slash at its end.
    pub(crate) url: String,
    /// The key.
    pub(crate) key: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Profile {
    url: Option<String>,
    api_key: Option<String>,
    api_key_file: Option<PathBuf>,
}

/// Finds the target.
pub(crate) fn target(global: &Global) -> Result<Target> {
    let profile = match profile_of(global) {
        Some(name) => read_profile(name)?,
        None => Profile::default(),
    };
    let from_environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let url = global
        .url
        .clone()
        .or_else(|| from_environment("TRUNKLINE_URL"))
        .or(profile.url)
        .unwrap_or_else(|| URL_DEFAULT.to_owned());
    let mut key = from_environment("TRUNKLINE_API_KEY");
    if let (None, Some(path)) = (&key, from_environment("TRUNKLINE_API_KEY_FILE")) {
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {path}, which TRUNKLINE_API_KEY_FILE names"))?;
        key = Some(text.trim().to_owned());
    }
    let mut key = key.or(profile.api_key);
    if key.is_none() {
        let file =
            profile.api_key_file.or_else(|| is_loopback(&url).then(|| PathBuf::from(KEY_FILE_DEFAULT)));
        key = file.and_then(|path| std::fs::read_to_string(path).ok()).map(|text| text.trim().to_owned());
    }
    checked(url.trim_end_matches('/').to_owned(), key)
}

/// The target, if a request can be sent there with this key. Otherwise such a mistake would look like a server that is down.
fn checked(url: String, key: Option<String>) -> Result<Target> {
    let is_http = reqwest::Url::parse(&url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    if !is_http {
        bail!("{url:?} is not the URL of a server: expected one such as {URL_DEFAULT}");
    }
    // The key itself is not shown.
    if key.as_ref().is_some_and(|key| key.is_empty() || key.contains(char::is_control)) {
        bail!(
            "the API key is empty or has line breaks or other control characters: expected tl_… on one line"
        );
    }
    Ok(Target { url, key })
}

/// Whether flag, environment or profile say where the server is.
pub(crate) fn is_server_named(global: &Global) -> bool {
    let from_environment = std::env::var("TRUNKLINE_URL").is_ok_and(|url| !url.is_empty());
    global.url.is_some() || profile_of(global).is_some() || from_environment
}

/// The selected profile. An empty variable counts as not set, like the others.
fn profile_of(global: &Global) -> Option<&str> {
    global.profile.as_deref().filter(|name| !name.is_empty())
}

/// Whether nothing is coloured: `NO_COLOR` is set and not empty, or the terminal is one without colours (`TERM=dumb`).
pub(crate) fn is_no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|value| value == "dumb")
}

/// The directories in which programs are looked for (`PATH`); `None` where the variable is not set.
pub(crate) fn search_path() -> Option<OsString> {
    std::env::var_os("PATH")
}

/// A key of this machine's own server is not sent to another one.
fn is_loopback(url: &str) -> bool {
    reqwest::Url::parse(url)
        .ok()
        .and_then(|url| url.host_str().map(|host| matches!(host, "127.0.0.1" | "localhost" | "[::1]")))
        .unwrap_or(false)
}

fn read_profile(name: &str) -> Result<Profile> {
    let path = profiles_path().context("cannot find the profiles file: HOME is not set")?;
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read the profiles file {}", path.display()))?;
    let mut profiles: BTreeMap<String, Profile> =
        toml::from_str(&text).with_context(|| format!("{} is not a valid profiles file", path.display()))?;
    let names = profiles.keys().cloned().collect::<Vec<_>>().join(", ");
    match profiles.remove(name) {
        Some(profile) => Ok(profile),
        None => bail!("no profile {name} in {} (available: {names})", path.display()),
    }
}

fn profiles_path() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("TRUNKLINE_PROFILES") {
        return Some(path.into());
    }
    let base = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(base.join("trunkline").join("profiles.toml"))
}

/// Global flags.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Server URL [env: TRUNKLINE_URL] [default: http://127.0.0.1:8080]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Use the server URL and API key of this profile in the profiles file
    #[arg(long, global = true, env = "TRUNKLINE_PROFILE", value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show times in UTC instead of the local time zone
    #[arg(long, global = true)]
    pub(crate) utc: bool,
}

#[cfg(test)]
mod tests {
    use super::checked;

    #[test]
    fn a_target_that_no_request_can_be_sent_to_is_refused() {
        for url in ["", "127.0.0.1:8080", "localhost:8080", "ftp://x", "/v1"] {
            let error = checked(url.to_owned(), None).expect_err(url).to_string();
            assert_eq!(
                error,
                format!("{url:?} is not the URL of a server: expected one such as http://127.0.0.1:8080")
            );
        }
        for key in ["", "tl_a\ntl_b"] {
            let error = checked("https://jobs.example".into(), Some(key.into())).expect_err(key).to_string();
            assert!(error.starts_with("the API key") && !error.contains("tl_a"), "{error}");
        }
        let target = checked("https://jobs.example".into(), Some("tl_a".into())).expect("a target");
        assert_eq!((target.url.as_str(), target.key.as_deref()), ("https://jobs.example", Some("tl_a")));
    }
}
