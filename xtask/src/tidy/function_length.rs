//! No function over 70 lines, no test over 100, from `fn` to the closing brace, comments included.

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ImplItemFn, ItemFn, ItemMod, Signature, TraitItemFn};

use crate::tidy::complaint::Complaint;
use crate::tidy::syntax::{is_test_only, line_of, parse};
use crate::tidy::tree::Tree;

const RULE: &str = "function-length";
const LINES_MAX: usize = 70;
const TEST_LINES_MAX: usize = 100;

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in tree.rust() {
        let Some(syntax) = parse(file) else { continue };
        let mut functions =
            Functions { path: &file.path, in_tests: file.is_test(), complaints: &mut complaints };
        functions.visit_file(&syntax);
    }
    complaints
}

struct Functions<'a> {
    path: &'a str,
    in_tests: bool,
    complaints: &'a mut Vec<Complaint>,
}

impl Functions<'_> {
    fn measure(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        let lines_max = if self.in_tests || is_test_only(attributes) { TEST_LINES_MAX } else { LINES_MAX };
        let start = line_of(signature.fn_token.span);
        let close: Span = block.brace_token.span.close();
        let lines = close.end().line + 1 - start;
        if lines > lines_max {
            let message = format!("{} has {lines} lines; split it: at most {lines_max}", signature.ident);
            self.complaints.push(Complaint::new(self.path, start, RULE, message));
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        let outer = self.in_tests;
        self.in_tests |= is_test_only(&module.attrs);
        visit::visit_item_mod(self, module);
        self.in_tests = outer;
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.measure(&function.attrs, &function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.measure(&function.attrs, &function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(block) = &function.default {
            self.measure(&function.attrs, &function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    /// A function of so many lines, after a line of documentation.
    fn function(head: &str, lines: usize) -> String {
        format!("/// Does it.\n{head} {{{}}}\n", "\n".repeat(lines - 1))
    }

    #[track_caller]
    fn check_count(path: &str, text: &str, expected: usize) {
        let complaints = check(&Tree::of(&[(path, text)]));
        assert_eq!(complaints.len(), expected, "{complaints:?}");
    }

    #[test]
    fn functions_have_seventy_lines() {
        check_count("a.rs", &function("pub fn a()", 70), 0);
        check_count("a.rs", &function("pub async fn a()", 71), 1);
        check_count("a.rs", &format!("impl A {{\n{}}}", function("fn a()", 71)), 1);
        check_count("a.rs", &format!("trait A {{\n{}}}", function("fn a()", 71)), 1);
        check_count("a.rs", "trait A { fn a(); }", 0);
    }

    #[test]
    fn tests_have_a_hundred() {
        check_count("a.rs", &format!("#[cfg(test)]\nmod tests {{\n{}}}", function("fn a()", 100)), 0);
        check_count("a.rs", &format!("#[cfg(test)]\nmod tests {{\n{}}}", function("fn a()", 101)), 1);
        check_count("services/x/tests/a.rs", &function("fn a()", 100), 0);
        check_count("a.rs", &function("#[tokio::test]\nasync fn a()", 100), 0);
    }

    #[test]
    fn the_place_is_where_the_function_starts() {
        let complaints = check(&Tree::of(&[("a.rs", &function("fn a()", 71))]));
        assert!(complaints[0].to_string().starts_with("a.rs:2: a has 71 lines"), "{}", complaints[0]);
    }
}
