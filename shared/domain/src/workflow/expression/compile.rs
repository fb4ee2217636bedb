//! Compiles one CEL expression: everything that can be known to be wrong before it runs is a fault here.

use cel::common::ast::IdedExpr;

use super::fault::CompileFault;
use super::references::Variables;
use crate::names::NodeId;
use crate::workflow::expression::cut::{explained, outside_quotes};
use crate::workflow::expression::looks;
use crate::workflow::expression::path::{Path, Root};
use crate::workflow::expression::patterns::PatternCount;
use crate::workflow::expression::plan::Plan;
use crate::workflow::expression::references::{self, ENVIRONMENT, Found, Reference};
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
    outputs: Vec<NodeId>,
    callbacks: Vec<NodeId>,
    patterns: Vec<String>,
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
        let outputs = distinct(&references, |root| match root {
            Root::Node(id) | Root::NodeOutput(id) => Some(id),
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
            looks::count(&mut tree, &mut Vec::new());
            spend::meter(&mut tree);
            Code::Program(Box::new(Program { tree, plan, references, steps }))
        };
        Ok(Self { source: source.to_owned(), code, nodes, outputs, callbacks, patterns })
    }

    /// The text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The nodes whose output or status it reads, each once.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The nodes whose output it reads, each once. What it reads beside them stands in the snapshot of the execution.
    pub fn output_nodes(&self) -> &[NodeId] {
        &self.outputs
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
