//! Durations as the server reads and writes them, such as `300ms` or `1h30m`.

use std::time::Duration;

/// Whole milliseconds, rounded up.
pub(crate) fn text(duration: Duration) -> String {
    format!("{}ms", duration.as_nanos().div_ceil(1_000_000))
}

/// Reads `300ms`, `2s`, `1h30m`; `None` for anything else.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let mut left = text.trim();
    let mut total = Duration::ZERO;
    if left.is_empty() {
        return None;
    }
    while !left.is_empty() {
        let digits = left.find(|c: char| !c.is_ascii_digit())?;
        let number: u32 = left[..digits].parse().ok()?;
        left = &left[digits..];
        let unit_end = left.find(|c: char| c.is_ascii_digit()).unwrap_or(left.len());
        let unit = match &left[..unit_end] {
            "ms" => Duration::from_millis(1),
            "s" => Duration::from_secs(1),
            "m" => Duration::from_mins(1),
            "h" => Duration::from_hours(1),
            "d" => Duration::from_hours(24),
            _ => return None,
        };
        total = total.checked_add(unit.checked_mul(number)?)?;
        left = &left[unit_end..];
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{parse, text};

    #[test]
    fn durations_are_written_and_read() {
        assert_eq!(text(Duration::from_micros(1_001)), "2ms");
        assert_eq!(text(Duration::from_secs(2)), "2000ms");
        assert_eq!(parse("1h30m"), Some(Duration::from_mins(90)));
        assert_eq!(parse("300ms"), Some(Duration::from_millis(300)));
        for wrong in ["", "5", "s", "5x", "-1s", "1.5s"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
