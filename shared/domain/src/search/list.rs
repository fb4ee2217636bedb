//! The lists that are searched: their names, instants and ids.

use uuid::Uuid;

use super::fields::{self, Field, uuid_of};
use crate::id::{
    BatchKind, DeadLetterKind, DeliveryKind, EventKind, ExecutionKind, JobKind, Kind, ScheduleKind,
    WorkerKind,
};

words! {
    serde
    /// A list that is searched.
    SearchList {
        /// `/v1/jobs`.
        Jobs "jobs",
        /// `/v1/executions`.
        Executions "executions",
        /// `/v1/dead-letters`.
        DeadLetters "dead-letters",
        /// `/v1/archive`.
        Archive "archive",
        /// `/v1/deliveries`.
        Deliveries "deliveries",
        /// `/v1/schedules`.
        Schedules "schedules",
        /// `/v1/schedules/{id}/runs`: the slots of one schedule.
        Runs "runs",
        /// `/v1/user-tasks`.
        UserTasks "user-tasks",
        /// `/v1/workers`.
        Workers "workers",
        /// `/v1/audit`.
        Audit "audit",
        /// `/v1/batches`.
        Batches "batches",
    }
}

impl SearchList {
    /// What it is filtered by.
    pub const fn fields(self) -> &'static [Field] {
        match self {
            Self::Jobs => fields::JOBS,
            Self::Executions => fields::EXECUTIONS,
            Self::DeadLetters => fields::DEAD_LETTERS,
            Self::Archive => fields::ARCHIVE,
            Self::Deliveries => fields::DELIVERIES,
            Self::Schedules => fields::SCHEDULES,
            Self::Runs => fields::RUNS,
            Self::UserTasks => fields::USER_TASKS,
            Self::Workers => fields::WORKERS,
            Self::Audit => fields::AUDIT,
            Self::Batches => fields::BATCHES,
        }
    }

    /// The instants of its objects; the one that it is ordered by is first.
    pub const fn instants(self) -> &'static [&'static str] {
        match self {
            Self::Jobs => &["created", "run", "processed", "completed"],
            Self::Executions => &["created", "started", "completed"],
            Self::DeadLetters | Self::Archive => &["died", "resolved"],
            Self::Deliveries => &["received", "processed"],
            Self::Schedules => &["created", "nextRun"],
            Self::Runs => &["scheduled", "fired"],
            Self::UserTasks => &["opened", "due", "closed"],
            Self::Workers => &["lastSeen", "firstSeen"],
            Self::Audit => &["at"],
            Self::Batches => &["created"],
        }
    }

    /// What it is filtered by under this name.
    pub fn field(self, name: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.name == name)
    }

    /// The instant with this name.
    pub fn instant(self, name: &str) -> Option<&'static str> {
        self.instants().iter().copied().find(|instant| *instant == name)
    }

    /// Reads an id of its objects. `None` where it is none, or its objects have no ids.
    pub fn parse_id(self, text: &str) -> Option<Uuid> {
        match self {
            Self::Jobs => uuid_of::<JobKind>(text),
            Self::Executions => uuid_of::<ExecutionKind>(text),
            Self::DeadLetters | Self::Archive => uuid_of::<DeadLetterKind>(text),
            Self::Deliveries => uuid_of::<DeliveryKind>(text),
            Self::Schedules => uuid_of::<ScheduleKind>(text),
            Self::Audit => uuid_of::<EventKind>(text),
            Self::Batches => uuid_of::<BatchKind>(text),
            Self::Workers => uuid_of::<WorkerKind>(text),
            Self::Runs | Self::UserTasks => None,
        }
    }

    /// Whether its objects have no ids, and have a number instead.
    pub const fn is_numbered(self) -> bool {
        self.id_prefix().is_none()
    }

    /// The text that a cursor begins with where it stands at an object: its id, or its number.
    pub fn place_text(self, place: Uuid) -> String {
        match self.id_prefix() {
            Some(prefix) => format!("{prefix}_{}", place.simple()),
            None => place.as_u128().to_string(),
        }
    }

    /// Reads what [`Self::place_text`] wrote.
    pub fn parse_place(self, text: &str) -> Option<Uuid> {
        if !self.is_numbered() {
            return self.parse_id(text);
        }
        text.parse::<u128>().ok().filter(|number| i64::try_from(*number).is_ok()).map(Uuid::from_u128)
    }

    /// What its ids begin with; `None` where its objects have none.
    pub const fn id_prefix(self) -> Option<&'static str> {
        match self {
            Self::Jobs => Some(JobKind::PREFIX),
            Self::Executions => Some(ExecutionKind::PREFIX),
            Self::DeadLetters | Self::Archive => Some(DeadLetterKind::PREFIX),
            Self::Deliveries => Some(DeliveryKind::PREFIX),
            Self::Schedules => Some(ScheduleKind::PREFIX),
            Self::Audit => Some(EventKind::PREFIX),
            Self::Batches => Some(BatchKind::PREFIX),
            Self::Workers => Some(WorkerKind::PREFIX),
            Self::Runs | Self::UserTasks => None,
        }
    }
}

// Lists as types, for whatever reads or offers the filters of one.

/// A list as a type.
pub trait ListType {
    /// Which one.
    const LIST: SearchList;
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident $list:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub enum $name {}
        impl ListType for $name {
            const LIST: SearchList = SearchList::$list;
        }
    )*};
}

lists! {
    /// Jobs.
    OfJobs Jobs;
    /// Executions.
    OfExecutions Executions;
    /// Dead letters.
    OfDeadLetters DeadLetters;
    /// The archive.
    OfArchive Archive;
    /// Deliveries of webhooks, and events.
    OfDeliveries Deliveries;
    /// Schedules.
    OfSchedules Schedules;
    /// Fires of a schedule.
    OfRuns Runs;
    /// User tasks.
    OfUserTasks UserTasks;
    /// Workers.
    OfWorkers Workers;
    /// The audit log.
    OfAudit Audit;
    /// Bulk operations.
    OfBatches Batches;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_they_are_written() {
        let place = Uuid::from_u128(77);
        for list in SearchList::ALL {
            let text = list.place_text(place);
            assert_eq!(list.parse_place(&text), Some(place), "{text}");
            assert_eq!(list.parse_place(&format!("{text}x")), None);
        }
        assert_eq!(SearchList::UserTasks.place_text(place), "77");
        assert_eq!(SearchList::UserTasks.parse_place("9223372036854775808"), None, "no number of a row");
    }

    #[test]
    fn names_are_each_once_in_a_list() {
        for list in SearchList::ALL {
            let mut names: Vec<&str> = list.fields().iter().map(|field| field.name).collect();
            names.extend(list.instants());
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", list.as_str());
        }
    }
}
