//! What the console needs to know of the server that it is part of.

use std::fmt;
use std::sync::Arc;

/// Bytes that nobody can guess.
type RandomBytes = Arc<dyn Fn() -> [u8; 32] + Send + Sync>;

/// What the console needs to know.
#[derive(Clone)]
pub struct ConsoleOptions {
    /// The path below which the world reaches the server, without a slash at the end; empty for the root.
    pub base_path: String,
    /// The server's version.
    pub version: String,
    /// The kind of the database: `sqlite` or `postgres`.
    pub database: String,
    /// What the button says by which people sign in at an identity provider; `None` where they cannot.
    pub sign_in_label: Option<String>,
    /// Where nonces come from.
    pub random: RandomBytes,
}

impl fmt::Debug for ConsoleOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleOptions")
            .field("base_path", &self.base_path)
            .field("version", &self.version)
            .field("database", &self.database)
            .field("sign_in_label", &self.sign_in_label)
            .finish_non_exhaustive()
    }
}
