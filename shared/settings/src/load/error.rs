//! What can be wrong with settings. Messages name the origin and what would be right, and never repeat a value,
//! because a value in the wrong place may be a secret.

use std::fmt;
use std::path::PathBuf;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// A settings file.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
    /// A flag, with its dashes.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the defaults"),
            Self::File(path) => write!(f, "settings file {}", path.display()),
            Self::Variable(name) => write!(f, "environment variable {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// What can be wrong with settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A file that was named cannot be read.
    #[error("{origin}: cannot read {}", path.display())]
    Unreadable {
        /// Who named the file.
        origin: Origin,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file is no TOML, or has no setting's shape. The parser's own error is not kept, because it quotes the line.
    #[error("{origin}, line {line}: {fault}")]
    Malformed {
        /// The file.
        origin: Origin,
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        fault: String,
    },
    /// Nobody knows the setting.
    #[error("{origin}: there is no setting {key}; known are {}", known.join(", "))]
    Unknown {
        /// Where it is written.
        origin: Origin,
        /// The setting as it was understood.
        key: String,
        /// What is known in that place.
        known: Vec<String>,
    },
    /// The value cannot be used.
    #[error("{origin}: the value of {key} cannot be used: expected {expected}")]
    Invalid {
        /// Where it is written.
        origin: Origin,
        /// The setting.
        key: String,
        /// What may be written there.
        expected: &'static str,
    },
    /// Two ways to set the same secret were used at once.
    #[error("{first} and {second} set the same thing: keep one of them")]
    Ambiguous {
        /// One of them.
        first: Origin,
        /// The other.
        second: Origin,
    },
    /// The layers do not fit together.
    #[error("the sources of the settings cannot be merged")]
    Merge(#[from] config::ConfigError),
}
