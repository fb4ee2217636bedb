//! Lines that a handler logs while it works on a job: their levels and bounds, and how many of them an attempt keeps.

use crate::time::Timestamp;

/// The longest line, in bytes of its message and fields. What is longer is cut.
pub const LOG_LINE_BYTES_MAX: usize = 8 * 1024;
/// The most lines of one call, over all of its jobs.
pub const LOG_LINES_OF_CALL_MAX: usize = 100;
/// The most lines that an attempt keeps, beside the one that says how many were dropped.
pub const LOG_LINES_OF_ATTEMPT_MAX: u32 = 1_000;
/// The most bytes of lines that an attempt keeps.
pub const LOG_BYTES_OF_ATTEMPT_MAX: u32 = 256 * 1024;
/// What a line counts beside its message and fields, against the quota of its tenant.
pub const LOG_LINE_ROW_BYTES: u64 = 128;

/// What a cut message ends with.
const CUT: &str = "…";

words! {
    serde
    /// How much a line matters, from the level that matters least.
    #[derive(PartialOrd, Ord)]
    LogLevel {
        /// For whoever looks for a fault.
        Debug "debug",
        /// What happens.
        Info "info",
        /// What should not be, and did no harm.
        Warn "warn",
        /// What went wrong.
        Error "error",
    }
}

impl LogLevel {
    /// The stored number: what matters more has a greater one.
    pub const fn code(self) -> i32 {
        match self {
            Self::Debug => 0,
            Self::Info => 1,
            Self::Warn => 2,
            Self::Error => 3,
        }
    }

    /// The level with this number.
    pub fn from_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.code() == code)
    }
}

/// A line, within its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When it was logged, by the clock of the worker but never after it was received.
    pub at: Timestamp,
    /// How much it matters.
    pub level: LogLevel,
    /// What it says.
    pub message: String,
    /// What it says for programs: a JSON object as raw text.
    pub fields: Option<String>,
    /// Its number within the attempt as the worker counts, from 1. A line whose number came before is a repetition.
    pub sequence: Option<u32>,
}

impl LogLine {
    /// The line within its bounds: without NUL, which one of the databases cannot hold; fields that do not fit beside the
    /// message are left out, and a message that is too long is cut.
    #[must_use]
    pub fn bounded(mut self, now: Timestamp) -> Self {
        self.at = self.at.min(now);
        if self.message.contains('\0') {
            self.message = self.message.replace('\0', "\u{fffd}");
        }
        if self.message.len() > LOG_LINE_BYTES_MAX {
            let end = self.message.floor_char_boundary(LOG_LINE_BYTES_MAX - CUT.len());
            self.message.truncate(end);
            self.message.push_str(CUT);
        }
        let room = LOG_LINE_BYTES_MAX - self.message.len();
        self.fields = self.fields.filter(|fields| fields.len() <= room);
        self
    }

    /// The bytes of its message and fields.
    pub fn bytes(&self) -> u32 {
        let bytes = self.message.len() + self.fields.as_ref().map_or(0, String::len);
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }
}

/// What an attempt has logged so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogCounts {
    /// How many lines were kept.
    pub lines: u32,
    /// Their bytes.
    pub bytes: u32,
    /// How many lines were dropped, because the attempt has logged as much as it may.
    pub dropped: u32,
    /// The greatest number that a line came with.
    pub sequence: u32,
}

/// What becomes of lines that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdmittedLines {
    /// Those to keep, each with its number in the attempt, from 1.
    pub kept: Vec<(u32, LogLine)>,
    /// The line that says how many were dropped, where any were by these. It takes the place of the one before it.
    pub note: Option<(u32, LogLine)>,
    /// What the attempt has logged now.
    pub counts: LogCounts,
}

/// Decides which lines an attempt keeps that has logged this much. Once one was dropped, all that come later are.
pub fn admit(counts: LogCounts, lines: Vec<LogLine>) -> AdmittedLines {
    admit_within(counts, lines, None)
}

/// The same for an attempt whose tenant has as many lines as it may have: none is kept any more.
pub fn admit_none(counts: LogCounts, lines: Vec<LogLine>) -> AdmittedLines {
    admit_within(counts, lines, Some("the quota logBytes of the tenant is used up"))
}

/// `full`: why none is kept.
fn admit_within(mut counts: LogCounts, lines: Vec<LogLine>, full: Option<&str>) -> AdmittedLines {
    let dropped_before = counts.dropped;
    let (mut kept, mut dropped_at) = (Vec::with_capacity(lines.len()), None);
    for line in lines {
        if let Some(sequence) = line.sequence {
            if sequence <= counts.sequence {
                continue;
            }
            counts.sequence = sequence;
        }
        let bytes = line.bytes();
        let has_room = full.is_none()
            && counts.dropped == 0
            && counts.lines < LOG_LINES_OF_ATTEMPT_MAX
            && counts.bytes.saturating_add(bytes) <= LOG_BYTES_OF_ATTEMPT_MAX;
        if has_room {
            counts.lines += 1;
            counts.bytes += bytes;
            kept.push((counts.lines, line));
        } else {
            counts.dropped = counts.dropped.saturating_add(1);
            dropped_at = Some(line.at);
        }
    }
    let note = dropped_at.filter(|_| counts.dropped > dropped_before).map(|at| {
        let kib = LOG_BYTES_OF_ATTEMPT_MAX / 1024;
        let why = full.map_or_else(
            || format!("an attempt keeps {LOG_LINES_OF_ATTEMPT_MAX} lines and {kib} KiB"),
            str::to_owned,
        );
        let line = LogLine {
            at,
            level: LogLevel::Warn,
            message: format!("{} more lines were dropped: {why}", counts.dropped),
            fields: None,
            sequence: None,
        };
        (counts.lines + 1, line)
    });
    AdmittedLines { kept, note, counts }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(message: &str) -> LogLine {
        LogLine {
            at: Timestamp(5),
            level: LogLevel::Info,
            message: message.to_owned(),
            fields: None,
            sequence: None,
        }
    }

    #[test]
    fn levels_keep_their_order_as_numbers() {
        assert!(LogLevel::ALL.is_sorted_by_key(|level| level.code()));
        for level in LogLevel::ALL {
            assert_eq!(LogLevel::from_code(level.code()), Some(level));
            assert_eq!(serde_json::to_value(level).expect("encodes"), level.as_str());
        }
        assert_eq!(LogLevel::from_code(4), None);
    }

    #[test]
    fn a_line_is_cut_to_its_bounds() {
        let long = LogLine { fields: Some("{}".into()), ..line(&"ü".repeat(LOG_LINE_BYTES_MAX)) };
        let long = long.bounded(Timestamp(9));
        assert!(long.message.len() <= LOG_LINE_BYTES_MAX && long.message.ends_with("ü…"), "it is cut");
        assert_eq!(long.fields, None, "they have no room");
        let odd = LogLine { fields: Some("{}".into()), ..line("a\0b") }.bounded(Timestamp(4));
        assert_eq!((odd.message.as_str(), odd.fields.as_deref()), ("a\u{fffd}b", Some("{}")));
        assert_eq!(odd.at, Timestamp(4), "a worker's clock may be ahead");
    }

    #[test]
    fn an_attempt_keeps_so_many_lines() {
        let full = LogCounts { lines: LOG_LINES_OF_ATTEMPT_MAX - 1, ..LogCounts::default() };
        let first = admit(full, vec![line("a"), line("b"), line("c")]);
        assert_eq!(first.kept, [(LOG_LINES_OF_ATTEMPT_MAX, line("a"))]);
        let (number, note) = first.note.expect("two were dropped");
        assert_eq!(number, LOG_LINES_OF_ATTEMPT_MAX + 1);
        assert!(note.message.starts_with("2 more lines were dropped"), "{}", note.message);
        let second = admit(first.counts, vec![line("d")]);
        let (number, note) = second.note.expect("another was dropped");
        assert_eq!((number, second.kept.len()), (LOG_LINES_OF_ATTEMPT_MAX + 1, 0));
        assert!(note.message.starts_with("3 more"), "{}", note.message);
    }

    #[test]
    fn an_attempt_keeps_so_many_bytes() {
        let full = LogCounts { lines: 40, bytes: LOG_BYTES_OF_ATTEMPT_MAX - 3, ..LogCounts::default() };
        let admitted = admit(full, vec![line("abc"), line("d"), line("")]);
        assert_eq!(admitted.kept, [(41, line("abc"))]);
        assert_eq!(admitted.counts.dropped, 2, "what comes after a dropped line is dropped too");
        assert!(admit(full, vec![]).note.is_none());
    }

    #[test]
    fn an_attempt_of_a_tenant_without_room_keeps_no_lines_from_then_on() {
        let first = admit(LogCounts::default(), vec![line("a")]);
        let second = admit_none(first.counts, vec![line("b"), line("c")]);
        assert_eq!((second.kept.len(), second.counts.dropped), (0, 2));
        let (number, note) = second.note.expect("it says so");
        assert_eq!((number, note.message.starts_with("2 more lines were dropped: the quota")), (2, true));
        let third = admit(second.counts, vec![line("d")]);
        assert_eq!((third.kept.len(), third.counts.dropped), (0, 3), "a log has no holes");
    }

    #[test]
    fn a_line_that_came_before_is_not_taken_twice() {
        let with = |sequence| LogLine { sequence: Some(sequence), ..line("x") };
        let first = admit(LogCounts::default(), vec![with(1), with(2)]);
        let second = admit(first.counts, vec![with(1), with(2), with(3)]);
        assert_eq!(second.kept, [(3, with(3))]);
        assert_eq!((second.counts.lines, second.counts.sequence), (3, 3));
    }
}
