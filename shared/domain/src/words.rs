//! Sets of public words: each word stands once, beside the case that it names.

/// Enumerations with their public and stored names. All of them are in `ALL`, so that whatever lists them, such as the OpenAPI
/// document, lacks none.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$case_doc:meta])* $case:ident $word:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$case_doc])* #[serde(rename = $word)] $case,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$case,)*];

            /// The public and stored name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$case => $word,)*
                }
            }

            /// The one with this name.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text)
            }
        }
    )*};
}
