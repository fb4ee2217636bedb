//! A term as a condition. Every value is bound; what becomes part of the text are columns, and statuses, so that partial
//! indexes serve.

use domain::queue::{QueueName, Tier};
use domain::search::{Bound, Term, TermValue, Test};
use domain::webhook::DeliverySource;
use sea_orm::Value;
use store::webhooks::NO_WEBHOOK;

use crate::select::Select;

/// Where the values of a key are found.
#[derive(Debug, Clone, Copy)]
pub(super) enum Column {
    /// A column of text.
    Text(&'static str),
    /// A column whose values become part of the text of the statement.
    Literal(&'static str),
    /// A queue by its code.
    Queue(&'static str),
    /// A tier by its code.
    Tier(&'static str),
    /// A UUID.
    Uuid(&'static str),
    /// The webhook of a delivery; events have none.
    Webhook(&'static str),
    /// A number, or an instant.
    Long(&'static str),
    /// A JSON array of texts.
    Tags(&'static str),
    /// The state of an unfinished job.
    JobState(&'static str),
    /// A caller's key with its scope in front: so many parts, each with a `/` behind it.
    ScopedKey(&'static str, usize),
    /// JSON in which a field has an id: column, field, and the prefix of the id.
    Detail(&'static str, &'static str, &'static str),
    /// The status of a delivery, and when it was held.
    DeliveryStatus(&'static str, &'static str),
    /// The webhook of a delivery, which says whether one sent it.
    Source(&'static str),
    /// JSON text that holds ids with this prefix.
    Ids(&'static str, &'static str),
    /// A number that is 0 or 1.
    Flag(&'static str),
    /// What another table says: what comes before and after the condition, and where the value is there.
    In(&'static str, &'static Column),
    /// No object of the source has a value.
    Never,
}

/// Whether the job of this column `state` is offered.
fn is_offer(state: &str) -> String {
    let worker = state.replace("state", "worker_id");
    format!("({state} = 'processing' AND {worker} LIKE 'trunkline-relay/%')")
}

/// Appends a term.
pub(super) fn apply(select: &mut Select, column: Column, term: &Term) {
    select.push(if term.is_negated { "AND (" } else { "AND" });
    select.push("(");
    let (open, inner) = match column {
        Column::In(open, inner) => (open, *inner),
        column => ("", column),
    };
    select.push(open);
    let values = term.values().filter(|values| values.len() > 1);
    if values.is_none_or(|values| !one_of(select, inner, &values)) {
        for (index, test) in term.tests.iter().enumerate() {
            select.push(if index == 0 { "(" } else { "OR (" });
            apply_test(select, inner, test);
            select.push(")");
        }
    }
    if !open.is_empty() {
        select.push(")");
    }
    select.push(")");
    if term.is_negated {
        // What lacks the key matches too.
        select.push("IS NOT TRUE)");
    }
}

/// Appends a term of one value in a form that says nothing of the order of rows, see [`Source::lead`](super::source::Source::lead);
/// any other as [`apply`] does.
pub(super) fn apply_lead(select: &mut Select, column: Column, term: &Term) {
    match (column, term.tests.as_slice()) {
        (Column::Text(name) | Column::Uuid(name) | Column::Webhook(name), [Test::Is(value)])
            if !term.is_negated =>
        {
            select.with(&format!("AND {name} = ANY (ARRAY[$?])"), bound_value(column, value));
        }
        _ => apply(select, column, term),
    }
}

/// Several values at once, so that an index serves. Answers whether it was possible.
fn one_of(select: &mut Select, column: Column, values: &[&TermValue]) -> bool {
    let (Column::Text(name)
    | Column::Queue(name)
    | Column::Tier(name)
    | Column::Uuid(name)
    | Column::Webhook(name)
    | Column::Literal(name)) = column
    else {
        return false;
    };
    select.push(name);
    for (index, value) in values.iter().enumerate() {
        select.push(if index == 0 { "IN (" } else { "," });
        push_value(select, column, value);
    }
    select.push(")");
    true
}

fn push_value(select: &mut Select, column: Column, value: &TermValue) {
    match (column, value) {
        (Column::Literal(_), TermValue::Text(word)) if is_word(word) => select.push(&format!("'{word}'")),
        _ => select.with("$?", bound_value(column, value)),
    }
}

/// Words of enumerations only: they become part of the text.
fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

fn bound_value(column: Column, value: &TermValue) -> Value {
    match (column, value) {
        (Column::Queue(_), TermValue::Text(text)) => QueueName::parse(text).map(QueueName::code).into(),
        (Column::Tier(_), TermValue::Text(text)) => Tier::parse(text).map(Tier::code).into(),
        (_, TermValue::Text(text)) => text.as_str().into(),
        (_, TermValue::Integer(number)) => (*number).into(),
        (_, TermValue::Number(number)) => (*number).into(),
        (_, TermValue::Boolean(is_true)) => i64::from(*is_true).into(),
        (_, TermValue::Instant(instant)) => instant.0.into(),
        (_, TermValue::Id(id)) => (*id).into(),
    }
}

fn apply_test(select: &mut Select, column: Column, test: &Test) {
    match test {
        Test::Is(value) => is(select, column, value),
        Test::Begins(text) => begins(select, column, text),
        Test::Between(lower, upper) => between(select, column, lower.as_ref(), upper.as_ref()),
        Test::Present => present(select, column),
    }
}

fn is(select: &mut Select, column: Column, value: &TermValue) {
    match column {
        Column::Text(name)
        | Column::Literal(name)
        | Column::Queue(name)
        | Column::Tier(name)
        | Column::Uuid(name)
        | Column::Webhook(name)
        | Column::Long(name) => {
            select.push(&format!("{name} ="));
            push_value(select, column, value);
        }
        Column::Tags(name) => {
            let tag = if let TermValue::Text(tag) = value { tag.as_str() } else { "" };
            // A tag is looked for as it stands in the array, with its quotes.
            let tag = serde_json::Value::from(tag).to_string();
            select.with(&format!("{{postgres:strpos}}{{sqlite:instr}}({name}, $?) > 0"), tag);
        }
        Column::JobState(name) => match value {
            // Offers are leased in the table and shown as QUEUED.
            TermValue::Text(status) if status == "QUEUED" => {
                select.push(&format!("({name} IN ('queued', 'blocked') OR {})", is_offer(name)));
            }
            TermValue::Text(status) if status == "PROCESSING" => {
                select.push(&format!("({name} = 'processing' AND NOT {})", is_offer(name)));
            }
            TermValue::Text(status) if is_word(status) => {
                select.push(&format!("{name} = '{}'", status.to_lowercase()));
            }
            _ => select.push("false"),
        },
        Column::ScopedKey(name, parts) => {
            let key = if let TermValue::Text(key) = value { key.as_str() } else { "" };
            let (postgres, sqlite) = keys_of(name, parts);
            select.with(&format!("{{postgres:{postgres} = $?}}{{sqlite:{sqlite} = $?}}"), key);
        }
        Column::Detail(name, field, prefix) => {
            let id = if let TermValue::Id(id) = value { *id } else { uuid::Uuid::nil() };
            let written = format!("\"{field}\":\"{prefix}_{}\"", id.simple());
            select.with(&format!("{{postgres:strpos}}{{sqlite:instr}}({name}, $?) > 0"), written);
        }
        Column::DeliveryStatus(name, held_at) => match value {
            TermValue::Text(status) if status == "held" => {
                select.push(&format!("{name} = 'accepted' AND {held_at} IS NOT NULL"));
            }
            TermValue::Text(status) if status == "accepted" => {
                select.push(&format!("{name} = 'accepted' AND {held_at} IS NULL"));
            }
            TermValue::Text(status) if is_word(status) => select.push(&format!("{name} = '{status}'")),
            _ => select.push("false"),
        },
        Column::Source(name) => {
            let is_event = matches!(value, TermValue::Text(text) if text == DeliverySource::Event.as_str());
            let sign = if is_event { "=" } else { "<>" };
            select.with(&format!("{name} {sign} $?"), NO_WEBHOOK.uuid());
        }
        Column::Ids(name, prefix) => {
            let id = if let TermValue::Id(id) = value { *id } else { uuid::Uuid::nil() };
            let written = format!("{prefix}_{}", id.simple());
            let plain = id.to_string();
            select.with(&format!("({{postgres:strpos}}{{sqlite:instr}}({name}, $?) > 0"), written);
            select.with(&format!("OR {{postgres:strpos}}{{sqlite:instr}}({name}, $?) > 0)"), plain);
        }
        Column::Flag(name) => {
            let is_set = matches!(value, TermValue::Text(text) if text == "true");
            select.push(&format!("{name} = {}", i32::from(is_set)));
        }
        Column::In(..) | Column::Never => select.push("false"),
    }
}

/// What takes the scope off a key, on either database.
fn keys_of(name: &str, parts: usize) -> (String, String) {
    let strip = |find: &str| {
        (0..parts).fold(name.to_owned(), |inner, _| format!("substr({inner}, {find}({inner}, '/') + 1)"))
    };
    (strip("strpos"), strip("instr"))
}

fn begins(select: &mut Select, column: Column, text: &str) {
    match column {
        Column::Text(name) => select.with(
            &format!("{{postgres:starts_with({name}, $?)}}{{sqlite:substr({name}, 1, length($?)) = $?}}"),
            text,
        ),
        Column::Tags(name) => {
            let mut begin = serde_json::Value::from(text).to_string();
            begin.pop();
            select.with(&format!("{{postgres:strpos}}{{sqlite:instr}}({name}, $?) > 0"), begin);
        }
        Column::ScopedKey(name, parts) => {
            let (postgres, sqlite) = keys_of(name, parts);
            let begins = format!(
                "{{postgres:starts_with({postgres}, $?)}}{{sqlite:substr({sqlite}, 1, length($?)) = $?}}"
            );
            select.with(&begins, text);
        }
        _ => select.push("false"),
    }
}

fn between(select: &mut Select, column: Column, lower: Option<&Bound>, upper: Option<&Bound>) {
    let name = match column {
        Column::Long(name) => name.to_owned(),
        // By bytes, whatever the database's collation is.
        Column::Text(name) => format!("{name} {{postgres:COLLATE \"C\"}}"),
        _ => return select.push("false"),
    };
    select.push("true");
    if let Some(bound) = lower {
        let sign = if bound.is_included { ">=" } else { ">" };
        select.with(&format!("AND {name} {sign} $?"), bound_value(column, &bound.value));
    }
    if let Some(bound) = upper {
        let sign = if bound.is_included { "<=" } else { "<" };
        select.with(&format!("AND {name} {sign} $?"), bound_value(column, &bound.value));
    }
}

fn present(select: &mut Select, column: Column) {
    match column {
        Column::Text(name)
        | Column::Literal(name)
        | Column::Queue(name)
        | Column::Tier(name)
        | Column::Uuid(name)
        | Column::Long(name)
        | Column::JobState(name)
        | Column::DeliveryStatus(name, _)
        | Column::Source(name)
        | Column::Flag(name)
        | Column::ScopedKey(name, _) => {
            select.push(&format!("{name} IS NOT NULL AND CAST({name} AS text) <> ''"));
        }
        Column::Tags(name) | Column::Ids(name, _) => {
            select.push(&format!("{name} IS NOT NULL AND {name} NOT IN ('', '[]')"));
        }
        Column::Webhook(name) => select.with(&format!("{name} <> $?"), NO_WEBHOOK.uuid()),
        Column::Detail(name, field, prefix) => {
            let begin = format!("\"{field}\":\"{prefix}_");
            select.with(&format!("{{postgres:strpos}}{{sqlite:instr}}({name}, $?) > 0"), begin);
        }
        Column::In(..) | Column::Never => select.push("false"),
    }
}
