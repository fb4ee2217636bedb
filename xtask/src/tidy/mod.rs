//! The rules of the house that a program can check. A rule that no program checks is a wish.

mod banned_text;
mod column_lists;
mod complaint;
mod contents_only;
mod cost_page;
mod crate_edges;
mod crate_files;
mod decisions;
mod file_circles;
mod file_length;
mod function_length;
mod glossary;
mod manifests;
mod migration_list;
mod module_docs;
mod named_documents;
mod promises;
mod registry_hosts;
mod run;
mod sql_files;
mod syntax;
mod test_sleeps;
mod third_party;
mod tree;
mod workspace;

pub(crate) use run::run;
