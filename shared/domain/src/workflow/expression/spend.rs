//! Bounds the work of one evaluation. CEL always ends, but nested macros over large lists can take hours.
//!
//! Every macro's list is passed through a call that takes its size off a budget, which is a variable of the
//! evaluation; what is read inside of a macro makes each item dearer.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr};
use cel::common::types::{CelList, CelMap, CelString, DYN_TYPE, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{Env, ExecutionError};

/// What one evaluation may cost: about the number of tree nodes visited. A second or two.
const STEPS_MAX: u64 = 20_000_000;

/// The variable that holds the budget. No identifier starts with `@`.
pub(super) const BUDGET: &str = "@budget";

/// The call around every list that a macro walks.
const SPEND: &str = "@spend";

/// What is left, in items of lists. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Budget(Arc<AtomicU64>);

static BUDGET_TYPE: Type = Type::new_unspecified_type("budget");

impl Budget {
    /// A budget for items that cost `steps` each.
    pub(super) fn for_items_of(steps: u64) -> Self {
        Self(Arc::new(AtomicU64::new(STEPS_MAX / steps.max(1))))
    }

    fn spend(&self, items: u64) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(items)).is_ok()
    }
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

/// Adds the call to the environment.
pub(super) fn declare(environment: &mut Env) {
    environment
        .add_overload(SPEND, "spend", vec![DYN_TYPE, DYN_TYPE], spend)
        .expect("the name is used nowhere else");
}

fn spend<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let list = arguments.pop().ok_or_else(ExecutionError::missing_argument_or_target)?;
    let budget = arguments.first().and_then(|first| first.downcast_ref::<Budget>());
    match budget {
        Some(budget) if budget.spend(items_in(&*list)) => Ok(list),
        _ => Err(ExecutionError::function_error(SPEND, "the expression takes too many steps")),
    }
}

/// Whether the evaluation stopped because its budget was used up.
pub(super) fn is_used_up(error: &ExecutionError) -> bool {
    matches!(error, ExecutionError::FunctionError { function, .. } if function == SPEND)
}

/// The items in a value with all that they hold; long text counts as several.
fn items_in(value: &dyn Val) -> u64 {
    if let Some(list) = value.downcast_ref::<CelList<'_>>() {
        1 + list.inner().iter().map(|item| items_in(&**item)).sum::<u64>()
    } else if let Some(map) = value.downcast_ref::<CelMap<'_>>() {
        1 + map.inner().values().map(|item| 1 + items_in(&**item)).sum::<u64>()
    } else if let Some(text) = value.downcast_ref::<CelString<'_>>() {
        1 + text.inner().len() as u64 / 64
    } else {
        1
    }
}

/// Puts the call around the list of every macro in the tree, whose depth was checked.
pub(super) fn count_items(tree: &mut IdedExpr) {
    match &mut tree.expr {
        Expr::Comprehension(comprehension) => {
            count_items(&mut comprehension.iter_range);
            count_items(&mut comprehension.loop_step);
            count_items(&mut comprehension.result);
            let id = comprehension.iter_range.id;
            let list = std::mem::take(&mut comprehension.iter_range);
            let budget = IdedExpr { id, expr: Expr::Ident(BUDGET.to_owned()) };
            let call = CallExpr { func_name: SPEND.to_owned(), target: None, args: vec![budget, list] };
            comprehension.iter_range = IdedExpr { id, expr: Expr::Call(call) };
        }
        Expr::Call(call) => {
            call.target.as_deref_mut().into_iter().chain(&mut call.args).for_each(count_items);
        }
        Expr::Select(select) => count_items(&mut select.operand),
        Expr::List(list) => list.elements.iter_mut().for_each(count_items),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    count_items(&mut entry.key);
                    count_items(&mut entry.value);
                }
            }
        }
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) => {}
    }
}
