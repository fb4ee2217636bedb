//! Errors on standard error, with their causes.

use crate::output::{note, shown};

/// Prints an error and what caused it.
pub(crate) fn print(error: &anyhow::Error) {
    note!("error: {}", shown(&error.to_string()));
    for cause in error.chain().skip(1) {
        note!("  because: {}", shown(&cause.to_string()));
    }
}
