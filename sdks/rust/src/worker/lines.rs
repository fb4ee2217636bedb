//! What handlers log, on its way to the server: gathered for a moment, in bounded calls, in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::sleep;

use super::channel::Channel;
use crate::context::{Fields, LogLevel};
use crate::models::{JobLines, LogLine, PolledJob};
use crate::timestamp::Timestamp;

const CALL_LINES_MAX: usize = 100;
const LINE_BYTES_MAX: usize = 8 * 1024;
/// One line less than an attempt may have on the server: the last one says how many were dropped.
const ATTEMPT_LINES_MAX: usize = 999;
const ATTEMPT_BYTES_MAX: usize = 255 * 1024;
/// How long a line waits for others.
const PAUSE: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_secs(5);
const REPLACEMENT: char = '\u{FFFD}';

/// The lines of one attempt that wait to be sent.
pub(super) struct AttemptLines {
    id: String,
    token: String,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<LogLine>,
    sequence: usize,
    bytes: usize,
    dropped: usize,
    closed: bool,
}

impl Waiting {
    fn put(&mut self, mut line: LogLine) {
        self.sequence += 1;
        line.sequence = i32::try_from(self.sequence).ok();
        self.lines.push(line);
    }
}

impl AttemptLines {
    fn new(job: &PolledJob) -> Self {
        Self { id: job.id.clone(), token: job.lease_token.clone(), waiting: Mutex::default() }
    }

    fn add(&self, level: LogLevel, message: &str, fields: Fields) {
        let message = cut(message);
        let field_bytes =
            fields.iter().map(|(name, value)| name.len() + value.as_str().len() + 4).sum::<usize>();
        let keeps_fields = field_bytes > 0 && message.len() + field_bytes <= LINE_BYTES_MAX;
        let size = message.len() + if keeps_fields { field_bytes } else { 0 };
        let mut waiting = self.waiting.lock();
        if waiting.closed {
            return;
        }
        let is_full = waiting.dropped > 0
            || waiting.sequence >= ATTEMPT_LINES_MAX
            || waiting.bytes + size > ATTEMPT_BYTES_MAX;
        if is_full {
            waiting.dropped += 1;
            return;
        }
        waiting.bytes += size;
        waiting.put(LogLine {
            at: Some(Timestamp::now()),
            level: level.as_str().into(),
            message,
            fields: keeps_fields.then_some(fields),
            sequence: None,
        });
    }

    /// Takes no more; where lines were dropped, a last one says how many.
    fn close(&self) {
        let mut waiting = self.waiting.lock();
        if !waiting.closed && waiting.dropped > 0 {
            let message = format!("{} more lines were dropped by the worker", waiting.dropped);
            waiting.put(LogLine {
                at: Some(Timestamp::now()),
                level: "warn".into(),
                message,
                ..LogLine::default()
            });
        }
        waiting.closed = true;
    }

    fn first(&self, count: usize) -> Vec<LogLine> {
        self.waiting.lock().lines.iter().take(count).cloned().collect()
    }

    fn first_sequence(&self) -> Option<i32> {
        self.waiting.lock().lines.first().and_then(|line| line.sequence)
    }

    /// Forgets lines that need not be sent again.
    fn sent(&self, up_to: Option<i32>) {
        self.waiting.lock().lines.retain(|line| line.sequence > up_to);
    }
}

/// Sends the lines of all attempts of a worker.
pub(super) struct LineSender {
    channel: Channel,
    open: Mutex<Vec<Arc<AttemptLines>>>,
    waiting: Notify,
    refused: AtomicBool,
    /// Held during a call, so that the lines of an attempt stay in order.
    sending: tokio::sync::Mutex<()>,
}

impl LineSender {
    pub(super) fn new(channel: Channel) -> Self {
        Self {
            channel,
            open: Mutex::default(),
            waiting: Notify::new(),
            refused: AtomicBool::new(false),
            sending: tokio::sync::Mutex::default(),
        }
    }

    pub(super) fn begin(&self, job: &PolledJob) -> Arc<AttemptLines> {
        let lines = Arc::new(AttemptLines::new(job));
        self.open.lock().push(Arc::clone(&lines));
        lines
    }

    pub(super) fn add(&self, lines: &AttemptLines, level: LogLevel, message: &str, fields: Fields) {
        lines.add(level, message, fields);
        self.waiting.notify_one();
    }

    /// Sends what an attempt has logged, before its report ends the lease. Tried once: lines are worth no delay of a report.
    pub(super) async fn end(&self, lines: &Arc<AttemptLines>) {
        self.forget(lines);
        while let Some(before) = lines.first_sequence() {
            self.send(std::slice::from_ref(lines)).await;
            if lines.first_sequence() == Some(before) {
                return;
            }
        }
    }

    /// The attempt is over, whatever became of it.
    pub(super) fn forget(&self, lines: &Arc<AttemptLines>) {
        lines.close();
        self.open.lock().retain(|open| !Arc::ptr_eq(open, lines));
    }

    /// Sends what comes, gathered for a moment, for as long as it is polled.
    pub(super) async fn run(&self) {
        loop {
            self.waiting.notified().await;
            sleep(PAUSE).await;
            let open = self.open.lock().clone();
            self.send(&open).await;
            if open.iter().any(|lines| lines.first_sequence().is_some()) {
                self.waiting.notify_one();
            }
        }
    }

    async fn send(&self, from: &[Arc<AttemptLines>]) {
        let _order = self.sending.lock().await;
        if self.refused.load(Ordering::Relaxed) {
            return;
        }
        let mut room = CALL_LINES_MAX;
        let mut jobs = Vec::new();
        let mut senders = Vec::new();
        for lines in from {
            let first = lines.first(room);
            if let Some(last) = first.last() {
                room -= first.len();
                senders.push((lines, last.sequence));
                jobs.push(JobLines { id: lines.id.clone(), lease_token: lines.token.clone(), lines: first });
            }
        }
        if jobs.is_empty() {
            return;
        }
        if let Err(error) = self.channel.log(jobs, TIMEOUT).await {
            let Some(problem) = error.problem().filter(|_| !error.is_transient()) else {
                // Sent again: the server keeps a line with the same number once.
                return;
            };
            if matches!(problem.status, 404 | 405) {
                // A server that knows no lines yet is not asked again.
                self.refused.store(true, Ordering::Relaxed);
            }
        }
        for (lines, last) in senders {
            lines.sent(last);
        }
    }
}

/// A message within its bounds. The server takes no NUL.
fn cut(message: &str) -> String {
    const DOTS: char = '…';
    let mut message = message.replace('\0', REPLACEMENT.encode_utf8(&mut [0; 4]));
    if message.len() > LINE_BYTES_MAX {
        let mut end = LINE_BYTES_MAX - DOTS.len_utf8();
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
        message.push(DOTS);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::{ATTEMPT_LINES_MAX, AttemptLines, LINE_BYTES_MAX, cut};
    use crate::context::{Fields, LogLevel};
    use crate::json::Json;
    use crate::models::PolledJob;

    #[test]
    fn messages_are_cut_between_characters() {
        let long = cut(&"é".repeat(9000));
        assert!(long.len() <= LINE_BYTES_MAX && long.ends_with("é…"), "{}", long.len());
        assert_eq!(cut("a\0b"), "a\u{FFFD}b");
    }

    #[test]
    fn an_attempt_keeps_so_many_lines_and_says_how_many_were_dropped() {
        let lines = AttemptLines::new(&PolledJob::default());
        for _ in 0..ATTEMPT_LINES_MAX + 5 {
            lines.add(LogLevel::Info, "x", Fields::new());
        }
        lines.close();
        lines.add(LogLevel::Info, "late", Fields::new());
        let all = lines.first(usize::MAX);
        assert_eq!(all.len(), ATTEMPT_LINES_MAX + 1);
        assert_eq!(all.last().expect("a line").message, "5 more lines were dropped by the worker");
        lines.sent(Some(990));
        assert_eq!(lines.first_sequence(), Some(991));
    }

    #[test]
    fn fields_that_are_too_large_are_left_out() {
        let lines = AttemptLines::new(&PolledJob::default());
        let fields = Fields::from([("text".to_owned(), Json::of(&"x".repeat(9000)).expect("JSON"))]);
        lines.add(LogLevel::Warn, "large", fields);
        lines.add(LogLevel::Warn, "small", Fields::from([("n".to_owned(), Json::of(&1).expect("JSON"))]));
        let all = lines.first(2);
        assert!(all[0].fields.is_none() && all[1].fields.is_some());
    }
}
