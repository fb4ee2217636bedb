//! Enumerations to which a newer server may add values.

/// Defines an enumeration whose unknown values are kept as `Other`.
macro_rules! open_enum {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)+
            /// What a newer server says and this version does not know.
            Other(String),
        }

        impl $name {
            /// The value on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        /// Empty, which the server refuses: a value that has to be given is not chosen by chance.
        impl Default for $name {
            fn default() -> Self {
                Self::Other(String::new())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                Ok(Self::from(text.as_str()))
            }
        }
    };
}

pub(crate) use open_enum;

#[cfg(test)]
mod tests {
    use crate::models::JobStatus;

    #[test]
    fn unknown_values_are_kept() {
        let statuses: Vec<JobStatus> = serde_json::from_str(r#"["QUEUED","OF_TOMORROW"]"#).expect("statuses");
        assert_eq!(statuses, [JobStatus::Queued, JobStatus::Other("OF_TOMORROW".to_owned())]);
        assert_eq!(serde_json::to_string(&statuses).expect("JSON"), r#"["QUEUED","OF_TOMORROW"]"#);
    }
}
