//! Why a request was not let in. For the delivery log; the sender learns only the status.

/// Why a request was not verified. The order is that of [`Rejection::progress`]: later means that more of the request
/// was in order, and of several attempts the one that came furthest says why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The endpoint has no active secret. Nothing is ever let in for want of one.
    #[error("the endpoint has no active secret for its scheme")]
    SecretMissing,
    /// The scheme signs the endpoint's URL, and the endpoint does not know it.
    #[error("the scheme signs the URL, and the endpoint has no publicUrl")]
    PublicUrlMissing,
    /// No header with a signature.
    #[error("the request has no signature header")]
    SignatureMissing,
    /// The header lists signatures, all of unknown versions.
    #[error("the signature header contains no known version")]
    SignatureUnknown,
    /// The header holds nothing that could be a signature.
    #[error("the signature does not match the format of the scheme")]
    SignatureMalformed,
    /// The scheme signs a time, and there is none.
    #[error("the request has no signed time")]
    TimestampMissing,
    /// The time is not 1 to 19 digits, or too large.
    #[error("the signed time is not a plain whole number")]
    TimestampMalformed,
    /// The scheme signs an id, and there is none.
    #[error("the request has no id header")]
    IdMissing,
    /// The id is empty, too long or could be mistaken for other parts of the signed content.
    #[error("the id header's value cannot be used")]
    IdMalformed,
    /// No listed signature is one of this request by an active secret.
    #[error("no signature matches an active secret")]
    SignatureMismatch,
    /// The signed hash of the body is not that of this body.
    #[error("the body is not the one whose hash was signed")]
    BodyMismatch,
    /// Signed longer ago than the tolerance.
    #[error("the request was signed too long ago")]
    TimestampPast,
    /// Signed further in the future than the tolerance.
    #[error("the request was signed in the future")]
    TimestampFuture,
    /// A header that verification reads stands twice; proxies disagree which one counts.
    #[error("a signature header occurs more than once")]
    HeaderRepeated,
    /// More signatures than anyone sends.
    #[error("the signature header lists more than 16 signatures")]
    SignaturesTooMany,
    /// A header that verification reads is larger than 8 KiB.
    #[error("a signature header is larger than 8 KiB")]
    HeaderTooLarge,
}

impl Rejection {
    /// The stable name, for the delivery log and for metrics.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::SecretMissing => "secret_missing",
            Self::PublicUrlMissing => "public_url_missing",
            Self::SignatureMissing => "signature_missing",
            Self::SignatureUnknown => "signature_unknown",
            Self::SignatureMalformed => "signature_malformed",
            Self::TimestampMissing => "timestamp_missing",
            Self::TimestampMalformed => "timestamp_malformed",
            Self::IdMissing => "id_missing",
            Self::IdMalformed => "id_malformed",
            Self::SignatureMismatch => "signature_mismatch",
            Self::BodyMismatch => "body_mismatch",
            Self::TimestampPast => "timestamp_past",
            Self::TimestampFuture => "timestamp_future",
            Self::HeaderRepeated => "header_repeated",
            Self::SignaturesTooMany => "signatures_too_many",
            Self::HeaderTooLarge => "header_too_large",
        }
    }

    /// The HTTP status of the answer: 431, 400 for what no honest sender sends, and else 401.
    pub const fn status(&self) -> u16 {
        match self {
            Self::HeaderTooLarge => 431,
            Self::HeaderRepeated | Self::SignaturesTooMany => 400,
            _ => 401,
        }
    }

    /// How far the request came; the place in the order of the cases.
    pub(super) const fn progress(&self) -> u8 {
        match self {
            Self::SecretMissing => 0,
            Self::PublicUrlMissing => 1,
            Self::SignatureMissing => 2,
            Self::SignatureUnknown => 3,
            Self::SignatureMalformed => 4,
            Self::TimestampMissing => 5,
            Self::TimestampMalformed => 6,
            Self::IdMissing => 7,
            Self::IdMalformed => 8,
            Self::SignatureMismatch => 9,
            Self::BodyMismatch => 10,
            Self::TimestampPast => 11,
            Self::TimestampFuture => 12,
            Self::HeaderRepeated => 13,
            Self::SignaturesTooMany => 14,
            Self::HeaderTooLarge => 15,
        }
    }
}
