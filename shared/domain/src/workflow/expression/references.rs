//! Walks the tree of a parsed expression: finds what it reads, and what in it is not allowed.

use std::sync::{Arc, LazyLock};

use cel::Env;
use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use crate::names::NodeId;
use crate::workflow::expression::fault::CompileFault;
use crate::workflow::expression::path::{
    BATCH_ROOT, ERROR_FIELDS, EVENT_ROOTS, EXECUTION_FIELDS, Path, Root, Step,
};
use crate::workflow::expression::spend;

/// How deep the tree may be: evaluation recurses over it.
const DEPTH_MAX: usize = 100;

/// How deep `all`, `exists`, `map` and `filter` may be nested in one another.
const MACRO_DEPTH_MAX: usize = 2;

/// A path that is read.
#[derive(Debug)]
pub(super) struct Reference {
    /// What.
    pub(super) path: Path,
    /// Whether it is read again for each item of a list.
    pub(super) in_loop: bool,
}

/// What the walk found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Everything that is read, in the order of the text.
    pub(super) references: Vec<Reference>,
    /// What is not allowed.
    pub(super) faults: Vec<CompileFault>,
    /// What one pass over the tree costs.
    pub(super) steps: u64,
    /// The patterns of `matches` that are written out.
    pub(super) patterns: Vec<String>,
}

/// Walks the tree. What is not among `variables` is a fault.
pub(super) fn find(expr: &IdedExpr, variables: Variables) -> Found {
    let mut walker = Walker { variables, found: Found::default(), locals: Vec::new(), macro_depth: 0 };
    walker.walk(expr, 0);
    walker.found
}

/// The path that the whole expression is, where it is one.
pub(super) fn whole_path(expr: &IdedExpr) -> Option<Path> {
    let (root, steps) = chain(expr)?;
    to_path(root, steps).ok()
}

struct Walker<'e> {
    variables: Variables,
    found: Found,
    locals: Vec<&'e str>,
    macro_depth: usize,
}

impl<'e> Walker<'e> {
    fn walk(&mut self, expr: &'e IdedExpr, depth: usize) {
        self.found.steps += 1;
        if depth > DEPTH_MAX {
            self.fault(CompileFault::Deep { max: DEPTH_MAX });
            return;
        }
        if let Some((root, steps)) = chain(expr) {
            return self.read(root, steps);
        }
        match &expr.expr {
            Expr::Select(select) => match chain(&select.operand) {
                Some((root, mut steps)) if select.test => {
                    steps.push(Step::Field(select.field.clone()));
                    self.read(root, steps);
                }
                _ => self.walk(&select.operand, depth + 1),
            },
            Expr::Call(call) => {
                if call.func_name == "matches"
                    && let Some(Expr::Literal(LiteralValue::String(pattern))) =
                        call.args.last().map(|pattern| &pattern.expr)
                {
                    self.found.patterns.push(pattern.inner().to_owned());
                }
                self.check_call(&call.func_name, call.target.as_deref());
                if let Some(target) = call.target.as_deref().filter(|target| !is_optional_library(target)) {
                    self.walk(target, depth + 1);
                }
                call.args.iter().for_each(|argument| self.walk(argument, depth + 1));
            }
            Expr::List(list) => list.elements.iter().for_each(|element| self.walk(element, depth + 1)),
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.walk(&entry.key, depth + 1);
                        self.walk(&entry.value, depth + 1);
                    }
                }
            }
            Expr::Comprehension(comprehension) => self.walk_loop(comprehension, depth),
            Expr::Struct(literal) => {
                self.fault(CompileFault::UnknownType { name: literal.type_name.clone() });
            }
            Expr::Unspecified => self.fault(CompileFault::Incomplete),
            Expr::Literal(_) | Expr::Ident(_) => {}
        }
    }

    /// The variables of a macro hide what has the same name outside of it.
    fn walk_loop(&mut self, comprehension: &'e ComprehensionExpr, depth: usize) {
        self.walk(&comprehension.iter_range, depth + 1);
        self.walk(&comprehension.accu_init, depth + 1);
        self.macro_depth += 1;
        if self.macro_depth > MACRO_DEPTH_MAX {
            self.fault(CompileFault::MacrosNested { max: MACRO_DEPTH_MAX });
        }
        let outer = self.locals.len();
        self.locals.extend([comprehension.iter_var.as_str(), comprehension.accu_var.as_str()]);
        self.locals.extend(comprehension.iter_var2.as_deref());
        for part in [&comprehension.loop_cond, &comprehension.loop_step, &comprehension.result] {
            self.walk(part, depth + 1);
        }
        self.locals.truncate(outer);
        self.macro_depth -= 1;
    }

    fn check_call(&mut self, name: &str, target: Option<&IdedExpr>) {
        let is_known = match target {
            None => is_global(name),
            Some(target) if is_optional_library(target) => is_optional(name),
            Some(_) => is_member(name),
        };
        if !is_known {
            self.fault(CompileFault::UnknownFunction { name: name.to_owned() });
        }
    }

    fn read(&mut self, root: &str, steps: Vec<Step>) {
        if self.locals.contains(&root) || (steps.is_empty() && is_type(root)) {
            return;
        }
        match (self.variables.event, EVENT_ROOTS.contains(&root)) {
            (EventScope::Batch, _) if root != BATCH_ROOT => {
                return self.fault(CompileFault::UnknownBatchVariable { name: root.to_owned() });
            }
            (EventScope::Never, true) => {
                return self.fault(CompileFault::UnknownVariable { name: root.to_owned() });
            }
            (EventScope::Beside, true) if root == BATCH_ROOT => {
                return self.fault(CompileFault::UnknownVariable { name: root.to_owned() });
            }
            (EventScope::Alone, is_root) if !is_root || root == BATCH_ROOT => {
                return self.fault(CompileFault::UnknownEventVariable { name: root.to_owned() });
            }
            _ => {}
        }
        match to_path(root, steps) {
            Ok(path) if !self.variables.contain(&path.root) => {
                self.fault(CompileFault::NotInScope { name: root.to_owned() });
            }
            Ok(path) => self.found.references.push(Reference { path, in_loop: self.macro_depth > 0 }),
            Err(fault) => self.fault(fault),
        }
    }

    fn fault(&mut self, fault: CompileFault) {
        if !self.found.faults.contains(&fault) {
            self.found.faults.push(fault);
        }
    }
}

fn is_optional_library(target: &IdedExpr) -> bool {
    matches!(&target.expr, Expr::Ident(name) if name == "optional")
}

/// Reads `a.b["c"][0]` as a root and the steps below it. `None` where the expression is anything else.
fn chain(mut expr: &IdedExpr) -> Option<(&str, Vec<Step>)> {
    let mut steps = Vec::new();
    loop {
        match &expr.expr {
            Expr::Ident(name) => {
                steps.reverse();
                return Some((name, steps));
            }
            Expr::Select(select) if !select.test => {
                steps.push(Step::Field(select.field.clone()));
                expr = &select.operand;
            }
            Expr::Call(call) if call.func_name == operators::INDEX => {
                let [operand, index] = call.args.as_slice() else {
                    return None;
                };
                steps.push(literal_step(index)?);
                expr = operand;
            }
            _ => return None,
        }
    }
}

fn literal_step(index: &IdedExpr) -> Option<Step> {
    match &index.expr {
        Expr::Literal(LiteralValue::String(field)) => Some(Step::Field(field.inner().to_owned())),
        Expr::Literal(LiteralValue::Int(position)) => {
            usize::try_from(*position.inner()).ok().map(Step::Index)
        }
        _ => None,
    }
}

fn to_path(root: &str, steps: Vec<Step>) -> Result<Path, CompileFault> {
    match root {
        "input" => Ok(Path { root: Root::Input, steps }),
        "execution" => match steps.first() {
            Some(Step::Field(field)) if !EXECUTION_FIELDS.contains(&field.as_str()) => {
                Err(CompileFault::UnknownExecutionField { field: field.clone() })
            }
            _ => Ok(Path { root: Root::Execution, steps }),
        },
        "nodes" => to_node_path(steps),
        "item" => Ok(Path { root: Root::Item, steps }),
        "index" => Ok(Path { root: Root::Index, steps }),
        "error" => match steps.first() {
            Some(Step::Field(field)) if !ERROR_FIELDS.contains(&field.as_str()) => {
                Err(CompileFault::UnknownErrorField { field: field.clone() })
            }
            _ => Ok(Path { root: Root::Error, steps }),
        },
        _ => EVENT_ROOTS
            .into_iter()
            .find(|known| *known == root)
            .map(|known| Path { root: Root::Event(known), steps })
            .ok_or_else(|| CompileFault::UnknownVariable { name: root.to_owned() }),
    }
}

fn to_node_path(steps: Vec<Step>) -> Result<Path, CompileFault> {
    let mut steps = steps.into_iter();
    let Some(Step::Field(id)) = steps.next() else {
        return Err(CompileFault::NodesWithoutId);
    };
    let id = NodeId::trusted(id);
    match steps.next() {
        None => Ok(Path { root: Root::Node(id), steps: Vec::new() }),
        Some(Step::Field(part)) if part == "output" => {
            Ok(Path { root: Root::NodeOutput(id), steps: steps.collect() })
        }
        Some(Step::Field(part)) if part == "status" => {
            Ok(Path { root: Root::NodeStatus(id), steps: steps.collect() })
        }
        Some(Step::Field(part)) if part == "callbackUrl" => {
            Ok(Path { root: Root::NodeCallbackUrl(id), steps: steps.collect() })
        }
        Some(_) => Err(CompileFault::UnknownNodeField { node: id.as_str().to_owned() }),
    }
}

// The functions and types that expressions may name, so that a misspelt one is a fault at registration.

/// Functions called as `f(x)`.
const GLOBAL: [&str; 10] =
    ["bool", "bytes", "double", "dyn", "int", "matches", "size", "string", "type", "uint"];

/// Functions called as `x.f(y)`.
const MEMBER: [&str; 9] =
    ["contains", "endsWith", "hasValue", "matches", "or", "orValue", "size", "startsWith", "value"];

/// Functions called as `optional.f(x)`.
const OPTIONAL: [&str; 3] = ["none", "of", "ofNonZeroValue"];

/// Types that may be compared with `type(x)`.
const TYPES: [&str; 10] =
    ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];

/// The one environment of all expressions.
pub(super) static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut environment = Env::stdlib();
    spend::declare(&mut environment);
    Arc::new(environment)
});

/// Whether `name(…)` can be called. Operators and macros are calls as well, with names that no identifier can have.
pub(super) fn is_global(name: &str) -> bool {
    GLOBAL.contains(&name)
        || name.contains(|character: char| !character.is_ascii_alphanumeric() && character != '_')
}

/// Whether `x.name(…)` can be called.
pub(super) fn is_member(name: &str) -> bool {
    MEMBER.contains(&name)
}

/// Whether `optional.name(…)` can be called.
pub(super) fn is_optional(name: &str) -> bool {
    OPTIONAL.contains(&name)
}

/// Whether the word is a type.
pub(super) fn is_type(name: &str) -> bool {
    TYPES.contains(&name)
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
