//! Searchable attributes: declarations, values beside jobs and executions, and their end with those.

mod declare;
mod suggest;
mod values;
mod verbs;

pub(crate) use declare::ids as ids_of_names;
pub(crate) use values::{forget, forget_jobs, insert, replace};
