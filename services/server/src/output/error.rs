//! Errors on standard error, with their causes.

use crate::output::{note, shown};

/// Prints an error and what caused it. A cause that an earlier line has said already is not repeated.
pub(crate) fn print(error: &anyhow::Error) {
    for (number, line) in lines(error).iter().enumerate() {
        let lead = if number == 0 { "error" } else { "  because" };
        note!("{lead}: {}", shown(line));
    }
}

fn lines(error: &anyhow::Error) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if !lines.iter().any(|line| line.contains(&text)) {
            lines.push(text);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn nothing_is_said_twice() {
        let error =
            anyhow!("the disk is full").context("cannot write: the disk is full").context("cannot start");
        assert_eq!(lines(&error), ["cannot start", "cannot write: the disk is full"]);
    }
}
