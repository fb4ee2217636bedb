//! What a check against a JSON Schema may take, counted before any check is made.
//!
//! Two references to the next of a chain of 26 schemas are a few lines, and 2^26 visits of the last one for one value. So
//! the visits are counted over the graph of schemas and references, without following any of them twice: how often at
//! most the value at the end of a path of `d` steps is looked at is a sum over what applies to the same value, and a
//! maximum over what applies to different ones. The numbers saturate.

use std::collections::HashMap;

use serde_json::Value;

use crate::error::Fault;
use crate::workflow::parse::escape;

/// How many values a schema may hold.
const VALUES_MAX: usize = 20_000;

/// How often one value may be looked at, weighted by what each look costs.
const VISITS_MAX: u64 = 4_000;

/// How many schemas may lie within one another, from a value to the deepest one in it. A check recurses over them.
const NESTED_MAX: u64 = 600;

/// How deep values may be nested that are checked.
const DEPTH_MAX: usize = 100;

/// How many looks at schemas the counting itself may take for each step down.
const WORK_MAX: usize = 200_000;

/// The weight of a schema of which only the name is known: the one of JSON Schemas.
const UNKNOWN_WEIGHT: u64 = 100;

/// Keywords whose values are schemas, or lists or objects of them.
const ONE: [&str; 11] = [
    "not",
    "if",
    "then",
    "else",
    "items",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAP: [&str; 6] =
    ["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"];

/// A pattern of a schema, and where it is.
#[derive(Debug)]
pub(super) struct PatternAt<'v> {
    /// The pattern.
    pub(super) text: &'v str,
    /// The pointer to it within the schema.
    pub(super) pointer: String,
    /// The number of the schema.
    schema: usize,
}

/// Counts how often one value is looked at, at most, where a look by a pattern counts as much as `weigh` says. The fault names
/// the place of the schema from which too much follows.
pub(super) fn size_of<'v>(
    schema: &'v Value,
    mut weigh: impl FnMut(&PatternAt<'v>) -> Result<u64, Fault>,
) -> Result<u64, Fault> {
    let mut left = VALUES_MAX;
    count_values(schema, &mut left).ok_or_else(|| {
        Fault::new("", format!("the schema holds more than {VALUES_MAX} values; describe less of the input"))
    })?;
    let mut graph = Graph::default();
    graph.add(schema, schema, "");
    graph.link();
    // In the order of the text.
    for pattern in std::mem::take(&mut graph.patterns) {
        graph.schemas[pattern.schema].weight += weigh(&pattern)?;
    }
    graph.visits()
}

fn count_values(value: &Value, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| count_values(item, left)),
        Value::Object(fields) => fields.values().try_for_each(|item| count_values(item, left)),
        _ => Some(()),
    }
}

/// One schema, by what it applies to what.
#[derive(Debug, Default)]
struct Schema {
    pointer: String,
    weight: u64,
    /// To the same value.
    same: Vec<usize>,
    /// To one field each: different values, unless patterns overlap.
    fields: Vec<usize>,
    /// To any field.
    any_field: Vec<usize>,
    /// To one item each.
    places: Vec<usize>,
    /// To any item.
    any_item: Vec<usize>,
    /// Whether what applies to the same value is gone through twice, to find out what was left over.
    is_twice: bool,
}

#[derive(Default)]
struct Graph<'v> {
    schemas: Vec<Schema>,
    /// By the address of the value.
    known: HashMap<*const Value, usize>,
    /// By name: anchors, and ids with their last part.
    named: HashMap<&'v str, Vec<usize>>,
    /// References that are to be resolved: the schema, the reference, and the document that it is in.
    references: Vec<(usize, &'v str, &'v Value)>,
    patterns: Vec<PatternAt<'v>>,
}

impl<'v> Graph<'v> {
    /// Adds a schema with all that lie within it; answers its number.
    fn add(&mut self, value: &'v Value, root: &'v Value, pointer: &str) -> usize {
        if let Some(&known) = self.known.get(&std::ptr::from_ref(value)) {
            return known;
        }
        let index = self.schemas.len();
        self.known.insert(std::ptr::from_ref(value), index);
        self.schemas.push(Schema { weight: 1, ..Schema::default() });
        let Value::Object(keywords) = value else { return index };
        // A schema with an id of its own is a document of its own.
        let root = if keywords.contains_key("$id") { value } else { root };
        let mut schema = Schema { weight: 1, pointer: pointer.to_owned(), ..Schema::default() };
        for (keyword, value) in keywords {
            let at = format!("{pointer}/{}", escape(keyword));
            self.name(index, keyword, value);
            match (keyword.as_str(), value) {
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(to)) => {
                    self.references.push((index, to, root));
                }
                ("pattern", Value::String(text)) => {
                    self.patterns.push(PatternAt { text, pointer: at, schema: index });
                }
                (keyword, value) if ONE.contains(&keyword) => {
                    let inner = self.add(value, root, &at);
                    schema.apply(keyword, inner);
                }
                (keyword, Value::Array(items)) if LIST.contains(&keyword) => {
                    for (place, item) in items.iter().enumerate() {
                        let inner = self.add(item, root, &format!("{at}/{place}"));
                        schema.apply(keyword, inner);
                    }
                }
                (keyword, Value::Object(fields)) if MAP.contains(&keyword) => {
                    for (field, item) in fields {
                        let at = format!("{at}/{}", escape(field));
                        if keyword == "patternProperties" {
                            self.patterns.push(PatternAt { text: field, pointer: at.clone(), schema: index });
                        }
                        let inner = self.add(item, root, &at);
                        schema.apply(keyword, inner);
                    }
                }
                // Lists of values and names are gone through.
                (_, Value::Array(items)) => schema.weight += items.len() as u64,
                (_, Value::Object(fields)) => schema.weight += fields.len() as u64,
                _ => {}
            }
        }
        self.schemas[index] = schema;
        index
    }

    fn name(&mut self, index: usize, keyword: &str, value: &'v Value) {
        let Value::String(name) = value else { return };
        if matches!(keyword, "$anchor" | "$dynamicAnchor" | "$id") {
            self.named.entry(name).or_default().push(index);
            if let Some((_, last)) = name.rsplit_once('/').filter(|_| keyword == "$id") {
                self.named.entry(last).or_default().push(index);
            }
        }
    }

    /// Finds what references lead to. What is found may hold references.
    fn link(&mut self) {
        while let Some((from, reference, root)) = self.references.pop() {
            let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
            let targets = if document.is_empty() && (fragment.is_empty() || fragment.starts_with('/')) {
                let pointer = decoded(fragment);
                root.pointer(&pointer).map(|target| self.add(target, root, &pointer)).into_iter().collect()
            } else {
                let last = document.rsplit_once('/').map_or(document, |(_, last)| last);
                let names = if fragment.is_empty() || fragment.starts_with('/') {
                    [document, last]
                } else {
                    [fragment, fragment]
                };
                names.iter().find_map(|name| self.named.get(name).cloned()).unwrap_or_default()
            };
            if targets.is_empty() {
                self.schemas[from].weight += UNKNOWN_WEIGHT;
            }
            self.schemas[from].same.extend(targets);
        }
    }

    /// How often one value is looked at, at most.
    fn visits(&self) -> Result<u64, Fault> {
        let mut before = vec![Found::default(); self.schemas.len()];
        let mut most = 0;
        for depth in 0..=DEPTH_MAX {
            let mut level = Level {
                graph: self,
                before: &before,
                now: vec![None; before.len()],
                open: HashMap::new(),
                is_first: depth == 0,
                work_left: WORK_MAX,
            };
            let now: Vec<Found> = (0..before.len()).map(|index| level.of(index)).collect::<Result<_, _>>()?;
            most = most.max(now.first().map_or(0, |root| root.visits));
            if now == before {
                break;
            }
            before = now;
        }
        Ok(most)
    }
}

impl Schema {
    fn apply(&mut self, keyword: &str, inner: usize) {
        match keyword {
            "properties" => self.fields.push(inner),
            "patternProperties" | "additionalProperties" | "propertyNames" => self.any_field.push(inner),
            "unevaluatedProperties" => {
                self.any_field.push(inner);
                self.is_twice = true;
            }
            "prefixItems" => self.places.push(inner),
            "items" | "contains" => self.any_item.push(inner),
            "unevaluatedItems" => {
                self.any_item.push(inner);
                self.is_twice = true;
            }
            // They apply to nothing by themselves.
            "$defs" | "definitions" | "contentSchema" => {}
            _ => self.same.push(inner),
        }
    }
}

/// What follows from a schema for one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Found {
    visits: u64,
    /// How many schemas lie within one another.
    nested: u64,
}

/// The values so many steps below the one that is checked.
struct Level<'g, 'v> {
    graph: &'g Graph<'v>,
    /// What was found one step higher.
    before: &'g [Found],
    now: Vec<Option<Found>>,
    /// The schemas between here and the first, with their places.
    open: HashMap<usize, usize>,
    is_first: bool,
    work_left: usize,
}

impl Level<'_, '_> {
    fn of(&mut self, index: usize) -> Result<Found, Fault> {
        self.walk(index).map(|(found, _)| found)
    }

    /// Answers as well the lowest place among the open ones that was come upon again: what was found from within such a
    /// circle is not all that follows from the schema, and is not kept.
    fn walk(&mut self, index: usize) -> Result<(Found, usize), Fault> {
        if let Some(known) = self.now[index] {
            return Ok((known, usize::MAX));
        }
        let schema = &self.graph.schemas[index];
        let place = self.open.len();
        self.work_left = self.work_left.saturating_sub(1);
        if self.work_left == 0 {
            let message =
                "schemas refer to one another in circles that cross; refer back from fields or items instead";
            return Err(Fault::new(schema.pointer.clone(), message));
        }
        if place as u64 > NESTED_MAX {
            return Err(too_deep(schema));
        }
        self.open.insert(index, place);
        let mut found =
            if self.is_first { Found { visits: schema.weight, nested: 0 } } else { self.below(schema) };
        let mut lowest = usize::MAX;
        for &inner in &schema.same {
            // A check stops where it comes upon the same schema and the same value again.
            if let Some(&again) = self.open.get(&inner) {
                lowest = lowest.min(again);
                continue;
            }
            let (more, low) = self.walk(inner)?;
            let times = if schema.is_twice { 2 } else { 1 };
            found.visits = found.visits.saturating_add(more.visits.saturating_mul(times));
            found.nested = found.nested.max(more.nested);
            lowest = lowest.min(low);
        }
        self.open.remove(&index);
        found.nested += 1;
        if found.visits > VISITS_MAX {
            let message = format!(
                "validation against the schema may visit one value more than {VISITS_MAX} times; refer to the same \
                 schema from fewer places that apply to one value"
            );
            return Err(Fault::new(schema.pointer.clone(), message));
        }
        if found.nested > NESTED_MAX {
            return Err(too_deep(schema));
        }
        if lowest >= place {
            self.now[index] = Some(found);
            lowest = usize::MAX;
        }
        Ok((found, lowest))
    }

    /// What the fields and items of a value bring: of those that apply to different values, the most.
    fn below(&self, schema: &Schema) -> Found {
        let visits = |inner: &usize| self.before[*inner].visits;
        let most = |list: &[usize]| list.iter().map(visits).max().unwrap_or(0);
        let sum = |list: &[usize]| list.iter().map(visits).fold(0, u64::saturating_add);
        let fields = most(&schema.fields).saturating_add(sum(&schema.any_field));
        let items = most(&schema.places).saturating_add(sum(&schema.any_item));
        let all = schema.fields.iter().chain(&schema.any_field).chain(&schema.places).chain(&schema.any_item);
        let nested = all.map(|&inner| self.before[inner].nested).max().unwrap_or(0);
        Found { visits: fields.max(items), nested }
    }
}

fn too_deep(schema: &Schema) -> Fault {
    let message = format!("more than {NESTED_MAX} schemas lie within one another; refer through fewer");
    Fault::new(schema.pointer.clone(), message)
}

/// A fragment without its escapes.
fn decoded(fragment: &str) -> String {
    if !fragment.contains('%') {
        return fragment.to_owned();
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(fragment.len()), fragment.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(escaped) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| byte == b'%') {
            bytes.push(escaped);
            rest = &after[2..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
