//! Finding objects by typed terms: which table and order a list has, what a term becomes in SQL, and bounded windows for
//! what no index answers.

mod attributes;
mod columns;
mod condition;
#[cfg(test)]
mod plans;
mod records;
mod source;
mod suggest;
mod verbs;
mod walk;

pub(crate) use columns::apply_to_audit;
