//! Compiles one CEL expression: everything that can be known to be wrong before it runs is a fault here.

use cel::common::ast::IdedExpr;

use crate::names::NodeId;
use crate::workflow::expression::cut::{explained, outside_quotes};
use crate::workflow::expression::path::{Path, Root};
use crate::workflow::expression::patterns::{PatternCount, PatternFault};
use crate::workflow::expression::references::{self, ENVIRONMENT, Found, Reference};
use crate::workflow::expression::scope::Plan;
use crate::workflow::expression::spend;

/// The longest expression, in bytes, where the settings say nothing else.
pub const EXPRESSION_BYTES_MAX: usize = 4 * 1024;

/// How many operators, selections and calls an expression may have. The parser recurses over chains of them.
const OPERATORS_MAX: usize = 500;

/// A compiled expression.
#[derive(Debug)]
pub struct Expression {
    pub(super) source: String,
    pub(super) code: Code,
    nodes: Vec<NodeId>,
    callbacks: Vec<NodeId>,
    patterns: Vec<String>,
}

/// What is in scope beside `input`, `nodes` and `execution`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Variables {
    /// `item` and `index`: in what a `MAP` does for each item.
    pub item: bool,
    /// `error`: in compensations and in `onFailure`.
    pub error: bool,
    /// `body`, `headers`, `event`, `query` and `delivery`.
    pub event: EventScope,
}

/// Whether an expression sees a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EventScope {
    /// It sees an execution alone.
    #[default]
    Never,
    /// It sees a delivery beside the execution: the filter of a node that waits for events.
    Beside,
    /// It sees a delivery and no execution: triggers.
    Alone,
    /// It sees a list of deliveries as `batch`, and nothing else: the input of a trigger that batches.
    Batch,
}

impl Variables {
    /// What a trigger sees.
    pub const EVENT: Self = Self { item: false, error: false, event: EventScope::Alone };
    /// What the input of a trigger sees that batches.
    pub const BATCH: Self = Self { item: false, error: false, event: EventScope::Batch };

    /// Whether a path may start there.
    pub(super) const fn contain(self, root: &Root) -> bool {
        match root {
            Root::Event(_) => !matches!(self.event, EventScope::Never),
            _ if matches!(self.event, EventScope::Alone | EventScope::Batch) => false,
            Root::Item | Root::Index => self.item,
            Root::Error => self.error,
            _ => true,
        }
    }
}

/// How an expression is evaluated.
#[derive(Debug)]
pub(super) enum Code {
    /// By following a path.
    Path(Path),
    /// By CEL.
    Program(Box<Program>),
}

/// A CEL program with what it needs.
#[derive(Debug)]
pub(super) struct Program {
    /// The tree, with calls in it that count what is done and made.
    pub(super) tree: IdedExpr,
    /// The parts of the scope that it reads.
    pub(super) plan: Plan,
    /// Every read, for the bound on sizes.
    pub(super) references: Vec<Reference>,
    /// What one pass over the tree costs.
    pub(super) steps: u64,
}

/// Why an expression was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileFault {
    /// Nothing there.
    #[error("the expression is empty")]
    Empty,
    /// Too long.
    #[error("the expression is longer than {max} bytes")]
    Long {
        /// The most, in bytes.
        max: usize,
    },
    /// Too many operators.
    #[error("the expression has more than {max} operators and calls")]
    Operators {
        /// The most.
        max: usize,
    },
    /// Too deep.
    #[error("the expression is nested deeper than {max} levels")]
    Deep {
        /// The most.
        max: usize,
    },
    /// Macros in macros in macros.
    #[error("all, exists, map and filter are nested deeper than {max} levels")]
    MacrosNested {
        /// The most.
        max: usize,
    },
    /// Not CEL.
    #[error("not a CEL expression: {message} (column {column})")]
    Syntax {
        /// What the parser says.
        message: String,
        /// Where, from 1.
        column: usize,
    },
    /// A part is missing.
    #[error("the expression is incomplete")]
    Incomplete,
    /// A variable that is not in scope.
    #[error("unknown variable `{name}`; in scope are input, nodes and execution")]
    UnknownVariable {
        /// Its name.
        name: String,
    },
    /// A variable that is not in scope in a trigger.
    #[error("unknown variable `{name}`; in scope are body, headers, event, query and delivery")]
    UnknownEventVariable {
        /// Its name.
        name: String,
    },
    /// A variable that is not in scope where a batch is.
    #[error("unknown variable `{name}`; in scope is batch, a list of objects with event, body and delivery")]
    UnknownBatchVariable {
        /// Its name.
        name: String,
    },
    /// A variable that is in scope elsewhere.
    #[error(
        "unknown variable `{name}`: it is in scope only in {}",
        if name == "error" { "`compensate` and `onFailure`" } else { "the `node` of a MAP" }
    )]
    NotInScope {
        /// Its name.
        name: String,
    },
    /// A function that does not exist.
    #[error("unknown function `{name}`")]
    UnknownFunction {
        /// Its name.
        name: String,
    },
    /// A message type.
    #[error("unknown type `{name}`")]
    UnknownType {
        /// Its name.
        name: String,
    },
    /// `nodes` by itself or with a computed id.
    #[error(
        "`nodes` is read with the id of a node written out: nodes.charge.output or nodes[\"credit-score\"].output"
    )]
    NodesWithoutId,
    /// A field that nodes do not have.
    #[error("`nodes.{node}` has only output and status, and callbackUrl where it is a WAIT_WEBHOOK")]
    UnknownNodeField {
        /// The node's id.
        node: String,
    },
    /// A field that the execution does not have.
    #[error("`execution` has no field `{field}`, only id, workflow, version, tenant and startedAt")]
    UnknownExecutionField {
        /// The field.
        field: String,
    },
    /// A pattern of `matches` that no text can match.
    #[error("`matches(\"{pattern}\")`: {fault}")]
    Pattern {
        /// The pattern, shortened.
        pattern: String,
        /// What is wrong with it.
        fault: PatternFault,
    },
    /// A field that errors do not have.
    #[error("`error` has no field `{field}`, only node, message and code")]
    UnknownErrorField {
        /// The field.
        field: String,
    },
}

impl Expression {
    /// Compiles a text that sees `input`, `nodes` and `execution`.
    pub fn compile(source: &str, bytes_max: usize) -> Result<Self, Vec<CompileFault>> {
        Self::compile_with(source, bytes_max, Variables::default())
    }

    /// Compiles a text that sees more.
    pub fn compile_with(
        source: &str,
        bytes_max: usize,
        variables: Variables,
    ) -> Result<Self, Vec<CompileFault>> {
        let mut tree = parse(source, bytes_max)?;
        let Found { references, faults, steps, patterns } = references::find(&tree, variables);
        if !faults.is_empty() {
            return Err(faults);
        }
        let nodes = distinct(&references, |root| match root {
            Root::Node(id) | Root::NodeOutput(id) | Root::NodeStatus(id) => Some(id),
            _ => None,
        });
        let callbacks = distinct(&references, |root| match root {
            Root::NodeCallbackUrl(id) => Some(id),
            _ => None,
        });
        let code = if let Some(path) = references::whole_path(&tree) {
            Code::Path(path)
        } else {
            let mut plan = Plan::default();
            for found in &references {
                plan.want(&found.path);
            }
            spend::meter(&mut tree);
            Code::Program(Box::new(Program { tree, plan, references, steps }))
        };
        Ok(Self { source: source.to_owned(), code, nodes, callbacks, patterns })
    }

    /// The text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The nodes whose output or status it reads, each once.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// What is wrong with the patterns of `matches` that are written out. One that cannot be used fails the evaluation;
    /// at registration it is a fault.
    pub(crate) fn pattern_faults(&self, count: &mut PatternCount) -> Vec<CompileFault> {
        let mut fault_of = |text: &String| {
            let fault = count.take(text).err()?;
            Some(CompileFault::Pattern { pattern: text.chars().take(80).collect(), fault })
        };
        self.patterns.iter().filter_map(&mut fault_of).collect()
    }

    /// The nodes whose callback address it reads, each once.
    pub fn callback_nodes(&self) -> &[NodeId] {
        &self.callbacks
    }
}

/// The nodes that `pick` finds among what is read, each once.
fn distinct(references: &[Reference], pick: impl Fn(&Root) -> Option<&NodeId>) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> =
        references.iter().filter_map(|found| pick(&found.path.root)).cloned().collect();
    nodes.sort();
    nodes.dedup();
    nodes
}

fn parse(source: &str, bytes_max: usize) -> Result<IdedExpr, Vec<CompileFault>> {
    if source.trim().is_empty() {
        return Err(vec![CompileFault::Empty]);
    }
    if source.len() > bytes_max {
        return Err(vec![CompileFault::Long { max: bytes_max }]);
    }
    let operators = outside_quotes(source).filter(|(_, byte)| b"+-*/%<>=!.?[(".contains(byte)).count();
    if operators > OPERATORS_MAX {
        return Err(vec![CompileFault::Operators { max: OPERATORS_MAX }]);
    }
    ENVIRONMENT.parser().parse(source).map_err(|errors| {
        let first = errors.errors.into_iter().next();
        let column = first.as_ref().map_or(1, |first| usize::try_from(first.pos.1).unwrap_or(0).max(1));
        let complaint = first.map(|first| first.msg).unwrap_or_default();
        let message = explained(&complaint, source, column);
        vec![CompileFault::Syntax { message, column }]
    })
}
