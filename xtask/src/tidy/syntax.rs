//! Rust files as syntax trees, and questions that several checks ask of them.

use proc_macro2::Span;
use syn::Attribute;

use crate::tidy::tree::SourceFile;

/// The syntax tree; `None` for text that is no Rust, which the compiler complains about better.
pub(crate) fn parse(file: &SourceFile) -> Option<syn::File> {
    syn::parse_file(&file.text).ok()
}

/// The line on which a piece of syntax starts.
pub(crate) fn line_of(span: Span) -> usize {
    span.start().line
}

/// Whether what carries the attributes is compiled for tests only.
pub(crate) fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let last = path.segments.last().map(|segment| segment.ident.to_string());
        last.as_deref() == Some("test")
            || (path.is_ident("cfg")
                && attribute
                    .meta
                    .require_list()
                    .is_ok_and(|list| list.tokens.to_string().starts_with("test")))
    })
}
