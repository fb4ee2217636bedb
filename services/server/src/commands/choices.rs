//! Fixed sets of values of arguments: help and completion show them, and any other value is a usage error.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use domain::access::Role;
use domain::alerting::{AlertStatus, Severity};
use domain::failure::GroupState;
use domain::job_log::LogLevel;
use domain::queue::{QueueName, Tier};
use domain::schedule::{Misfire, Overlap};
use domain::search::SearchList;
use domain::webhook::Provider;
use domain::workflow::unique::UniquePolicy;
use store::alerts::NotificationStatus;
use store::batches::ItemOutcome;

/// A fixed set of values.
#[derive(Debug, Clone)]
pub(crate) struct Choices {
    values: Vec<&'static str>,
    /// Whether several values are accepted, separated by commas.
    is_list: bool,
    /// Whether a prefix that ends in `*` is accepted, for all values that start with it.
    takes_prefixes: bool,
}

impl Choices {
    /// Accepts one of these values.
    pub(crate) fn of(values: impl IntoIterator<Item = &'static str>) -> Self {
        Self { values: values.into_iter().collect(), is_list: false, takes_prefixes: false }
    }

    /// Also accepts several values, separated by commas.
    pub(crate) fn several(self) -> Self {
        Self { is_list: true, ..self }
    }

    /// Also accepts a prefix of some of the values that ends in `*`.
    pub(crate) fn or_prefix(self) -> Self {
        Self { takes_prefixes: true, ..self }
    }

    /// Returns the text if it is one of the values. The error lists them.
    pub(crate) fn read(&self, text: &str) -> Result<String, String> {
        let begins_one = |start: &str| self.values.iter().any(|value| value.starts_with(start));
        let is_known = |word: &str| {
            self.values.contains(&word)
                || self.takes_prefixes && word.strip_suffix('*').is_some_and(begins_one)
        };
        let is_right =
            if self.is_list { text.split(',').all(|word| is_known(word.trim())) } else { is_known(text) };
        if is_right {
            return Ok(text.to_owned());
        }
        let more = match self {
            Self { is_list: true, .. } => ", or several of them, separated by commas",
            Self { takes_prefixes: true, .. } => ", or the beginning of one with * at its end",
            _ => "",
        };
        Err(format!("must be one of {}{more}", self.values.join(", ")))
    }
}

impl TypedValueParser for Choices {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let choices = self.clone();
        let read = StringValueParser::new().try_map(move |text: String| choices.read(&text));
        read.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values.iter().copied().map(PossibleValue::new)))
    }
}

/// The queues.
pub(crate) fn queues() -> Choices {
    Choices::of(QueueName::NAMES)
}

/// The priorities, in the order in which they are served.
pub(crate) fn priorities() -> Choices {
    Choices::of(Tier::NAMES)
}

/// The roles of API keys.
pub(crate) fn roles() -> Choices {
    Choices::of(Role::NAMES)
}

/// The severities of alerts.
pub(crate) fn severities() -> Choices {
    Choices::of(Severity::NAMES)
}

/// The statuses of alerts.
pub(crate) fn alert_statuses() -> Choices {
    Choices::of(AlertStatus::NAMES).several()
}

/// The statuses of notifications about alerts.
pub(crate) fn notification_statuses() -> Choices {
    Choices::of(NotificationStatus::NAMES).several()
}

/// The states of groups of dead letters.
pub(crate) fn group_states() -> Choices {
    Choices::of(GroupState::NAMES).several()
}

/// The outcomes of the objects of a bulk operation.
pub(crate) fn item_outcomes() -> Choices {
    Choices::of(ItemOutcome::NAMES).several()
}

/// The levels of log lines.
pub(crate) fn log_levels() -> Choices {
    Choices::of(LogLevel::NAMES)
}

/// The policies for missed fires.
pub(crate) fn misfires() -> Choices {
    Choices::of(Misfire::NAMES)
}

/// The policies for fires while an execution is still running.
pub(crate) fn overlaps() -> Choices {
    Choices::of(Overlap::NAMES)
}

/// The policies for starts with the unique key of an open execution.
pub(crate) fn unique_policies() -> Choices {
    Choices::of(UniquePolicy::NAMES)
}

/// The lists that support search.
pub(crate) fn lists() -> Choices {
    Choices::of(SearchList::NAMES)
}

/// The providers of webhooks.
pub(crate) fn providers() -> Choices {
    Choices::of(Provider::NAMES)
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use clap::{Arg, Command};

    use super::{alert_statuses, priorities, queues};

    #[test]
    fn values_are_offered_and_others_refused() {
        let command = Command::new("x").arg(Arg::new("priority").long("priority").value_parser(priorities()));
        let offered: Vec<String> = command
            .get_arguments()
            .flat_map(Arg::get_possible_values)
            .map(|value| value.get_name().to_owned())
            .collect();
        assert_eq!(offered, ["high", "normal", "low"]);
        let found = command.clone().try_get_matches_from(["x", "--priority", "low"]).expect("it is one");
        assert_eq!(found.get_one::<String>("priority").map(String::as_str), Some("low"));
        let refused = command.try_get_matches_from(["x", "--priority", "urgent"]).expect_err("it is none");
        assert_eq!((refused.kind(), refused.exit_code()), (ErrorKind::ValueValidation, 2));
        let text = refused.to_string();
        assert!(text.contains("'urgent'") && text.contains("must be one of high, normal, low"), "{text}");
    }

    #[test]
    fn a_prefix_stands_for_all_that_begin_so_where_that_is_meant() {
        for text in ["workflow-node", "workflow-*", "*"] {
            assert_eq!(queues().or_prefix().read(text).as_deref(), Ok(text));
        }
        for text in ["nope", "nope*", "workflow-*node", "workflow-"] {
            assert!(queues().or_prefix().read(text).is_err(), "{text}");
        }
        assert!(queues().read("workflow-*").is_err());
    }

    #[test]
    fn several_are_separated_by_commas() {
        let statuses = alert_statuses();
        for text in ["firing", "firing,resolved", "pending, firing"] {
            assert_eq!(statuses.read(text).as_deref(), Ok(text));
        }
        for text in ["", "firing,", "firing,over"] {
            assert!(statuses.read(text).is_err(), "{text}");
        }
    }
}
