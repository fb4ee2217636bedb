//! Printing lines. Whoever reads them may stop reading (`trunkline job list | head -1`): the verb then ends without an error.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Prints a line on standard output, as `println!` does, but ends the process quietly when nobody reads any more.
macro_rules! out {
    () => { $crate::output::line(format_args!("")) };
    ($($text:tt)+) => { $crate::output::line(format_args!($($text)+)) };
}

/// Prints a line on standard error. One that cannot be printed is dropped.
macro_rules! note {
    ($($text:tt)+) => { $crate::output::record_line(format_args!($($text)+)) };
}

pub(crate) use {note, out};

/// See [`out!`].
pub(crate) fn line(text: Arguments<'_>) {
    end_if_closed(writeln!(std::io::stdout().lock(), "{text}"));
}

/// Prints text as it is, without a line break after it.
pub(crate) fn text(text: &str) {
    let mut stdout = std::io::stdout().lock();
    end_if_closed(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
}

/// See [`note!`].
pub(crate) fn record_line(text: Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

fn end_if_closed(written: std::io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            record_line(format_args!("error: cannot write to standard output: {error}"));
            std::process::exit(1);
        }
    }
}
