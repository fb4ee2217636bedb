//! The functions and types that expressions may name, so that a misspelt one is a fault at registration.

use std::sync::{Arc, LazyLock};

use cel::Env;

use crate::workflow::expression::spend;

/// Functions called as `f(x)`.
const GLOBAL: [&str; 10] =
    ["bool", "bytes", "double", "dyn", "int", "matches", "size", "string", "type", "uint"];

/// Functions called as `x.f(y)`.
const MEMBER: [&str; 9] =
    ["contains", "endsWith", "hasValue", "matches", "or", "orValue", "size", "startsWith", "value"];

/// Functions called as `optional.f(x)`.
const OPTIONAL: [&str; 3] = ["none", "of", "ofNonZeroValue"];

/// Types that may be compared with `type(x)`.
const TYPES: [&str; 10] =
    ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];

/// The one environment of all expressions.
pub(super) static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut environment = Env::stdlib();
    spend::declare(&mut environment);
    Arc::new(environment)
});

/// Whether `name(…)` can be called. Operators and macros are calls as well, with names that no identifier can have.
pub(super) fn is_global(name: &str) -> bool {
    GLOBAL.contains(&name)
        || name.contains(|character: char| !character.is_ascii_alphanumeric() && character != '_')
}

/// Whether `x.name(…)` can be called.
pub(super) fn is_member(name: &str) -> bool {
    MEMBER.contains(&name)
}

/// Whether `optional.name(…)` can be called.
pub(super) fn is_optional(name: &str) -> bool {
    OPTIONAL.contains(&name)
}

/// Whether the word is a type.
pub(super) fn is_type(name: &str) -> bool {
    TYPES.contains(&name)
}
