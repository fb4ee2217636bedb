//! Values that help and completion offer for an argument.
//!
//! Nothing is checked against them: the server says what it takes, and a newer one may take more.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use domain::access::Role;
use domain::alerting::Severity;
use domain::queue::{QueueName, Tier};
use domain::webhook::Provider;

/// Any text, with values that are offered for it.
#[derive(Debug, Clone)]
pub(crate) struct Offered(Vec<&'static str>);

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}

/// The queues.
pub(crate) fn queues() -> Offered {
    Offered(QueueName::ALL.into_iter().map(QueueName::as_str).collect())
}

/// The priorities, in the order in which they are served.
pub(crate) fn priorities() -> Offered {
    Offered(Tier::ALL.into_iter().map(Tier::as_str).collect())
}

/// The roles of API keys.
pub(crate) fn roles() -> Offered {
    Offered(Role::ALL.into_iter().map(Role::as_str).collect())
}

/// How severe alerts are.
pub(crate) fn severities() -> Offered {
    Offered(Severity::ALL.into_iter().map(Severity::as_str).collect())
}

/// The providers of webhooks.
pub(crate) fn providers() -> Offered {
    Offered(Provider::ALL.iter().copied().map(Provider::as_str).collect())
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::priorities;

    #[test]
    fn values_are_offered_and_others_taken() {
        let command = Command::new("x").arg(Arg::new("priority").value_parser(priorities()));
        let offered: Vec<String> = command
            .get_arguments()
            .flat_map(Arg::get_possible_values)
            .map(|value| value.get_name().to_owned())
            .collect();
        assert_eq!(offered, ["high", "normal", "low"]);
        let found = command.try_get_matches_from(["x", "urgent"]).expect("any text is taken");
        assert_eq!(found.get_one::<String>("priority").map(String::as_str), Some("urgent"));
    }
}
