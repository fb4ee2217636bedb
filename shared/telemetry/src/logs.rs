//! Log lines on standard error. Standard output is left to what a command prints.

use std::io::IsTerminal;

use tracing_subscriber::filter::ParseError;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{EnvFilter, Layer, Registry};

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

/// Sends log lines to standard error from now on. `filter` holds directives such as `info` or `info,engine=debug`.
pub fn init_logs(format: LogFormat, filter: &str) -> Result<(), LogsError> {
    let filter = EnvFilter::try_new(filter)?;
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
    Ok(tracing_subscriber::registry().with(lines).with(filter).try_init()?)
}

#[cfg(test)]
mod tests {
    use super::{LogFormat, LogsError, init_logs};

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
}
