//! Where secrets come from: a file or standard input. The arguments of a command are seen by every process of the
//! machine and kept in the shell's history.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::output::note;

/// Where a secret comes from.
#[derive(Debug, Args)]
pub(super) struct SecretArgs {
    /// Read the secret from standard input
    #[arg(long, conflicts_with_all = ["secret_file", "secret"])]
    secret_stdin: bool,
    /// Read the secret from this file
    #[arg(long, value_name = "FILE", conflicts_with = "secret")]
    secret_file: Option<PathBuf>,
    /// Secret; visible to other processes and in shell history, so prefer the other two options
    #[arg(long, value_name = "SECRET")]
    secret: Option<String>,
}

impl SecretArgs {
    /// The secret, if one is given.
    pub(super) fn read(self) -> Result<Option<String>> {
        if let Some(secret) = self.secret {
            note!(
                "warning: --secret shows the secret to other processes and to the shell's history; use --secret-stdin or --secret-file, and rotate this one"
            );
            return Ok(Some(secret));
        }
        if let Some(path) = self.secret_file {
            return from_file(&path).map(Some);
        }
        if !self.secret_stdin {
            return Ok(None);
        }
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read the secret from standard input")?;
        one_line(&text).map(Some)
    }
}

/// The secret that a file holds.
pub(super) fn from_file(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    one_line(&text).with_context(|| path.display().to_string())
}

/// Editors and `echo` end a line that the secret does not have.
fn one_line(text: &str) -> Result<String> {
    let line = text.strip_suffix('\n').unwrap_or(text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    ensure!(!line.is_empty() && !line.contains('\n'), "expected a secret on one line");
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn only_the_end_of_the_line_is_cut() {
        assert_eq!(one_line("abc\n").expect("a line"), "abc");
        assert_eq!(one_line("abc\r\n").expect("a line"), "abc");
        assert_eq!(one_line(" a b ").expect("a line"), " a b ");
        assert!(one_line("").is_err() && one_line("\n").is_err() && one_line("a\nb\n").is_err());
    }
}
