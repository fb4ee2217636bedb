//! What callers start: jobs, executions and events, of which there are as many as commits. Lines of one caller become one.
//!
//! They do so twice: those of calls that share a commit, before they are written, and those of one second, before they are
//! sealed. So who enqueues one job after the other has a line for each while it is new, and one a second in the chain.

use std::collections::HashMap;

use domain::id::EventId;
use domain::names::TenantName;
use serde_json::{Value, json};

use super::AuditRecord;

/// What callers start.
const STARTS: [&str; 3] = ["job.enqueue", "execution.start", "event.send"];

/// How many ids of requests a line keeps that is for several calls.
const REQUESTS_MAX: usize = 100;

/// A line, which may stand for several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// The line, with id, time and subject of the first of them.
    pub line: AuditRecord,
    /// The ids of the others.
    pub others: Vec<EventId>,
}

/// Lines in their order, where those of what one caller started in one second are one in the place of the first.
pub fn fold<'a>(lines: impl IntoIterator<Item = &'a AuditRecord>) -> Vec<Folded> {
    let mut places: HashMap<Whose<'a>, usize> = HashMap::new();
    let mut groups: Vec<Vec<&'a AuditRecord>> = Vec::new();
    for line in lines {
        let next = groups.len();
        let place = whose(line).map_or(next, |whose| *places.entry(whose).or_insert(next));
        if place == next {
            groups.push(Vec::new());
        }
        groups[place].push(line);
    }
    groups.iter().filter_map(|lines| together(lines)).collect()
}

/// What lines have in common that become one: the second; what was done, and by whom; of which tenant; and address, client and
/// door.
type Whose<'a> = (i64, [&'a str; 2], Option<&'a TenantName>, [Option<&'a str>; 3]);

/// `None` for a line that stays by itself.
fn whose(line: &AuditRecord) -> Option<Whose<'_>> {
    if !STARTS.contains(&line.action.as_str()) {
        return None;
    }
    let origin = [line.address.as_deref(), line.user_agent.as_deref(), line.door.as_deref()];
    let second = line.at.0.div_euclid(1_000);
    Some((second, [line.action.as_str(), line.actor.as_str()], line.tenant.as_ref(), origin))
}

fn together(lines: &[&AuditRecord]) -> Option<Folded> {
    let (first, rest) = lines.split_first()?;
    if rest.is_empty() {
        return Some(Folded { line: (*first).clone(), others: Vec::new() });
    }
    let mut sum = Started::of(first);
    for line in rest {
        sum.add(Started::of(line));
    }
    let line = AuditRecord { detail: Some(sum.detail()), request_id: None, ..(*first).clone() };
    Some(Folded { line, others: rest.iter().map(|line| line.id).collect() })
}

/// What a line says was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// How many.
    pub count: u64,
    /// By how many calls.
    pub calls: u64,
    /// The id of the first.
    pub first: String,
    /// That of the last.
    pub last: String,
    /// The ids of the requests, as many as are kept.
    pub requests: Vec<String>,
}

impl Started {
    /// Of a line, as [`Self::detail`] wrote it. A line without a detail is for the one thing that is its subject.
    fn of(line: &AuditRecord) -> Self {
        let detail: Value =
            line.detail.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let number = |name: &str| detail[name].as_u64().unwrap_or(1);
        let id = |name: &str| detail[name].as_str().unwrap_or(&line.subject).to_owned();
        let requests = match detail["requestIds"].as_array() {
            Some(ids) => ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect(),
            None => line.request_id.clone().into_iter().collect(),
        };
        Self {
            count: number("count"),
            calls: number("calls"),
            first: id("first"),
            last: id("last"),
            requests,
        }
    }

    fn add(&mut self, next: Self) {
        self.count += next.count;
        self.calls += next.calls;
        self.last = next.last;
        self.requests.extend(next.requests);
        self.requests.truncate(REQUESTS_MAX);
    }

    /// As the detail of a line: raw JSON text.
    pub fn detail(&self) -> String {
        let Self { count, calls, first, last, requests } = self;
        json!({"count": count, "calls": calls, "first": first, "last": last, "requestIds": requests})
            .to_string()
    }
}

#[cfg(test)]
mod tests {
    use domain::time::Timestamp;
    use uuid::Uuid;

    use super::*;

    fn line(number: u128, actor: &str, at: i64) -> AuditRecord {
        AuditRecord {
            id: EventId::from_uuid(Uuid::from_u128(number)),
            at: Timestamp(at),
            actor: actor.to_owned(),
            tenant: None,
            action: "job.enqueue".to_owned(),
            subject: format!("job_{number}"),
            detail: None,
            address: Some("192.0.2.1".to_owned()),
            user_agent: None,
            request_id: Some(format!("r{number}")),
            door: None,
            outcome: None,
            reason: None,
            before: None,
            after: None,
            batch: None,
        }
    }

    /// How many lines each stands for beside itself, by its subject.
    fn others(lines: &[AuditRecord]) -> Vec<(String, usize)> {
        fold(lines).into_iter().map(|folded| (folded.line.subject, folded.others.len())).collect()
    }

    #[test]
    fn starts_of_one_caller_in_one_second_are_one_line() {
        let paused = AuditRecord { action: "queue.pause".to_owned(), ..line(9, "key_1", 2_400) };
        let moved = AuditRecord { address: Some("192.0.2.2".to_owned()), ..line(8, "key_1", 2_500) };
        let lines = [
            line(1, "key_1", 2_000),
            line(2, "key_2", 2_100),
            paused.clone(),
            line(3, "key_1", 2_999),
            line(4, "key_1", 3_000),
            moved,
            paused,
        ];
        let expected = [("job_1", 1), ("job_2", 0), ("job_9", 0), ("job_4", 0), ("job_8", 0), ("job_9", 0)];
        assert_eq!(others(&lines), expected.map(|(subject, others)| (subject.to_owned(), others)));
        let first = fold(&lines).remove(0);
        assert_eq!((first.others, first.line.request_id), (vec![lines[3].id], None));
        let expected = Started {
            count: 2,
            calls: 2,
            first: "job_1".to_owned(),
            last: "job_3".to_owned(),
            requests: vec!["r1".to_owned(), "r3".to_owned()],
        };
        assert_eq!(first.line.detail, Some(expected.detail()));
    }

    #[test]
    fn lines_that_stand_for_several_are_added_up_and_bounded() {
        let many: Vec<AuditRecord> = (0..90).map(|number| line(number, "key_1", 0)).collect();
        let first = fold(&many).remove(0).line;
        let again = AuditRecord { id: many[89].id, ..first.clone() };
        let sum = Started::of(&fold(&[first, again]).remove(0).line);
        assert_eq!((sum.count, sum.calls, sum.requests.len()), (180, 180, REQUESTS_MAX));
        assert_eq!((sum.first.as_str(), sum.last.as_str()), ("job_0", "job_89"));
    }
}
