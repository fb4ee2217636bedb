//! Compiles one CEL expression: everything that can be known to be wrong before it runs is a fault here.

use cel::common::ast::IdedExpr;

use crate::names::NodeId;
use crate::workflow::expression::cut::outside_quotes;
use crate::workflow::expression::functions::ENVIRONMENT;
use crate::workflow::expression::path::{Path, Root};
use crate::workflow::expression::references::{self, Found, Reference};
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
    /// The tree, with the macros made to count their items.
    pub(super) tree: IdedExpr,
    /// The parts of the scope that it reads.
    pub(super) plan: Plan,
    /// Every read, for the bound on sizes.
    pub(super) references: Vec<Reference>,
    /// What one pass over the tree costs.
    pub(super) steps: u64,
    /// Whether it walks lists.
    pub(super) has_loop: bool,
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
    #[error("`nodes.{node}` has only output and status")]
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
}

impl Expression {
    /// Compiles the text.
    pub fn compile(source: &str, bytes_max: usize) -> Result<Self, Vec<CompileFault>> {
        let mut tree = parse(source, bytes_max)?;
        let Found { references, faults, steps, has_loop } = references::find(&tree);
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut nodes: Vec<NodeId> =
            references.iter().filter_map(|found| node_of(&found.path)).cloned().collect();
        nodes.sort();
        nodes.dedup();
        let code = if let Some(path) = references::whole_path(&tree) {
            Code::Path(path)
        } else {
            let mut plan = Plan::default();
            for found in &references {
                plan.want(&found.path);
            }
            spend::count_items(&mut tree);
            Code::Program(Box::new(Program { tree, plan, references, steps, has_loop }))
        };
        Ok(Self { source: source.to_owned(), code, nodes })
    }

    /// The text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The nodes whose output or status it reads, each once.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }
}

fn node_of(path: &Path) -> Option<&NodeId> {
    match &path.root {
        Root::Node(id) | Root::NodeOutput(id) | Root::NodeStatus(id) => Some(id),
        Root::Input | Root::Execution => None,
    }
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
        let (mut message, mut column) = ("it cannot be read".to_owned(), 1);
        if let Some(first) = errors.errors.into_iter().next() {
            column = usize::try_from(first.pos.1).unwrap_or(0).max(1);
            message = if first.msg.contains("Recursion limit") {
                "it is nested too deeply".to_owned()
            } else {
                first.msg.trim_start_matches("Syntax error: ").to_owned()
            };
        }
        message.truncate(message.char_indices().nth(200).map_or(message.len(), |(end, _)| end));
        vec![CompileFault::Syntax { message, column }]
    })
}
