//! Printing lines. Whoever reads them may stop reading (`trunkline job list | head -1`): the verb then ends without an error.

use std::borrow::Cow;
use std::fmt::{Arguments, Write as _};
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

// Text from elsewhere (errors of workers, payloads, names) on a terminal: control characters are shown, not obeyed.

/// The text with control characters other than line breaks and tabs written as `\u{…}`. Characters that change the
/// direction of what follows count as such.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, |character, to| {
        let _ = write!(to, "\\u{{{:x}}}", u32::from(character));
    })
}

/// JSON text with such characters written as JSON writes them, so that it stays the same JSON.
pub(crate) fn shown_json(json: &str) -> Cow<'_, str> {
    escaped(json, |character, to| {
        let _ = write!(to, "\\u{:04x}", u32::from(character));
    })
}

fn escaped(text: &str, escape: fn(char, &mut String)) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_obeyed(character) {
            escape(character, &mut escaped);
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Whether a terminal would do something else than show the character.
fn is_obeyed(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\t'))
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(shown("line 1\nline\t2, Grüße"), "line 1\nline\t2, Grüße");
        assert_eq!(shown("\u{1b}[2Jgone\r\u{7f}\u{9b}31m"), "\\u{1b}[2Jgone\\u{d}\\u{7f}\\u{9b}31m");
        assert_eq!(shown("a\u{202e}txt.exe"), "a\\u{202e}txt.exe");
    }

    #[test]
    fn json_stays_the_same() {
        let value = serde_json::json!({"a": "\u{9b}31m\u{7f}\u{202e}\u{1b}"});
        let text = format!("{value:#}");
        let shown = shown_json(&text);
        assert!(!shown.chars().any(is_obeyed), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"), value);
    }
}
