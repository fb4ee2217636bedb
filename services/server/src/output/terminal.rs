//! What a terminal gets beyond the text: colour, the width that there is, and times as people read them. Where output goes to a
//! file or a program, all of that is left out.

use std::io::IsTerminal;
use std::sync::OnceLock;

use comfy_table::Table;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::client::is_no_color;

/// What is known of the terminal.
#[derive(Debug, Default)]
struct Terminal {
    has_colour: bool,
    width: Option<usize>,
    zone: Option<TimeZone>,
}

static TERMINAL: OnceLock<Terminal> = OnceLock::new();

/// Looks at the terminal once, before anything is printed.
pub(crate) fn look(is_utc: bool) {
    let is_watched = std::io::stdout().is_terminal();
    let zone = if is_utc { TimeZone::UTC } else { TimeZone::system() };
    let _ = TERMINAL.set(Terminal {
        has_colour: is_watched && std::io::stderr().is_terminal() && !is_no_color(),
        // A terminal that does not know its width, as one without a window, says 0.
        width: Table::new().width().filter(|width| is_watched && *width > 0).map(usize::from),
        zone: is_watched.then_some(zone),
    });
}

fn terminal() -> &'static Terminal {
    TERMINAL.get_or_init(Terminal::default)
}

/// How many characters a line has; `None` where nobody watches.
pub(crate) fn width() -> Option<usize> {
    terminal().width
}

/// Text that says what went wrong.
pub(crate) fn red(text: &str) -> String {
    coloured(text, Some("31"))
}

/// The text of a status in its colour.
pub(crate) fn status(text: &str) -> String {
    coloured(text, colour_of(text))
}

fn coloured(text: &str, colour: Option<&str>) -> String {
    match colour.filter(|_| terminal().has_colour) {
        Some(colour) => format!("\u{1b}[{colour}m{text}\u{1b}[0m"),
        None => text.to_owned(),
    }
}

/// Red for what failed, green for what is done, yellow for what waits for somebody.
fn colour_of(status: &str) -> Option<&'static str> {
    match status.to_ascii_uppercase().as_str() {
        "FAILED" | "DEAD_LETTER" | "REJECTED" | "FIRING" | "ABORTED" => Some("31"),
        "COMPLETED" | "PROCESSED" | "RESOLVED" | "OK" => Some("32"),
        "WAITING" | "RETRY_WAIT" | "PARKED" | "PAUSED" | "HELD" | "PENDING" => Some("33"),
        _ => None,
    }
}

/// An instant as people read it, in the local time zone or in UTC: `2026-11-26 21:03:11 (3m ago)`. Anything else, and everything
/// where nobody watches, stays as it is.
#[expect(clippy::disallowed_methods, reason = "it is this machine's time that the reader compares with")]
pub(crate) fn instant(text: &str) -> Option<String> {
    let zone = terminal().zone.as_ref()?;
    Some(written(parsed(text)?, Timestamp::now(), zone))
}

/// RFC 3339 as the server writes it; names and numbers are no instants.
fn parsed(text: &str) -> Option<Timestamp> {
    let looks_like_one = text.len() >= 20 && text.as_bytes()[4] == b'-' && text.ends_with('Z');
    looks_like_one.then(|| text.parse().ok())?
}

fn written(instant: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let local = instant.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string();
    format!("{local} ({})", distance(now.as_second() - instant.as_second()))
}

/// So many seconds ago, in its largest unit.
fn distance(seconds: i64) -> String {
    let size = seconds.unsigned_abs();
    let (number, unit) = match size {
        0..60 => (size, "s"),
        60..3_600 => (size / 60, "m"),
        3_600..86_400 => (size / 3_600, "h"),
        _ => (size / 86_400, "d"),
    };
    if seconds < 0 { format!("in {number}{unit}") } else { format!("{number}{unit} ago") }
}

/// A duration in its two largest units: `412ms`, `4.2s`, `1m 30s`, `2h 5m`, `3d 4h`.
pub(crate) fn duration(milliseconds: i64) -> String {
    let sign = if milliseconds < 0 { "-" } else { "" };
    let size = milliseconds.unsigned_abs();
    let seconds = size / 1_000;
    let pair = |large: u64, unit: &str, small: u64, rest: &str| match small {
        0 => format!("{sign}{large}{unit}"),
        _ => format!("{sign}{large}{unit} {small}{rest}"),
    };
    match seconds {
        0 => format!("{sign}{size}ms"),
        1..60 => match size % 1_000 / 100 {
            0 => format!("{sign}{seconds}s"),
            tenths => format!("{sign}{seconds}.{tenths}s"),
        },
        60..3_600 => pair(seconds / 60, "m", seconds % 60, "s"),
        3_600..86_400 => pair(seconds / 3_600, "h", seconds % 3_600 / 60, "m"),
        _ => pair(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_local_and_relative() {
        let now: Timestamp = "2026-11-26T21:06:12Z".parse().expect("an instant");
        let zone = TimeZone::get("Asia/Kolkata").expect("a zone");
        let shown = |text: &str| parsed(text).map(|instant| written(instant, now, &zone));
        assert_eq!(shown("2026-11-26T21:03:11.123Z").as_deref(), Some("2026-11-27 02:33:11 (3m ago)"));
        assert_eq!(shown("2026-11-28T21:06:13Z").as_deref(), Some("2026-11-29 02:36:13 (in 2d)"));
        for other in ["nightly-report", "2026-11-26", "job_01980c0de7ab7def8123456789abcdefZ"] {
            assert_eq!(shown(other), None, "{other}");
        }
    }

    #[test]
    fn distances_are_in_their_largest_unit() {
        let texts = [0, 59, 60, 7_199, 86_400, -30].map(distance);
        assert_eq!(texts, ["0s ago", "59s ago", "1m ago", "1h ago", "1d ago", "in 30s"]);
    }

    #[test]
    fn durations_are_in_their_two_largest_units() {
        let sizes = [0, 999, 1_000, 4_280, 59_999, 90_000, 3_600_000, 7_500_000, 273_600_000, -1_500];
        let texts = sizes.map(duration);
        assert_eq!(texts, ["0ms", "999ms", "1s", "4.2s", "59.9s", "1m 30s", "1h", "2h 5m", "3d 4h", "-1.5s"]);
    }

    #[test]
    fn a_status_has_a_colour_by_what_it_asks_of_the_reader() {
        assert_eq!(colour_of("DEAD_LETTER"), Some("31"));
        assert_eq!(colour_of("parked"), Some("33"));
        assert_eq!(colour_of("QUEUED"), None);
        assert_eq!(status("FAILED"), "FAILED", "nobody watches a test");
    }
}
