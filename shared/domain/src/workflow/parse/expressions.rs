//! Compiles the expressions of a definition, and remembers which node reads which, to be checked against the graph.

use serde_json::{Map, Value};

use crate::error::Fault;
use crate::names::NodeId;
use crate::secret::SecretName;
use crate::workflow::expression::{
    EXPRESSION_BYTES_MAX, Expression, InputSchema, Piece, SealedPart, Template, TextPart, Variables, cut,
};
use crate::workflow::parse::bounds::EXPRESSIONS_MAX;
use crate::workflow::parse::fields::{Faults, Fields, escape};

/// Compiles expressions one after the other.
pub(super) struct Compiler<'f> {
    expression_bytes_max: usize,
    /// How many expressions there were so far.
    expressions: usize,
    /// Whose fields are being compiled.
    pub(super) reader: Reader,
    /// What is in scope there beside what always is.
    pub(super) variables: Variables,
    /// What was read by whom.
    pub(super) mentions: Vec<Mention>,
    /// Where faults go.
    pub(super) faults: &'f mut Faults,
}

/// Who reads. Nodes by their place among all nodes, those of `onFailure` after the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// The definition's `output`.
    Output,
    /// A node, before it runs.
    Node(usize),
    /// A node after it ran: the condition of its `repeat`.
    Until(usize),
    /// The compensation of a node.
    Compensation(usize),
}

/// `nodes.<id>` in an expression.
#[derive(Debug)]
pub(super) struct Mention {
    /// Who reads.
    pub(super) reader: Reader,
    /// The node that is read.
    pub(super) node: NodeId,
    /// Whether only its callback address is, which is known from the start.
    pub(super) is_callback: bool,
    /// Where it says so.
    pub(super) pointer: String,
}

impl<'f> Compiler<'f> {
    /// A compiler for the definition's own fields.
    pub(super) fn new(expression_bytes_max: usize, faults: &'f mut Faults) -> Self {
        Self {
            expression_bytes_max,
            expressions: 0,
            reader: Reader::Output,
            variables: Variables::default(),
            mentions: Vec::new(),
            faults,
        }
    }

    /// Compiles the value of a header that has secrets in it. `None` where anything in it is wrong.
    pub(super) fn sealed(&mut self, text: &str, pointer: &str) -> Option<Vec<SealedPart>> {
        let pieces = cut(text).ok()?;
        let compiled: Vec<_> = pieces
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(plain) => Some(SealedPart::Plain(plain)),
                Piece::Expression(source) => match SecretName::of_expression(source) {
                    Some(name) => Some(SealedPart::Secret(name)),
                    None => self.expression(source, pointer).map(SealedPart::Expression),
                },
            })
            .collect();
        compiled.into_iter().collect()
    }

    /// Compiles a text that is an expression as a whole.
    pub(super) fn expression(&mut self, source: &str, pointer: &str) -> Option<Expression> {
        if source.trim_start().starts_with("secrets.") {
            let message = "a secret is written as ${secrets.name}, with nothing else between the braces, in the headers of \
                           an HTTP node's request and nowhere else";
            self.faults.add(pointer, message);
            return None;
        }
        self.expressions += 1;
        if self.expressions > EXPRESSIONS_MAX && !self.faults.is_stored() {
            if self.expressions == EXPRESSIONS_MAX + 1 {
                self.faults.rule(pointer, format!("expected at most {EXPRESSIONS_MAX} expressions in all"));
            }
            return None;
        }
        match Expression::compile_with(source, self.expression_bytes_max, self.variables) {
            Ok(expression) => {
                let read = expression.nodes().iter().map(|node| (node, false));
                let addresses = expression.callback_nodes().iter().map(|node| (node, true));
                self.mentions.extend(read.chain(addresses).map(|(node, is_callback)| Mention {
                    reader: self.reader,
                    node: node.clone(),
                    is_callback,
                    pointer: pointer.to_owned(),
                }));
                if !self.faults.is_stored() {
                    for fault in expression.pattern_faults(&mut self.faults.patterns) {
                        self.faults.rule(pointer, fault.to_string());
                    }
                }
                Some(expression)
            }
            Err(found) => {
                for fault in found {
                    self.faults.add(pointer, fault.to_string());
                }
                None
            }
        }
    }

    /// Compiles a field that is an expression as a whole. `None` where it is absent or wrong.
    pub(super) fn expression_of(&mut self, owner: &Fields<'_>, field: &str) -> Option<Expression> {
        let source = owner.text(field, self.faults)?;
        self.expression(source, &owner.at(field))
    }

    /// Compiles a field with `${…}` in its strings. `None` where it is absent or wrong.
    pub(super) fn template_of(&mut self, owner: &Fields<'_>, field: &str) -> Option<Template> {
        self.template(owner.get(field)?, &owner.at(field))
    }

    /// The same for a field that has to be a string.
    pub(super) fn text_template_of(&mut self, owner: &Fields<'_>, field: &str) -> Option<Template> {
        owner.text(field, self.faults)?;
        self.template_of(owner, field)
    }

    /// Compiles a value with `${…}` in its strings. `None` where anything in it is wrong.
    pub(super) fn template(&mut self, value: &Value, pointer: &str) -> Option<Template> {
        match value {
            Value::String(text) => self.text(text, pointer),
            Value::Array(items) => {
                let compiled: Vec<_> = items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| self.template(item, &format!("{pointer}/{index}")))
                    .collect();
                let items: Vec<Template> = compiled.into_iter().collect::<Option<_>>()?;
                Some(list(items))
            }
            Value::Object(fields) => {
                let compiled: Vec<_> = fields
                    .iter()
                    .map(|(field, item)| {
                        let item = self.template(item, &format!("{pointer}/{}", escape(field)));
                        item.map(|item| (field.clone(), item))
                    })
                    .collect();
                let fields: Vec<(String, Template)> = compiled.into_iter().collect::<Option<_>>()?;
                Some(object(fields))
            }
            scalar => Some(Template::Literal(scalar.clone())),
        }
    }

    fn text(&mut self, text: &str, pointer: &str) -> Option<Template> {
        let pieces = match cut(text) {
            Ok(pieces) => pieces,
            Err(fault) => {
                self.faults.add(pointer, fault.to_string());
                return None;
            }
        };
        let compiled: Vec<_> = pieces
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(plain) => Some(TextPart::Plain(plain)),
                Piece::Expression(source) => self.expression(source, pointer).map(TextPart::Expression),
            })
            .collect();
        let mut parts: Vec<TextPart> = compiled.into_iter().collect::<Option<_>>()?;
        Some(match (parts.len(), parts.pop()) {
            (0, _) | (_, None) => Template::Literal(Value::from("")),
            (1, Some(TextPart::Plain(plain))) => Template::Literal(Value::from(plain)),
            (1, Some(TextPart::Expression(expression))) => Template::Expression(expression),
            (_, Some(last)) => {
                parts.push(last);
                Template::Text(parts)
            }
        })
    }
}

/// Whether a text has a secret in it.
pub(super) fn has_secret(text: &str) -> bool {
    let is_secret = |piece: &Piece<'_>| matches!(piece, Piece::Expression(source) if SecretName::of_expression(source).is_some());
    cut(text).is_ok_and(|pieces| pieces.iter().any(is_secret))
}

/// A list; a literal where nothing in it is to be evaluated.
fn list(items: Vec<Template>) -> Template {
    let literals: Option<Vec<Value>> = items.iter().map(literal).collect();
    literals.map_or(Template::List(items), |items| Template::Literal(Value::Array(items)))
}

/// An object; a literal where nothing in it is to be evaluated.
pub(super) fn object(fields: Vec<(String, Template)>) -> Template {
    let literals: Option<Map<String, Value>> =
        fields.iter().map(|(field, item)| literal(item).map(|item| (field.clone(), item))).collect();
    literals.map_or(Template::Object(fields), |fields| Template::Literal(Value::Object(fields)))
}

fn literal(template: &Template) -> Option<Value> {
    match template {
        Template::Literal(value) => Some(value.clone()),
        _ => None,
    }
}

// Compiles a JSON value with `${…}` in its strings, apart from any definition: the input of a webhook's trigger.

/// Compiles a value; every fault points into it.
pub fn compile_template(value: &Value, variables: Variables) -> Result<Template, Vec<Fault>> {
    let mut faults = Faults::default();
    let mut compiler = Compiler::new(EXPRESSION_BYTES_MAX, &mut faults);
    compiler.variables = variables;
    let template = compiler.template(value, "");
    match template {
        Some(template) if faults.is_empty() => Ok(template),
        _ => Err(faults.into_vec()),
    }
}

/// Checks and compiles the schema at `pointer`.
pub(super) fn read_schema(schema: &Value, pointer: &str, faults: &mut Faults) -> Option<InputSchema> {
    // A bare true or false is a schema as well, but here it is more likely a slip.
    Fields::of(schema, pointer, faults)?;
    let compiled = if faults.is_stored() {
        InputSchema::compile_stored(schema)
    } else {
        InputSchema::compile_counted(schema, &mut faults.patterns)
    };
    match compiled {
        Ok(compiled) => Some(compiled),
        Err(found) => {
            for fault in found {
                let fault = fault.under(pointer);
                faults.add(fault.pointer, fault.message);
            }
            None
        }
    }
}
