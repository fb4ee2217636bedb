//! The modules of a crate as its files declare them, and where a path leads. Knows nothing about rules.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemMod, ItemUse, Macro, UseTree, Visibility};

use crate::tidy::syntax::{is_test_only, parse};
use crate::tidy::tree::{SourceFile, Tree};

/// How many exports are followed one after another.
const EXPORTS_MAX: usize = 8;

/// A path by its names.
type Path = Vec<String>;

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// A module.
    Module(usize),
    /// What is defined in a module.
    Item {
        /// The module.
        module: usize,
        /// Its name.
        name: String,
    },
}

/// A module, in a file of its own or in that of another one.
#[derive(Debug, Default)]
struct Module {
    file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths of more than one name in its code.
    paths: BTreeSet<Path>,
    /// Names that its code uses by themselves, and those that begin its paths.
    names: BTreeSet<String>,
}

/// A name that is imported, or all of a module's.
#[derive(Debug)]
struct Import {
    /// What it is called; `None` for all names.
    name: Option<String>,
    path: Path,
    is_export: bool,
}

/// The files of a crate.
#[derive(Debug, Default)]
pub(crate) struct CrateFiles {
    /// From the root of the repository.
    pub(crate) paths: Vec<String>,
    modules: Vec<Module>,
}

impl CrateFiles {
    /// Reads a crate from its root on, without what is for tests.
    pub(crate) fn read(tree: &Tree, root: &SourceFile) -> Self {
        let mut files = Self::default();
        let folder = root.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        files.add_file(tree, root, None, folder);
        files
    }

    /// The file in which a module is.
    pub(crate) fn file_of(&self, module: usize) -> usize {
        self.modules[module].file
    }

    /// What the code of all modules names: each module with a path as it stands there.
    pub(crate) fn references(&self) -> Vec<(usize, Path)> {
        let mut references = Vec::new();
        for (number, module) in self.modules.iter().enumerate() {
            references.extend(module.paths.iter().map(|path| (number, path.clone())));
            for import in &module.imports {
                match &import.name {
                    // An export is a use where the code uses the name as well.
                    Some(name) if import.is_export && !module.names.contains(name) => {}
                    Some(_) => references.push((number, import.path.clone())),
                    None => references.extend(self.taken_of_all(number, &import.path)),
                }
            }
        }
        references
    }

    /// Of the names that an import of all brings those that the code uses.
    fn taken_of_all(&self, module: usize, path: &[String]) -> Vec<(usize, Path)> {
        let Some(Found::Module(other)) = self.resolve(module, path) else { return Vec::new() };
        let exported = self.modules[other].imports.iter().filter_map(|import| import.name.as_ref());
        let known = self.modules[other].items.iter().chain(exported);
        let used = known.filter(|name| self.modules[module].names.contains(*name));
        used.map(|name| (module, path.iter().chain([name]).cloned().collect())).collect()
    }

    /// What a path means in a module; `None` where it leads out of the crate or to a local name.
    pub(crate) fn resolve(&self, module: usize, path: &[String]) -> Option<Found> {
        self.resolve_within(module, path, EXPORTS_MAX)
    }

    fn resolve_within(&self, module: usize, path: &[String], exports: usize) -> Option<Found> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.follow(0, rest, exports),
            "self" => self.follow(module, rest, exports),
            "super" => {
                let parent = self.modules[module].parent?;
                if rest.first().is_some_and(|next| next == "super") {
                    self.resolve_within(parent, rest, exports)
                } else {
                    self.follow(parent, rest, exports)
                }
            }
            name if self.is_known(module, name) => self.follow(module, path, exports),
            _ => None,
        }
    }

    fn is_known(&self, module: usize, name: &str) -> bool {
        let module = &self.modules[module];
        module.children.contains_key(name)
            || module.items.contains(name)
            || module.imports.iter().any(|import| import.name.as_deref() == Some(name))
    }

    /// Where the rest of a path leads from a module on.
    fn follow(&self, module: usize, rest: &[String], exports: usize) -> Option<Found> {
        let Some((name, beyond)) = rest.split_first() else { return Some(Found::Module(module)) };
        let known = &self.modules[module];
        if let Some(&child) = known.children.get(name) {
            // A module and what it exports under its own name: whoever names both means what is defined.
            let of_name =
                || self.imported(module, name, exports).filter(|found| matches!(found, Found::Item { .. }));
            let found = if beyond.is_empty() { of_name() } else { None };
            return found.or_else(|| self.follow(child, beyond, exports));
        }
        if !known.items.contains(name) {
            match self.imported(module, name, exports) {
                Some(Found::Module(other)) => return self.follow(other, beyond, exports.checked_sub(1)?),
                Some(item) => return Some(item),
                // Another crate's.
                None if self.is_known(module, name) => return None,
                None => {}
            }
        }
        // What no item is called is made by a macro there.
        Some(Found::Item { module, name: name.clone() })
    }

    /// What a module imports under a name.
    fn imported(&self, module: usize, name: &str, exports: usize) -> Option<Found> {
        let exports = exports.checked_sub(1)?;
        let imports = &self.modules[module].imports;
        let named = imports.iter().filter(|import| import.name.as_deref() == Some(name));
        // An import that is called as what it begins with is another crate's, or a child's.
        let mut found = named.filter_map(|import| {
            let begins_alike = import.path[0] == name && !self.modules[module].children.contains_key(name);
            if begins_alike { None } else { self.resolve_within(module, &import.path, exports) }
        });
        found.next().or_else(|| {
            let all = imports.iter().filter(|import| import.name.is_none());
            all.filter_map(|import| self.resolve_within(module, &import.path, exports)).find_map(|from| {
                match from {
                    Found::Module(other) if other != module && self.modules[other].items.contains(name) => {
                        Some(Found::Item { module: other, name: name.to_owned() })
                    }
                    _ => None,
                }
            })
        })
    }

    fn add_file(&mut self, tree: &Tree, file: &SourceFile, parent: Option<usize>, folder: &str) -> usize {
        self.paths.push(file.path.clone());
        let (number, module) = (self.paths.len() - 1, self.add_module(self.paths.len() - 1, parent));
        if let Some(syntax) = parse(file) {
            self.add_items(tree, &syntax.items, module, number, folder);
        }
        module
    }

    fn add_module(&mut self, file: usize, parent: Option<usize>) -> usize {
        self.modules.push(Module { file, parent, ..Module::default() });
        self.modules.len() - 1
    }

    fn add_items(&mut self, tree: &Tree, items: &[Item], module: usize, file: usize, folder: &str) {
        for item in items.iter().filter(|item| !is_test_only(attributes_of(item))) {
            if let Item::Mod(declared) = item {
                self.add_declared(tree, declared, module, file, folder);
                continue;
            }
            self.modules[module].items.extend(name_of(item));
            Code { module: &mut self.modules[module] }.visit_item(item);
        }
    }

    fn add_declared(&mut self, tree: &Tree, declared: &ItemMod, module: usize, file: usize, folder: &str) {
        let name = declared.ident.to_string();
        let folder = format!("{folder}/{name}");
        let child = if let Some((_, items)) = &declared.content {
            let child = self.add_module(file, Some(module));
            self.add_items(tree, items, child, file, &folder);
            child
        } else {
            let beside = tree.get(&format!("{folder}.rs"));
            let Some(found) = beside.or_else(|| tree.get(&format!("{folder}/mod.rs"))) else { return };
            if found.is_test() {
                return;
            }
            self.add_file(tree, found, Some(module), &folder)
        };
        self.modules[module].children.insert(name, child);
    }
}

/// Gathers what a module's code names.
struct Code<'a> {
    module: &'a mut Module,
}

impl Code<'_> {
    fn record(&mut self, path: Path) {
        if let Some(first) = path.first() {
            self.module.names.insert(first.clone());
        }
        if path.len() > 1 {
            self.module.paths.insert(path);
        }
    }

    /// Paths in tokens: names with `::` between them, not behind a dot.
    fn record_tokens(&mut self, tokens: TokenStream) {
        let mut path: Path = Vec::new();
        // How many colons came since the last name, and whether a dot did.
        let (mut colons, mut is_field) = (0, false);
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.record(std::mem::take(&mut path));
                    }
                    if !is_field {
                        path.push(name.to_string());
                    }
                    (colons, is_field) = (0, false);
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.record(std::mem::take(&mut path));
                    is_field = matches!(&other, TokenTree::Punct(mark) if mark.as_char() == '.') && !is_field;
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.record_tokens(group.stream());
                    }
                }
            }
        }
        self.record(path);
    }
}

impl<'ast> Visit<'ast> for Code<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test_only(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes: &[Attribute] = match item {
            ImplItem::Fn(function) => &function.attrs,
            ImplItem::Const(constant) => &constant.attrs,
            _ => &[],
        };
        if !is_test_only(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        let is_export = !matches!(import.vis, Visibility::Inherited);
        add_imports(&import.tree, &mut Vec::new(), is_export, &mut self.module.imports);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.record(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.record_tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }
}

fn add_imports(tree: &UseTree, before: &mut Path, is_export: bool, imports: &mut Vec<Import>) {
    let mut add = |name: Option<String>, path: Path| {
        if !path.is_empty() {
            imports.push(Import { name, path, is_export });
        }
    };
    let beyond = |name: &syn::Ident| before.iter().cloned().chain([name.to_string()]).collect::<Path>();
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            add_imports(&path.tree, before, is_export, imports);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => add(before.last().cloned(), before.clone()),
        UseTree::Name(name) => add(Some(name.ident.to_string()), beyond(&name.ident)),
        UseTree::Rename(renamed) if renamed.ident == "self" => {
            add(Some(renamed.rename.to_string()), before.clone());
        }
        UseTree::Rename(renamed) => add(Some(renamed.rename.to_string()), beyond(&renamed.ident)),
        UseTree::Glob(_) => add(None, before.clone()),
        UseTree::Group(group) => {
            for tree in &group.items {
                add_imports(tree, before, is_export, imports);
            }
        }
    }
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
