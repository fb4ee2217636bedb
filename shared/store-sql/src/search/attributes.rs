//! Terms that another table answers: attributes, and the fingerprints of jobs and executions. By the objects themselves where
//! those are few, by the index of that table where one value is asked for in the order in which objects were made, and by a
//! probe for each object otherwise.

use domain::access::TenantScope;
use domain::attribute::{AttributeId, AttributeValue};
use domain::search::{Bound, Search, SearchList, Term, TermValue, Test, attribute_names};
use sea_orm::ConnectionTrait;
use store::StoreResult;
use uuid::Uuid;

use super::condition::{Column, apply};
use super::parts::Table;
use crate::attributes::ids_of_names;
use crate::bind;
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::select::Select;

/// How many objects are few: they are read by their ids.
const FEW: usize = 1_000;

/// The terms of attributes of a search, with what was found out about them.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    terms: Vec<Resolved>,
    /// The place of a term and the one fingerprint that it asks for, which many jobs have.
    fingerprint: Option<(usize, String)>,
}

/// A term, in the place that it has in the search.
#[derive(Debug)]
struct Resolved {
    place: usize,
    ids: Vec<AttributeId>,
    /// The objects that match, where they are few.
    few: Option<Vec<Uuid>>,
    /// The one value that they have, where the index of values has them in order.
    value: Option<String>,
}

/// What many objects have in an index in which they stand in the order in which they were made, and the place of its term.
#[derive(Debug, Clone, Copy)]
pub(super) enum Driver<'a> {
    /// The value of an attribute.
    Attribute(usize, AttributeId, &'a str),
    /// The kind of error with which jobs died.
    Fingerprint(usize, &'a str),
}

impl Attributes {
    /// Looks at the terms of a search.
    pub(super) async fn of<C: ConnectionTrait>(
        on: &C,
        scope: &TenantScope,
        search: &Search,
    ) -> StoreResult<Self> {
        let mut terms = Vec::new();
        let mut fingerprint = None;
        for (place, term) in search.terms.iter().enumerate() {
            if let Some(few) = of_fingerprint(on, search, term).await? {
                terms.push(Resolved { place, ids: Vec::new(), few: Some(few), value: None });
            } else if search.list == SearchList::Jobs && term.key == "fingerprint" && !term.is_negated {
                fingerprint = value_of(term).map(|value| (place, value)).or(fingerprint);
            }
            let Some(names) = attribute_names(&term.key) else { continue };
            let names: Vec<&str> = names.collect();
            let ids = ids_of_names(on, scope, &names).await?;
            let mut resolved = Resolved { place, ids, few: None, value: None };
            if !term.is_negated {
                resolved.few = few(on, &resolved.ids, term).await?;
                resolved.value = value_of(term);
            }
            terms.push(resolved);
        }
        Ok(Self { terms, fingerprint })
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.fingerprint.is_none()
    }

    /// Whether objects were looked up for the term in a place of the search.
    pub(super) fn has(&self, place: usize) -> bool {
        self.terms.iter().any(|term| term.place == place)
    }

    /// Whether some term leaves few objects.
    pub(super) fn is_narrow(&self) -> bool {
        self.terms.iter().any(|term| term.few.is_some())
    }

    /// The value that a list of objects in the order in which they were made is read by.
    pub(super) fn driver(&self) -> Option<Driver<'_>> {
        if self.is_narrow() {
            return None;
        }
        let of_attribute = self.terms.iter().find_map(|term| match (term.ids.as_slice(), &term.value) {
            (&[attribute], Some(value)) => Some(Driver::Attribute(term.place, attribute, value)),
            _ => None,
        });
        let of_fingerprint =
            || self.fingerprint.as_ref().map(|(place, fingerprint)| Driver::Fingerprint(*place, fingerprint));
        of_attribute.or_else(of_fingerprint)
    }

    /// Appends the term in a place of the search. `object` is the column of the object's id.
    pub(super) fn apply(
        &self,
        select: &mut Select,
        dialect: Dialect,
        (place, term): (usize, &Term),
        object: &str,
    ) {
        let Some(resolved) = self.terms.iter().find(|resolved| resolved.place == place) else {
            return select.push("AND false");
        };
        if let Some(few) = &resolved.few {
            let list = bind::uuids(dialect, few.iter().copied());
            return select.with(&format!("AND {object} {{any $? uuid}}"), list);
        }
        // Looked for object by object, by the index on objects.
        let sign = if term.is_negated { "AND NOT EXISTS" } else { "AND EXISTS" };
        select.push(&format!("{sign} (SELECT 1 FROM attribute_value a WHERE a.object = {object}"));
        matches(select, &resolved.ids, term);
        select.push("{postgres:OFFSET 0})");
    }
}

impl Driver<'_> {
    /// The place of its term in the search.
    pub(super) const fn place(self) -> usize {
        match self {
            Self::Attribute(place, ..) | Self::Fingerprint(place, _) => place,
        }
    }

    /// The table, as `a`.
    pub(super) const fn table(self) -> &'static str {
        match self {
            Self::Attribute(..) => "attribute_value a",
            // With statistics SQLite would skip through the index that has the tenant first, and sort.
            Self::Fingerprint(..) => "dead_letter a {sqlite:INDEXED BY dead_letter_fingerprint_job}",
        }
    }

    /// The id of the object of a row.
    pub(super) const fn object(self) -> &'static str {
        match self {
            Self::Attribute(..) => "a.object",
            Self::Fingerprint(..) => "a.job_id",
        }
    }

    /// What keeps an object that has several rows from being found several times.
    pub(super) const fn distinct(self) -> &'static str {
        match self {
            Self::Attribute(..) => "",
            Self::Fingerprint(..) => "DISTINCT ",
        }
    }

    /// Appends what its rows are, as `a`. Index: attribute_value's key, or dead_letter_fingerprint_job.
    pub(super) fn apply(self, select: &mut Select) {
        match self {
            Self::Attribute(_, attribute, value) => {
                select.with("AND a.attribute = $?", attribute.0);
                select.with("AND a.value = $?", value);
            }
            Self::Fingerprint(_, fingerprint) => select.with("AND a.fingerprint = $?", fingerprint),
        }
    }
}

/// The column of the id of the object whose attributes a table's rows have.
pub(super) const fn object_of(table: Table) -> &'static str {
    match table {
        Table::Job | Table::JobDone => "j.id",
        Table::Execution => "e.id",
        Table::DeadLetter => "d.job_id",
        Table::Delivery => "v.id",
        Table::Schedule => "s.id",
        // They carry none.
        Table::Run | Table::UserTask | Table::Worker | Table::Audit | Table::Batch => "NULL",
    }
}

/// The objects that match a term, where they are few.
async fn few<C: ConnectionTrait>(on: &C, ids: &[AttributeId], term: &Term) -> StoreResult<Option<Vec<Uuid>>> {
    if ids.is_empty() {
        return Ok(Some(Vec::new()));
    }
    // One after another: for several at once PostgreSQL would read all values of the attribute, because bitmaps are off.
    let mut objects = Vec::new();
    for test in &term.tests {
        let one = Term { tests: vec![test.clone()], ..term.clone() };
        let mut select =
            Select::new("search_attribute", "SELECT a.object AS id FROM attribute_value a WHERE true");
        matches(&mut select, ids, &one);
        match limited(on, select).await? {
            Some(found) => objects.extend(found),
            None => return Ok(None),
        }
    }
    objects.sort_unstable();
    objects.dedup();
    Ok((objects.len() <= FEW).then_some(objects))
}

/// The jobs or executions that died with an error of this kind, where they are few.
async fn of_fingerprint<C: ConnectionTrait>(
    on: &C,
    search: &Search,
    term: &Term,
) -> StoreResult<Option<Vec<Uuid>>> {
    let column = match search.list {
        SearchList::Jobs => "f.job_id",
        SearchList::Executions => "f.execution_id",
        _ => return Ok(None),
    };
    if term.key != "fingerprint" || term.is_negated || term.values().is_none() {
        return Ok(None);
    }
    let text = format!("SELECT {column} AS id FROM dead_letter f WHERE {column} IS NOT NULL");
    let mut select = Select::new("search_fingerprint", &text);
    apply(&mut select, Column::Text("f.fingerprint"), term);
    limited(on, select).await
}

/// The objects that a select finds, where they are few.
async fn limited<C: ConnectionTrait>(on: &C, mut select: Select) -> StoreResult<Option<Vec<Uuid>>> {
    select.with("LIMIT $?", i64::try_from(FEW + 1).unwrap_or(i64::MAX));
    let rows = select.all(on).await?;
    if rows.len() > FEW {
        return Ok(None);
    }
    let mut few: Vec<Uuid> =
        rows.iter().map(|row| Row::new("search", row).uuid("id")).collect::<StoreResult<_>>()?;
    few.sort_unstable();
    few.dedup();
    Ok(Some(few))
}

/// The stored value of a term that asks for one.
fn value_of(term: &Term) -> Option<String> {
    match term.tests.as_slice() {
        [Test::Is(value)] => Some(stored(value)),
        _ => None,
    }
}

/// Appends the conditions on `a` of a term.
fn matches(select: &mut Select, ids: &[AttributeId], term: &Term) {
    let ids: Vec<String> = ids.iter().map(|id| id.0.to_string()).collect();
    // No attribute has the id 0 but by a chance that nobody lives to see.
    select.push(&format!(
        "AND a.attribute IN ({})",
        if ids.is_empty() { "0".to_owned() } else { ids.join(",") }
    ));
    for (index, test) in term.tests.iter().enumerate() {
        select.push(if index == 0 { "AND ((" } else { "OR (" });
        match test {
            Test::Is(value) => select.with("a.value = $?", stored(value)),
            Test::Begins(text) => {
                select.with("a.value >= $?", text.as_str());
                // Nothing that begins so comes after the greatest character behind it.
                select.with("AND a.value <= $?", format!("{text}{}", char::MAX));
            }
            Test::Between(lower, upper) => between(select, lower.as_ref(), upper.as_ref()),
            Test::Present => select.push("true"),
        }
        select.push(")");
    }
    select.push(")");
}

fn between(select: &mut Select, lower: Option<&Bound>, upper: Option<&Bound>) {
    select.push("true");
    if let Some(bound) = lower {
        let sign = if bound.is_included { ">=" } else { ">" };
        select.with(&format!("AND a.value {sign} $?"), stored(&bound.value));
    }
    if let Some(bound) = upper {
        let sign = if bound.is_included { "<=" } else { "<" };
        select.with(&format!("AND a.value {sign} $?"), stored(&bound.value));
    }
}

fn stored(value: &TermValue) -> String {
    match value {
        TermValue::Text(text) => text.clone(),
        TermValue::Integer(number) => AttributeValue::Integer(*number).stored(),
        TermValue::Number(number) => AttributeValue::Number(*number).stored(),
        TermValue::Boolean(is_true) => AttributeValue::Boolean(*is_true).stored(),
        TermValue::Instant(instant) => AttributeValue::Instant(*instant).stored(),
        TermValue::Id(id) => id.to_string(),
    }
}
