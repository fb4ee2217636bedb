//! Terms on the subject of lines of the audit log, of which an index has those about names and most ids.
//!
//! It lacks the lines of calls that make jobs, executions and events: they are most of the log, and are about an id that is
//! new. Names, and ids of anything else, are found by it alone; for the others the log is gone through in windows, no further back
//! than they were made.

use domain::id::{DeliveryKind, ExecutionKind, JobKind, Kind};
use domain::search::{Search, TermValue, Test};
use uuid::Uuid;

/// The actions whose lines the index lacks, and the prefixes of the ids that they are about.
pub(super) const STARTS: [(&str, &str); 3] = [
    ("job.enqueue", JobKind::PREFIX),
    ("execution.start", ExecutionKind::PREFIX),
    ("event.send", DeliveryKind::PREFIX),
];

/// A test of a subject: a text, and whether it is only the beginning.
pub(super) type Text<'a> = (&'a str, bool);

/// The tests of the subject that the index answers, each for itself; `None` where it does not have all that can match.
pub(super) fn tests_by_index(search: &Search) -> Option<Vec<usize>> {
    let texts = search.term("subject")?.tests.iter().map(text_of).collect::<Option<Vec<Text<'_>>>>()?;
    if texts.iter().any(|&text| may_be_new(text)) {
        return None;
    }
    // What two of them find would be counted twice.
    let is_covered = |at: usize| {
        texts.iter().enumerate().any(|(other, &text)| {
            other != at && covers(text, texts[at]) && (other < at || !covers(texts[at], text))
        })
    };
    Some((0..texts.len()).filter(|&at| !is_covered(at)).collect())
}

/// What is looked for; `None` where it is no text.
pub(super) fn text_of(test: &Test) -> Option<Text<'_>> {
    match test {
        Test::Is(TermValue::Text(text)) => Some((text, false)),
        Test::Begins(text) => Some((text, true)),
        _ => None,
    }
}

fn covers((one, is_begin): Text<'_>, (other, is_other_begin): Text<'_>) -> bool {
    if is_begin { other.starts_with(one) } else { !is_other_begin && one == other }
}

/// Whether it can be the id of a job, an execution or an event.
fn may_be_new((text, is_begin): Text<'_>) -> bool {
    STARTS.iter().any(|(_, prefix)| {
        let prefix = format!("{prefix}_");
        text.starts_with(&prefix) || is_begin && prefix.starts_with(text)
    })
}

/// When the first of the objects was made whose ids are asked for.
pub(super) fn made_at(search: &Search) -> Option<i64> {
    let made_at = |test: &Test| {
        let (id, is_begin) = text_of(test)?;
        let id = Uuid::try_parse(id.split_once('_')?.1).ok().filter(|_| !is_begin)?;
        let has_instant = matches!(id.get_version_num(), 7 | 8);
        has_instant.then(|| domain::id::made_at(id).0)
    };
    let all: Option<Vec<i64>> = search.term("subject")?.tests.iter().map(made_at).collect();
    all?.into_iter().min()
}

#[cfg(test)]
mod tests {
    use domain::attribute::Searchable;
    use domain::search::{SearchList, parse_query};
    use domain::time::Timestamp;

    use super::*;

    const NOW: i64 = 1_700_000_000_000;

    fn search(query: &str) -> Search {
        let terms = parse_query(SearchList::Audit, query, Timestamp(NOW), &Searchable::default());
        Search { terms: terms.expect(query), ..Search::all(SearchList::Audit) }
    }

    #[test]
    fn subjects_that_are_no_new_ids_are_in_the_index() {
        let tests = |query: &str| tests_by_index(&search(query));
        assert_eq!(tests("subject:order,order@*"), Some(vec![0, 1]));
        assert_eq!(tests("subject:order*,order@*,order,order*"), Some(vec![0]));
        assert_eq!(tests("subject:sch_00000000000000000000000000000007"), Some(vec![0]));
        for other in
            ["subject:job_00000000000000000000000000000007", "subject:j*", "subject:exe_*", "subject:*"]
        {
            assert_eq!(tests(other), None, "{other}");
        }
        assert_eq!(tests("-subject:order"), None);
    }

    #[test]
    fn ids_say_since_when_lines_can_be_about_them() {
        let id = |at: i64| format!("job_{at:012x}7000800000000000000a");
        assert_eq!(made_at(&search(&format!("subject:{},{}", id(NOW), id(NOW - 5)))), Some(NOW - 5));
        assert_eq!(made_at(&search(&format!("subject:{},order", id(NOW)))), None);
        assert_eq!(made_at(&search("subject:job_000000000000000000000000000000*")), None);
    }
}
