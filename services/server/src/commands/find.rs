//! Options of commands that list: the filters and instants of the list, `--q`, `--sort`, `--order`, `--count`, pages.

use std::io::Read;
use std::marker::PhantomData;

use anyhow::{Context, Result};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use domain::search::{Field, FieldKind, SearchList};
use serde_json::Value;

use crate::client::{Client, query};
use crate::commands::choices::Choices;
use crate::output;
use crate::output::{Column, out};

pub(crate) use domain::search::{
    ListType, OfAudit, OfBatches, OfDeadLetters, OfDeliveries, OfExecutions, OfJobs, OfRuns, OfSchedules,
    OfUserTasks, OfWorkers,
};

/// What a list is filtered by, as parameters of its path.
#[derive(Debug, Clone)]
pub(crate) struct FilterArgs<L, const OF_BULK: bool = false> {
    pairs: Vec<(String, Option<String>)>,
    list: PhantomData<L>,
}

/// What a page of a list is asked for with.
#[derive(Debug, Clone, Args)]
pub(crate) struct ListArgs<L: ListType + Send + Sync + Clone + 'static> {
    #[command(flatten)]
    filter: FilterArgs<L>,
    /// Instant to sort by
    #[arg(long, value_parser = Choices::of(L::LIST.instants().iter().copied()))]
    sort: Option<String>,
    /// Order
    #[arg(long, value_parser = Choices::of(["asc", "desc"]))]
    order: Option<String>,
    /// Count the matches, up to 10,000
    #[arg(long)]
    count: bool,
    /// Maximum number of results
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Start after this cursor, from the previous page
    #[arg(long)]
    cursor: Option<String>,
}

impl<L: ListType, const OF_BULK: bool> FilterArgs<L, OF_BULK> {
    /// The parameters that were given.
    pub(crate) fn pairs(&self) -> Vec<(&str, Option<String>)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
    }
}

impl<L: ListType + Send + Sync + Clone + 'static> ListArgs<L> {
    /// Asks for the page and prints it.
    pub(crate) async fn print(self, client: &Client, path: &str, columns: &[Column]) -> anyhow::Result<()> {
        let mut parameters = self.filter.pairs();
        parameters.extend([
            ("sort", self.sort.clone()),
            ("order", self.order.clone()),
            ("count", self.count.then(|| "true".to_owned())),
            ("limit", Some(self.limit.to_string())),
            ("cursor", self.cursor.clone()),
        ]);
        let answer = client.get(&query(path, &parameters)).await?;
        output::print_list(client.json, &answer, columns);
        if !client.json {
            print_rest(&answer);
        }
        Ok(())
    }
}

/// How many there are, and how far a short page looked.
fn print_rest(answer: &Value) {
    if let Some(value) = answer.pointer("/count/value").and_then(Value::as_u64) {
        let more = if answer["count"]["exact"] == true { "" } else { "at least " };
        out!("{more}{value} in total");
    }
    if let Some(instant) = answer["scannedTo"].as_str() {
        out!("searched back to {instant}; there may be more");
    }
}

/// `jobType` to `job-type`.
fn option_of(name: &str) -> String {
    name.chars().fold(String::new(), |mut option, one| {
        if one.is_ascii_uppercase() {
            option.push('-');
        }
        option.push(one.to_ascii_lowercase());
        option
    })
}

/// A parameter of a list that becomes an option.
struct Parameter {
    /// Its name in the URL.
    name: String,
    /// Its help text.
    help: String,
    /// Its values, if it has a fixed set.
    choices: Option<Choices>,
}

impl Parameter {
    fn new(name: impl Into<String>, help: impl Into<String>) -> Self {
        Self { name: name.into(), help: help.into(), choices: None }
    }

    fn of_field(field: &Field) -> Self {
        let several = if field.is_many { " (separate several with commas)" } else { "" };
        let help = format!("Filter by {}{several}", option_of(field.name).replace('-', " "));
        let choices = match field.kind {
            FieldKind::Word(words) => Some(Choices::of(words.iter().copied())),
            FieldKind::Id(..) | FieldKind::Text(_) | FieldKind::Integer => None,
        };
        let choices = choices.map(|choices| if field.is_many { choices.several() } else { choices });
        Self { name: field.name.to_owned(), help, choices }
    }

    fn option(&self) -> Arg {
        let value_name = option_of(&self.name).to_uppercase().replace('-', "_");
        let option = Arg::new(self.name.clone()).long(option_of(&self.name)).help(self.help.clone());
        let option = option.value_name(value_name).action(ArgAction::Set);
        match &self.choices {
            Some(choices) => option.value_parser(choices.clone()),
            None => option,
        }
    }
}

/// The parameters of a list. Of a bulk operation `--reason` is its own; the filter of that name is in `--q`.
fn parameters(list: SearchList, of_bulk: bool) -> Vec<Parameter> {
    let fields = list.fields().iter().filter(|field| !of_bulk || field.name != "reason");
    let mut parameters: Vec<Parameter> = fields.map(Parameter::of_field).collect();
    for instant in list.instants() {
        let what = option_of(instant).replace('-', " ");
        let help = |side: &str| format!("Filter by {what}, {side}: RFC 3339, a date, or now-15m");
        parameters.push(Parameter::new(format!("{instant}After"), help("at or after")));
        parameters.push(Parameter::new(format!("{instant}Before"), help("before")));
    }
    if !of_bulk {
        let first = option_of(list.instants()[0]);
        parameters.push(Parameter::new("from", format!("The same as --{first}-after")));
        parameters.push(Parameter::new("to", format!("The same as --{first}-before")));
    }
    parameters.push(Parameter::new("q", "Query, such as 'status:FAILED created:>=now-1h'"));
    parameters
}

impl<L: ListType, const OF_BULK: bool> FromArgMatches for FilterArgs<L, OF_BULK> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let pairs = parameters(L::LIST, OF_BULK).into_iter().map(|Parameter { name, .. }| {
            let value = matches.get_one::<String>(&name).cloned();
            (name, value)
        });
        Ok(Self { pairs: pairs.collect(), list: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<L: ListType, const OF_BULK: bool> Args for FilterArgs<L, OF_BULK> {
    fn augment_args(command: Command) -> Command {
        parameters(L::LIST, OF_BULK).iter().fold(command, |command, one| command.arg(one.option()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

// JSON given on the command line: text, `@FILE`, or `-` for standard input.

/// Reads the bytes an argument stands for.
pub(crate) fn bytes(argument: &str) -> Result<Vec<u8>> {
    if argument == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        Ok(bytes)
    } else if let Some(path) = argument.strip_prefix('@') {
        std::fs::read(path).with_context(|| format!("cannot read {path}"))
    } else {
        Ok(argument.as_bytes().to_vec())
    }
}

/// Reads the JSON an argument stands for.
pub(crate) fn json(argument: &str) -> Result<Value> {
    serde_json::from_slice(&bytes(argument)?)
        .context("expected JSON: text, @FILE, or - for standard input (quote it for the shell: '{\"a\": 1}')")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Sample {
        #[command(flatten)]
        list: ListArgs<OfJobs>,
    }

    #[test]
    fn every_filter_of_a_list_is_an_option() {
        let arguments = ["x", "--job-type", "a,b", "--created-after", "now-1h", "--q", "tag:vip", "--count"];
        let sample = Sample::try_parse_from(arguments).expect("valid");
        let given: Vec<_> =
            sample.list.filter.pairs().into_iter().filter(|(_, value)| value.is_some()).collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            given,
            [("jobType", text("a,b")), ("createdAfter", text("now-1h")), ("q", text("tag:vip"))]
        );
        assert!(sample.list.count);
        assert!(Sample::try_parse_from(["x", "--died-after", "now"]).is_err());
    }

    #[test]
    fn a_filter_with_a_few_values_takes_no_other() {
        for arguments in
            [["x", "--status", "FAILED,CANCELLED"], ["x", "--sort", "run"], ["x", "--order", "asc"]]
        {
            Sample::try_parse_from(arguments).expect("valid");
        }
        for (option, value) in [("--status", "FAILED,BROKEN"), ("--sort", "died"), ("--order", "up")] {
            let refused = Sample::try_parse_from(["x", option, value]).expect_err(option).to_string();
            assert!(refused.contains(value) && refused.contains("must be one of"), "{refused}");
        }
    }
}
