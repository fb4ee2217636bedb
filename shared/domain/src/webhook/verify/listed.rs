//! The grammar of signature headers: one signature or a list of them, each behind a prefix, perhaps with the time.

use crate::webhook::rejection::Rejection;
use crate::webhook::scheme::{Scheme, TimestampSource};

/// The most signatures in a header. Rotation needs two.
pub const SIGNATURES_MAX: usize = 16;

/// What a signature header holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listed<'a> {
    /// The decoded signatures of the scheme's version; at least one.
    pub(super) signatures: Vec<Vec<u8>>,
    /// The text of the time, if the scheme puts it here.
    pub(super) timestamp: Option<&'a [u8]>,
}

impl<'a> Listed<'a> {
    /// Reads the header. Items of other versions are counted and ignored.
    pub(super) fn read(scheme: &Scheme, header: &'a [u8]) -> Result<Self, Rejection> {
        let mut listed = Self { signatures: Vec::new(), timestamp: None };
        let (mut count, mut malformed) = (0, false);
        for item in items(header, scheme.list_separator) {
            if let TimestampSource::Item(prefix) = &scheme.timestamp
                && let Some(time) = item.strip_prefix(prefix.as_bytes())
            {
                // Of two times one would be checked and perhaps the other signed.
                if listed.timestamp.replace(time).is_some() {
                    return Err(Rejection::TimestampMalformed);
                }
                continue;
            }
            count += 1;
            if count > SIGNATURES_MAX {
                return Err(Rejection::SignaturesTooMany);
            }
            let Some(text) = item.strip_prefix(scheme.prefix.as_bytes()) else { continue };
            match scheme.encoding.decode(text) {
                Some(signature) => listed.signatures.push(signature),
                None => malformed = true,
            }
        }
        match (listed.signatures.is_empty(), malformed, count) {
            (false, _, _) => Ok(listed),
            (true, true, _) => Err(Rejection::SignatureMalformed),
            (true, false, 0) => Err(Rejection::SignatureMissing),
            (true, false, _) => Err(Rejection::SignatureUnknown),
        }
    }
}

fn items(header: &[u8], separator: Option<char>) -> impl Iterator<Item = &[u8]> {
    header
        .split(move |byte| separator.is_some_and(|char| char == char::from(*byte)))
        .map(<[u8]>::trim_ascii)
        .filter(|item| !item.is_empty())
}
