//! Bounds the work and the memory of one evaluation. CEL always ends, but nested macros over large lists can take hours,
//! and make lists of lists that fill the memory.
//!
//! Every macro's list is passed through a call that takes its size off a budget, which is a variable of the
//! evaluation; what is read inside of a macro makes each item dearer. What is put into a list or an object is copied, so
//! that it is passed through a call that takes its bytes off; `+` and `matches` are replaced by calls that do the same
//! before they begin. What else is gone through for each item is found by `looks`.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, operators};
use cel::common::types::{
    CelBool, CelBytes, CelList, CelMap, CelMapKey, CelOptional, CelString, DYN_TYPE, Type,
};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{Env, ExecutionError};

use crate::workflow::expression::allowance::{Allowance, Refused, take_from};
use crate::workflow::expression::patterns::{PATTERN_BYTES_MAX, PatternFault, compiled};

/// The variable that holds the budget. No identifier starts with `@`.
pub(super) const BUDGET: &str = "@budget";

/// The call around every list that a macro walks.
const SPEND: &str = "@spend";

/// The call around everything that is copied into a list or an object.
const KEEP: &str = "@keep";

/// The call around what is gone through again for each item of a list.
pub(super) const LOOK: &str = "@look";

/// The call in place of `+`.
const ADD: &str = "@add";

/// The call in place of `matches`.
const MATCHES: &str = "@matches";

/// What the errors are called that say that the step of the execution has no steps left, and that it was stopped.
const STEP: &str = "@step";
const STOPPED: &str = "@stopped";

/// What a value takes beside its text, in bytes.
const VALUE_BYTES: u64 = 32;

/// The longest text that `matches` looks at, in bytes.
const MATCHED_BYTES_MAX: usize = 1024 * 1024;

/// How many bytes of a compiled pattern count as one more step for each four bytes of text, and as how many steps when it
/// is compiled.
const PATTERN_UNIT: u64 = 4 * 1024;
const COMPILE_STEPS: u64 = 1_000;

/// What is left of one evaluation. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Budget(Arc<Left>);

#[derive(Debug)]
struct Left {
    steps: AtomicU64,
    bytes: AtomicU64,
    steps_per_item: u64,
    allowance: Allowance,
}

/// What stopped an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UsedUp {
    /// Its own steps.
    Steps,
    /// Its memory.
    Bytes,
    /// The steps of all expressions of the step.
    Step,
    /// Somebody.
    Stopped,
}

static BUDGET_TYPE: Type = Type::new_unspecified_type("budget");

impl Budget {
    /// A budget for items of lists that cost `steps_per_item` each.
    pub(super) fn new(steps_per_item: u64, allowance: &Allowance) -> Self {
        let limits = allowance.limits();
        Self(Arc::new(Left {
            steps: AtomicU64::new(limits.steps_max),
            bytes: AtomicU64::new(limits.bytes_max),
            steps_per_item: steps_per_item.max(1),
            allowance: allowance.clone(),
        }))
    }

    /// Takes steps.
    pub(super) fn take(&self, steps: u64) -> Result<(), ExecutionError> {
        self.0.allowance.take(steps).map_err(|refused| match refused {
            Refused::UsedUp => failed(STEP),
            Refused::Stopped => failed(STOPPED),
        })?;
        if take_from(&self.0.steps, steps) { Ok(()) } else { Err(failed(SPEND)) }
    }

    /// Fails where nothing is left. Counting takes as long as what is counted is large, and macros put errors off until their list
    /// is over: so this comes before.
    fn begin(&self) -> Result<(), ExecutionError> {
        self.take(1)?;
        if self.0.bytes.load(Ordering::Relaxed) == 0 { Err(failed(KEEP)) } else { Ok(()) }
    }

    fn take_bytes(&self, bytes: u64) -> Result<(), ExecutionError> {
        if self.0.allowance.is_stopped() {
            return Err(failed(STOPPED));
        }
        if take_from(&self.0.bytes, bytes) { Ok(()) } else { Err(failed(KEEP)) }
    }
}

fn failed(function: &str) -> ExecutionError {
    ExecutionError::function_error(function, "the expression exceeds its budget")
}

impl Val for Budget {
    fn get_type(&self) -> &Type {
        &BUDGET_TYPE
    }

    fn cel_type() -> &'static Type {
        &BUDGET_TYPE
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Budget {}

/// Adds the calls to the environment.
pub(super) fn declare(environment: &mut Env) {
    let two = || vec![DYN_TYPE, DYN_TYPE];
    let three = || vec![DYN_TYPE, DYN_TYPE, DYN_TYPE];
    let declared = environment
        .add_overload(SPEND, "spend", two(), spend)
        .and_then(|()| environment.add_overload(KEEP, "keep", two(), keep))
        .and_then(|()| environment.add_overload(LOOK, "look", two(), look))
        .and_then(|()| environment.add_overload(ADD, "add", three(), add))
        .and_then(|()| environment.add_overload(MATCHES, "matches", three(), matches));
    declared.expect("the names are used nowhere else");
}

/// Takes the budget off the front of the arguments.
fn budget_of(arguments: &[CowVal<'_, '_>]) -> Result<Budget, ExecutionError> {
    let budget = arguments.first().and_then(|first| first.downcast_ref::<Budget>());
    budget.cloned().ok_or_else(ExecutionError::missing_argument_or_target)
}

fn last<'b, 'v>(arguments: &mut Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    arguments.pop().ok_or_else(ExecutionError::missing_argument_or_target)
}

fn spend<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let list = last(&mut arguments)?;
    let budget = budget_of(&arguments)?;
    budget.begin()?;
    budget.take(items_in(&*list).saturating_mul(budget.0.steps_per_item))?;
    Ok(list)
}

fn look<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let value = last(&mut arguments)?;
    let budget = budget_of(&arguments)?;
    budget.begin()?;
    budget.take(items_in(&*value))?;
    Ok(value)
}

fn keep<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let value = last(&mut arguments)?;
    let budget = budget_of(&arguments)?;
    budget.begin()?;
    budget.take_bytes(bytes_in(&*value))?;
    Ok(value)
}

fn add<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let right = last(&mut arguments)?;
    let left = last(&mut arguments)?;
    // Numbers are added without a trace.
    if left.downcast_ref::<CelString<'_>>().is_some()
        || left.downcast_ref::<CelList<'_>>().is_some()
        || left.downcast_ref::<CelBytes<'_>>().is_some()
    {
        let budget = budget_of(&arguments)?;
        budget.begin()?;
        budget.take_bytes(bytes_in(&*left) + bytes_in(&*right))?;
    }
    let adder = left.as_adder().ok_or_else(|| no_overload("add", &*left, &*right))?;
    Ok(CowVal::Owned(adder.add(&*right)?.into_owned()))
}

fn matches<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let pattern = last(&mut arguments)?;
    let text = last(&mut arguments)?;
    let budget = budget_of(&arguments)?;
    let (Some(text), Some(pattern)) =
        (text.downcast_ref::<CelString<'_>>(), pattern.downcast_ref::<CelString<'_>>())
    else {
        return Err(no_overload("matches", &*text, &*pattern));
    };
    let text = text.inner();
    if text.len() > MATCHED_BYTES_MAX {
        return Err(ExecutionError::function_error("matches", "the text is too long"));
    }
    budget.begin()?;
    let (found, is_new) = compiled(pattern.inner());
    let bytes = match &found {
        Ok(pattern) => pattern.bytes,
        // Finding that out took as much as the largest.
        Err(PatternFault::TooLarge) => PATTERN_BYTES_MAX,
        Err(_) => 1,
    };
    let units = (bytes as u64).div_ceil(PATTERN_UNIT);
    budget.take(if is_new { units * COMPILE_STEPS } else { 0 })?;
    let found = found.map_err(|fault| ExecutionError::function_error("matches", fault))?;
    budget.take(units * (text.len() as u64 / 4))?;
    Ok(CowVal::owned(CelBool::from(found.regex.is_match(text))))
}

fn no_overload(function: &str, left: &dyn Val, right: &dyn Val) -> ExecutionError {
    let types = [left, right].map(|value| value.get_type().name().to_owned());
    ExecutionError::no_such_overload(function, types.to_vec())
}

/// Whether the evaluation stopped because something was used up, and what.
pub(super) fn used_up(error: &ExecutionError) -> Option<UsedUp> {
    let ExecutionError::FunctionError { function, .. } = error else { return None };
    match function.as_str() {
        SPEND => Some(UsedUp::Steps),
        KEEP => Some(UsedUp::Bytes),
        STEP => Some(UsedUp::Step),
        STOPPED => Some(UsedUp::Stopped),
        _ => None,
    }
}

/// The items in a value with all that they hold; long text counts as several.
fn items_in(value: &dyn Val) -> u64 {
    if let Some(list) = value.downcast_ref::<CelList<'_>>() {
        1 + list.inner().iter().map(|item| items_in(&**item)).sum::<u64>()
    } else if let Some(map) = value.downcast_ref::<CelMap<'_>>() {
        1 + map.inner().values().map(|item| 1 + items_in(&**item)).sum::<u64>()
    } else if let Some(text) = value.downcast_ref::<CelString<'_>>() {
        1 + text.inner().len() as u64 / 64
    } else if let Some(bytes) = value.downcast_ref::<CelBytes<'_>>() {
        1 + bytes.inner().len() as u64 / 64
    } else if let Some(optional) = value.downcast_ref::<CelOptional<'_>>() {
        1 + optional.option().map_or(0, items_in)
    } else {
        1
    }
}

/// What a copy of a value takes, in bytes of memory.
fn bytes_in(value: &dyn Val) -> u64 {
    let inside = if let Some(list) = value.downcast_ref::<CelList<'_>>() {
        list.inner().iter().map(|item| bytes_in(&**item)).sum()
    } else if let Some(map) = value.downcast_ref::<CelMap<'_>>() {
        map.inner().iter().map(|(key, item)| key_bytes(key) + VALUE_BYTES + bytes_in(&**item)).sum()
    } else if let Some(text) = value.downcast_ref::<CelString<'_>>() {
        text.inner().len() as u64
    } else if let Some(bytes) = value.downcast_ref::<CelBytes<'_>>() {
        bytes.inner().len() as u64
    } else if let Some(optional) = value.downcast_ref::<CelOptional<'_>>() {
        optional.option().map_or(0, bytes_in)
    } else {
        0
    };
    VALUE_BYTES + inside
}

fn key_bytes(key: &CelMapKey<'_>) -> u64 {
    match key {
        CelMapKey::String(key) => VALUE_BYTES + key.inner().len() as u64,
        CelMapKey::Bool(_) | CelMapKey::Int(_) | CelMapKey::UInt(_) => VALUE_BYTES,
    }
}

/// Puts the calls into the tree, whose depth was checked.
pub(super) fn meter(tree: &mut IdedExpr) {
    match &mut tree.expr {
        Expr::Comprehension(comprehension) => {
            meter(&mut comprehension.iter_range);
            meter(&mut comprehension.loop_step);
            meter(&mut comprehension.result);
            wrap(&mut comprehension.iter_range, SPEND);
        }
        Expr::Call(call) => {
            call.target.as_deref_mut().into_iter().chain(&mut call.args).for_each(meter);
            replace(tree);
        }
        Expr::Select(select) => meter(&mut select.operand),
        Expr::List(list) => list.elements.iter_mut().for_each(meter_part),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    meter_part(&mut entry.key);
                    meter_part(&mut entry.value);
                }
            }
        }
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) => {}
    }
}

/// What becomes a part of a list or an object. A list or an object that is written there has parts of its own, and what
/// `+` makes was counted.
fn meter_part(part: &mut IdedExpr) {
    meter(part);
    let is_counted = match &part.expr {
        Expr::List(_) | Expr::Map(_) | Expr::Comprehension(_) => true,
        Expr::Call(call) => call.func_name == ADD,
        _ => false,
    };
    if !is_counted {
        wrap(part, KEEP);
    }
}

fn budget(id: u64) -> IdedExpr {
    IdedExpr { id, expr: Expr::Ident(BUDGET.to_owned()) }
}

pub(super) fn wrap(expr: &mut IdedExpr, function: &str) {
    let id = expr.id;
    let inner = std::mem::take(expr);
    let call = CallExpr { func_name: function.to_owned(), target: None, args: vec![budget(id), inner] };
    *expr = IdedExpr { id, expr: Expr::Call(call) };
}

/// Puts our own functions in the place of `+` and `matches`. A macro's own `+` stays: CEL knows it by its form, and appends
/// in place.
fn replace(tree: &mut IdedExpr) {
    let id = tree.id;
    let Expr::Call(call) = &mut tree.expr else { return };
    let is_of_macro = matches!(call.args.first().map(|first| &first.expr),
        Some(Expr::Ident(name)) if name.starts_with('@') && name != BUDGET);
    let function = match (call.func_name.as_str(), call.target.is_some(), call.args.len()) {
        (operators::ADD, false, 2) if !is_of_macro => ADD,
        ("matches", true, 1) | ("matches", false, 2) => MATCHES,
        _ => return,
    };
    let mut args = vec![budget(id)];
    args.extend(call.target.take().map(|target| *target));
    args.append(&mut call.args);
    tree.expr = Expr::Call(CallExpr { func_name: function.to_owned(), target: None, args });
}
