//! `lib.rs` and `mod.rs` are tables of contents: documentation, modules, imports and exports, small constants.

use syn::spanned::Spanned;
use syn::{Item, Visibility};

use crate::tidy::complaint::Complaint;
use crate::tidy::syntax::{is_test_only, line_of, parse};
use crate::tidy::tree::Tree;

const RULE: &str = "contents-only";
const CONSTANT_LINES_MAX: usize = 5;

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in tree.rust().filter(|file| matches!(file.name(), "lib.rs" | "mod.rs")) {
        let Some(syntax) = parse(file) else { continue };
        for item in syntax.items.iter().filter(|item| !is_contents(item)) {
            let message = "only modules, imports and exports belong here; move this to a module of its own";
            complaints.push(Complaint::new(&file.path, line_of(item.span()), RULE, message));
        }
    }
    complaints
}

fn is_contents(item: &Item) -> bool {
    match item {
        Item::Use(_) | Item::ExternCrate(_) | Item::Type(_) => true,
        Item::Mod(module) => match &module.content {
            None => true,
            // A module that only gathers exports under a name is contents as well.
            Some((_, items)) => {
                !is_test_only(&module.attrs)
                    && !matches!(module.vis, Visibility::Inherited)
                    && items.iter().all(is_contents)
            }
        },
        Item::Const(constant) => {
            let lines = constant.span().end().line + 1 - constant.span().start().line;
            lines <= CONSTANT_LINES_MAX
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    #[test]
    fn logic_in_contents_is_found() {
        let contents =
            "//! A.\nmod a;\npub use a::B;\npub const MAX: u32 = 5;\npub mod x { pub use crate::a::C; }\n";
        assert!(check(&Tree::of(&[("src/lib.rs", contents), ("src/a.rs", "fn f() {}")])).is_empty());
        for item in
            ["fn f() {}", "pub struct S;", "impl S {}", "#[cfg(test)]\nmod tests { fn t() {} }", "trait T {}"]
        {
            let text = format!("{contents}{item}");
            let complaints = check(&Tree::of(&[("src/a/mod.rs", &text)]));
            assert_eq!(complaints.len(), 1, "{item}");
            assert_eq!(complaints[0].line, 6, "{item}");
        }
    }
}
