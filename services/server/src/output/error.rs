//! Errors on standard error, with their causes.

/// Prints an error and what caused it.
pub(crate) fn print(error: &anyhow::Error) {
    eprintln!("error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
}
