//! Sets of public words: each word stands once, beside the case that it names.

/// Enumerations with their public and stored names. All of them are in `ALL`, in this order, so that whatever lists them, such as the
/// OpenAPI document, lacks none. Behind `serde`, they are read and written as their names.
#[macro_export]
macro_rules! words {
    (@names $name:ident { $($case:ident $word:literal,)* }) => {
        impl $name {
            /// All of them.
            pub const ALL: [Self; [$($word,)*].len()] = [$(Self::$case,)*];

            /// Their names, in the same order.
            pub const NAMES: [&'static str; [$($word,)*].len()] = [$($word,)*];

            /// The public and stored name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$case => $word,)*
                }
            }

            /// The one with this name.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|word| word.as_str() == text)
            }
        }
    };
    (serde $($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $case:ident $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $case,)*
        }

        $crate::words!(@names $name { $($case $word,)* });
    )*};
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $case:ident $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$doc])* $case,)*
        }

        $crate::words!(@names $name { $($case $word,)* });
    )*};
}
