//! Counts what a macro's expression goes through beside the lists that macros walk: `x in list`, `list == other`,
//! `text.contains(…)` take as long as the value is large, and run again for each item.
//!
//! What is read of the scope in a loop makes each item dearer, by its size. The variables of macros may hold as much
//! (`[input.items].map(list, list.filter(x, x in list))`), and how much is known only while the expression runs. So they pass
//! through a call where they are gone through.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, operators};

use crate::workflow::expression::spend::{LOOK, wrap};

/// Puts the calls into the tree, whose depth was checked. `locals` are the variables of the macros around it.
pub(super) fn count(tree: &mut IdedExpr, locals: &mut Vec<String>) {
    match &mut tree.expr {
        Expr::Comprehension(comprehension) => count_loop(comprehension, locals),
        Expr::Call(call) => {
            for part in call.target.as_deref_mut().into_iter().chain(&mut call.args) {
                count(part, locals);
            }
            if !locals.is_empty() && goes_through(call) {
                for part in call.target.as_deref_mut().into_iter().chain(&mut call.args) {
                    look_at(part, locals);
                }
            }
        }
        Expr::Select(select) => count(&mut select.operand, locals),
        Expr::List(list) => list.elements.iter_mut().for_each(|element| count(element, locals)),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    count(&mut entry.key, locals);
                    count(&mut entry.value, locals);
                }
            }
        }
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) => {}
    }
}

/// What a macro itself adds reads its own result, which has the size of what was counted.
fn count_loop(comprehension: &mut ComprehensionExpr, locals: &mut Vec<String>) {
    count(&mut comprehension.iter_range, locals);
    let outer = locals.len();
    locals.push(comprehension.iter_var.clone());
    locals.extend(comprehension.iter_var2.clone());
    count(&mut comprehension.loop_step, locals);
    count(&mut comprehension.result, locals);
    locals.truncate(outer);
}

/// Whether a call takes as long as what it is given is large. `+` and `matches` count for themselves; a comparison with
/// a literal takes no longer than the literal is.
fn goes_through(call: &CallExpr) -> bool {
    match call.func_name.as_str() {
        operators::EQUALS
        | operators::NOT_EQUALS
        | operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS => !call.args.iter().any(|part| matches!(part.expr, Expr::Literal(_))),
        operators::IN | operators::OPT_INDEX | operators::OPT_SELECT => true,
        "matches" => false,
        name => name.starts_with(|first: char| first.is_ascii_alphabetic()),
    }
}

/// Wraps what is a variable of a macro or a part of one. What a call makes has been counted by then.
fn look_at(part: &mut IdedExpr, locals: &[String]) {
    if let Expr::Call(call) = &mut part.expr
        && call.func_name == operators::CONDITIONAL
    {
        call.args.iter_mut().skip(1).for_each(|branch| look_at(branch, locals));
    } else if is_place(&part.expr) && reads_local(part, locals) {
        wrap(part, LOOK);
    }
}

fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Ident(_) | Expr::Select(_) => true,
        Expr::Call(call) => call.func_name == operators::INDEX,
        _ => false,
    }
}

fn reads_local(part: &IdedExpr, locals: &[String]) -> bool {
    match &part.expr {
        Expr::Ident(name) => locals.contains(name),
        Expr::Select(select) => reads_local(&select.operand, locals),
        Expr::Call(call) => {
            call.target.as_deref().into_iter().chain(&call.args).any(|inner| reads_local(inner, locals))
        }
        Expr::Literal(_) => false,
        _ => true,
    }
}
