//! Runs all checks and prints what they found.

use std::path::Path;
use std::process::ExitCode;

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::Tree;
use crate::tidy::{
    banned_text, column_lists, contents_only, cost_page, crate_edges, decisions, file_circles, file_length,
    function_length, glossary, manifests, migration_list, module_docs, named_documents, promises,
    registry_hosts, sql_files, test_sleeps, third_party, workspace,
};

/// A check over files.
type Check = fn(&Tree) -> Vec<Complaint>;

const CHECKS: &[Check] = &[
    file_length::check,
    file_circles::check,
    function_length::check,
    contents_only::check,
    module_docs::check,
    banned_text::check,
    glossary::check,
    test_sleeps::check,
    promises::check,
    named_documents::check,
    registry_hosts::check,
    sql_files::check,
    column_lists::check,
    migration_list::check,
    decisions::check,
    cost_page::check,
    third_party::check_files,
];

/// Checks the repository at `root`; fails if any rule is broken.
pub(crate) fn run(root: &Path) -> anyhow::Result<ExitCode> {
    let tree = Tree::read(root)?;
    let members = workspace::read(root)?;
    let mut complaints: Vec<Complaint> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    complaints.extend(crate_edges::check(&members));
    complaints.extend(third_party::check_manifests(&members));
    complaints.extend(manifests::check(&tree, &members));
    complaints.sort();
    for complaint in &complaints {
        println!("{complaint}");
    }
    if complaints.is_empty() {
        println!("tidy: {} files, nothing to complain about", tree.files.len());
        Ok(ExitCode::SUCCESS)
    } else {
        println!("tidy: {} complaints", complaints.len());
        Ok(ExitCode::FAILURE)
    }
}
