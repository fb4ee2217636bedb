//! What is searched: the tables of a list, and the parts in which an index has its order.

use domain::failure::DeadLetterStatus;
use domain::queue::QueueName;
use domain::search::{Search, SearchList, Term, TermValue};
use domain::workflow::execution::UserTaskStatus;

use super::subject_terms::tests_by_index;

/// A table that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// Unfinished jobs.
    Job,
    /// Finished jobs.
    JobDone,
    /// Executions.
    Execution,
    /// Dead letters.
    DeadLetter,
    /// Deliveries.
    Delivery,
    /// Schedules.
    Schedule,
    /// Slots of a schedule.
    Run,
    /// User tasks.
    UserTask,
    /// Workers.
    Worker,
    /// Lines of the audit log.
    Audit,
    /// Bulk operations.
    Batch,
}

/// A part of a list: a table, or the rows of it that have a status and a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) table: Table,
    pub(super) status: Option<&'static str>,
    pub(super) queue: Option<QueueName>,
    /// Which of the tests of the subject of lines of the audit log it is of, where an index answers that.
    pub(super) subject: Option<usize>,
}

/// How a job ends that does.
const COMPLETED: &str = "COMPLETED";
const ENDED: [&str; 4] = [COMPLETED, "FAILED", "DEAD_LETTER", "CANCELLED"];
const LETTERS: [&str; 3] = DeadLetterStatus::NAMES;
const TASKS: [&str; 4] = UserTaskStatus::NAMES;

impl Part {
    const fn whole(table: Table) -> Self {
        Self { table, status: None, queue: None, subject: None }
    }

    /// Whether it is the finished jobs that did not complete, of which there is an index.
    pub(super) fn is_of_unsuccessful(self) -> bool {
        self.table == Table::JobDone && self.status.is_some_and(|status| status != COMPLETED)
    }
}

/// The parts of a list in which something can match.
pub(super) fn parts(search: &Search) -> Vec<Part> {
    let wanted = |all: &[&'static str]| -> Option<Vec<&'static str>> {
        let values = search.term("status")?.values()?;
        let is_wanted = |status: &&&str| values.contains(&&TermValue::Text((**status).to_owned()));
        Some(all.iter().filter(is_wanted).copied().collect())
    };
    let of = |table, statuses: Vec<&'static str>| {
        statuses.into_iter().map(move |status| Part { status: Some(status), ..Part::whole(table) })
    };
    match search.list {
        SearchList::Deliveries => vec![Part::whole(Table::Delivery)],
        SearchList::Schedules => vec![Part::whole(Table::Schedule)],
        SearchList::Executions => vec![Part::whole(Table::Execution)],
        SearchList::Runs => vec![Part::whole(Table::Run)],
        SearchList::Workers => vec![Part::whole(Table::Worker)],
        SearchList::Audit => match tests_by_index(search) {
            Some(tests) => {
                let of = |test| Part { subject: Some(test), ..Part::whole(Table::Audit) };
                tests.into_iter().map(of).collect()
            }
            None => vec![Part::whole(Table::Audit)],
        },
        SearchList::Batches => vec![Part::whole(Table::Batch)],
        SearchList::UserTasks => {
            of(Table::UserTask, wanted(&TASKS).unwrap_or_else(|| TASKS.to_vec())).collect()
        }
        SearchList::Archive => of(Table::DeadLetter, vec!["archived"]).collect(),
        SearchList::DeadLetters => {
            of(Table::DeadLetter, wanted(&LETTERS).unwrap_or_else(|| LETTERS.to_vec())).collect()
        }
        // The index has them in this order by queue and status.
        SearchList::Jobs if search.sort == "completed" => {
            let statuses = wanted(&ENDED).unwrap_or_else(|| ENDED.to_vec());
            let of_queue = |queue| {
                of(Table::JobDone, statuses.clone()).map(move |part| Part { queue: Some(queue), ..part })
            };
            queues(search).into_iter().flat_map(of_queue).collect()
        }
        SearchList::Jobs => match search.term("status").and_then(Term::values) {
            None => [Table::Job, Table::JobDone].map(Part::whole).to_vec(),
            Some(values) => {
                let ended = wanted(&ENDED).unwrap_or_default();
                let mut parts: Vec<Part> = Vec::new();
                if values.len() > ended.len() {
                    parts.push(Part::whole(Table::Job));
                }
                parts.extend(of(Table::JobDone, ended));
                parts
            }
        },
    }
}

/// The queues in which jobs can match.
fn queues(search: &Search) -> Vec<QueueName> {
    let named = search.term("queue").and_then(Term::values);
    let is_wanted = |queue: &QueueName| match &named {
        Some(values) => values.contains(&&TermValue::Text(queue.as_str().to_owned())),
        None => !(*queue == QueueName::Scheduled && hides_checks(search)),
    };
    QueueName::ALL.into_iter().filter(is_wanted).collect()
}

/// Whether checks of schedules are left out of a list of jobs: unless something is asked for by which they are meant.
pub(super) fn hides_checks(search: &Search) -> bool {
    !["queue", "jobType", "id", "executionId"].iter().any(|key| search.has(key))
}

impl Table {
    /// The table without what is joined to it.
    pub(super) const fn alone(self) -> &'static str {
        match self {
            Self::Job => "job j",
            Self::JobDone => "job_done j",
            Self::Execution => "execution e",
            Self::DeadLetter => "dead_letter d",
            Self::Delivery => "webhook_delivery v",
            Self::Schedule => "schedule s",
            Self::Run => "schedule_run r",
            Self::UserTask => "user_task t",
            Self::Worker => "worker w",
            Self::Audit => "audit a",
            Self::Batch => "batch b",
        }
    }

    pub(super) const fn alias(self) -> &'static str {
        match self {
            Self::Job | Self::JobDone => "j",
            Self::Execution => "e",
            Self::DeadLetter => "d",
            Self::Delivery => "v",
            Self::Schedule => "s",
            Self::Run => "r",
            Self::UserTask => "t",
            Self::Worker => "w",
            Self::Audit => "a",
            Self::Batch => "b",
        }
    }

    /// What rows with the same instant are ordered and distinguished by.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Run => "nominal_at",
            Self::UserTask => "position",
            Self::Worker => "key",
            _ => "id",
        }
    }

    /// Whether its rows say whose they are. Those of jobs are their lanes', those of slots their schedule's.
    pub(super) const fn has_tenant(self) -> bool {
        !matches!(self, Self::Job | Self::JobDone | Self::Run)
    }

    pub(super) const fn is_of_jobs(self) -> bool {
        matches!(self, Self::Job | Self::JobDone)
    }
}

#[cfg(test)]
mod tests {
    use domain::attribute::Searchable;
    use domain::search::parse_query;
    use domain::time::Timestamp;

    use super::*;

    fn of(query: &str, sort: &str) -> Vec<Part> {
        let terms = parse_query(SearchList::Jobs, query, Timestamp(0), &Searchable::default());
        let terms = terms.expect("the query is valid");
        parts(&Search { terms, sort: sort.to_owned(), ..Search::all(SearchList::Jobs) })
    }

    #[test]
    fn jobs_by_their_end_are_read_by_queue_and_status() {
        assert_eq!(of("", "completed").len(), 3 * 4, "checks of schedules are hidden");
        assert_eq!(of("jobType:x", "completed").len(), 4 * 4);
        let one = of("queue:workflow-node status:FAILED,QUEUED", "completed");
        let (status, queue) = (Some("FAILED"), Some(QueueName::Node));
        let expected = Part { status, queue, ..Part::whole(Table::JobDone) };
        assert_eq!(one, [expected]);
    }

    #[test]
    fn unfinished_jobs_are_read_where_they_can_match() {
        assert_eq!(of("", "created"), [Part::whole(Table::Job), Part::whole(Table::JobDone)]);
        assert_eq!(of("status:QUEUED", "created"), [Part::whole(Table::Job)]);
        assert!(of("status:FAILED", "created")[0].is_of_unsuccessful());
        assert!(!of("status:COMPLETED", "created")[0].is_of_unsuccessful());
    }
}
