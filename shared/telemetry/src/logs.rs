//! Log lines on standard error. Standard output is left to what a command prints.

use std::io::IsTerminal;
use std::sync::Arc;

use tracing_subscriber::filter::ParseError;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{EnvFilter, Layer, Registry, reload};

/// The shape of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people; colored on a terminal.
    Text,
    /// One JSON object a line: `timestamp`, `level`, `target`, `message`, the fields, and the span they are in.
    Json,
}

impl LogFormat {
    /// The format with this name in the settings: `text` or `json`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Why there are no logs.
#[derive(Debug, thiserror::Error)]
pub enum LogsError {
    /// The filter has no meaning.
    #[error("log.filter: expected directives such as info or info,engine=debug")]
    Filter(#[from] ParseError),
    /// Somebody installed a subscriber before.
    #[error("logs are set up already")]
    Installed(#[from] TryInitError),
}

/// Which lines are written; can be changed at any time.
#[derive(Clone)]
pub struct LogFilter(Arc<dyn Fn(EnvFilter) -> bool + Send + Sync>);

impl LogFilter {
    /// Fails where directives have no meaning.
    pub fn check(filter: &str) -> Result<(), LogsError> {
        Ok(parse(filter).map(|_| ())?)
    }

    /// Lets other lines through from now on. Answers whether anybody still writes lines.
    pub fn set(&self, filter: &str) -> Result<bool, LogsError> {
        Ok((self.0)(parse(filter)?))
    }
}

impl std::fmt::Debug for LogFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogFilter").finish_non_exhaustive()
    }
}

/// Sends log lines to standard error from now on. `filter` holds directives such as `info` or `info,engine=debug`.
pub fn init_logs(format: LogFormat, filter: &str) -> Result<LogFilter, LogsError> {
    let (filter, handle) = reload::Layer::new(parse(filter)?);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match format {
        LogFormat::Text => {
            let colored = std::io::stderr().is_terminal();
            fmt::layer().with_writer(std::io::stderr).with_ansi(colored).boxed()
        }
        LogFormat::Json => {
            fmt::layer().json().flatten_event(true).with_span_list(false).with_writer(std::io::stderr).boxed()
        }
    };
    // The filter stands above the lines, so that what it hides costs nothing anywhere.
    tracing_subscriber::registry().with(lines).with(filter).try_init()?;
    Ok(LogFilter(Arc::new(move |filter| handle.reload(filter).is_ok())))
}

/// Routine messages of libraries that are hidden, each with the name by which a filter enables it: notices of PostgreSQL (such
/// as that a table already exists, at each migration), and two messages for each migration (the store logs migrations itself).
const QUIET: [(&str, &str); 2] =
    [("sqlx", "sqlx::postgres::notice=warn"), ("sea_orm_migration", "sea_orm_migration=warn")];

/// The filter, with routine messages of libraries hidden unless it names them.
fn parse(filter: &str) -> Result<EnvFilter, ParseError> {
    let unnamed = QUIET.iter().filter(|(name, _)| !filter.contains(*name));
    let directives = unnamed.fold(filter.to_owned(), |all, (_, directive)| format!("{all},{directive}"));
    EnvFilter::try_new(directives)
}

#[cfg(test)]
mod tests {
    use super::{LogFormat, LogsError, init_logs, parse};

    #[test]
    fn formats_have_names() {
        assert_eq!(LogFormat::parse("text"), Some(LogFormat::Text));
        assert_eq!(LogFormat::parse("json"), Some(LogFormat::Json));
        assert_eq!(LogFormat::parse("xml"), None);
    }

    #[test]
    fn a_filter_without_meaning_is_refused() {
        let error = init_logs(LogFormat::Json, "engine=loudest").expect_err("no such level");
        assert!(matches!(error, LogsError::Filter(_)), "{error}");
    }

    #[test]
    fn what_libraries_say_of_every_step_is_hidden_unless_they_are_named() {
        let text = |filter| parse(filter).expect("directives").to_string();
        for directive in ["sqlx::postgres::notice=warn", "sea_orm_migration=warn"] {
            assert!(text("info").contains(directive));
        }
        assert!(!text("info,sqlx=debug").contains("notice"));
        assert!(!text("info,sea_orm_migration=info").contains("sea_orm_migration=warn"));
    }
}
