//! `Content-Encoding`: what a body is once it is decoded, within a bound. Signatures are over the bytes as received.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;

/// A body that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EncodingFault {
    /// An encoding that is not supported.
    Unsupported,
    /// Not what its encoding says.
    Broken,
    /// Too large once decoded.
    TooLarge,
}

/// The body as it reads, by the values of its `Content-Encoding` headers: none, `identity` or `gzip`. Of a packed one at most
/// `bytes_max` bytes are read.
pub(super) fn decoded<'a>(
    encodings: &[&[u8]],
    body: &'a [u8],
    bytes_max: usize,
) -> Result<Cow<'a, [u8]>, EncodingFault> {
    let named = encodings.iter().flat_map(|value| value.split(|byte| *byte == b','));
    let named = named.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty());
    let mut named = named.filter(|name| !name.eq_ignore_ascii_case(b"identity"));
    match (named.next(), named.next()) {
        (None, _) => Ok(Cow::Borrowed(body)),
        (Some(name), None) if name.eq_ignore_ascii_case(b"gzip") || name.eq_ignore_ascii_case(b"x-gzip") => {
            if body.is_empty() {
                return Ok(Cow::Borrowed(body));
            }
            let mut decoded = Vec::new();
            let read = MultiGzDecoder::new(body).take(bytes_max as u64 + 1).read_to_end(&mut decoded);
            match read {
                Ok(_) if decoded.len() <= bytes_max => Ok(Cow::Owned(decoded)),
                Ok(_) => Err(EncodingFault::TooLarge),
                Err(_) => Err(EncodingFault::Broken),
            }
        }
        _ => Err(EncodingFault::Unsupported),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).expect("memory can be written");
        encoder.finish().expect("memory can be written")
    }

    #[test]
    fn gzip_is_undone_and_others_are_refused() {
        let zipped = gzip(b"{}");
        assert_eq!(decoded(&[], b"{}", 2).as_deref(), Ok(&b"{}"[..]));
        assert_eq!(decoded(&[b"identity"], b"{}", 2).as_deref(), Ok(&b"{}"[..]));
        assert_eq!(decoded(&[b" GZip "], &zipped, 2).as_deref(), Ok(&b"{}"[..]));
        assert_eq!(decoded(&[b"gzip, gzip"], &zipped, 2), Err(EncodingFault::Unsupported));
        assert_eq!(decoded(&[b"br"], b"{}", 2), Err(EncodingFault::Unsupported));
        assert_eq!(decoded(&[b"gzip"], b"{}", 2), Err(EncodingFault::Broken));
        assert_eq!(decoded(&[b"gzip"], &zipped[..zipped.len() - 3], 2), Err(EncodingFault::Broken));
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let bomb = gzip(&vec![0; 1_000_001]);
        assert!(bomb.len() < 20_000);
        assert_eq!(decoded(&[b"gzip"], &bomb, 1_000_000), Err(EncodingFault::TooLarge));
        assert!(decoded(&[b"gzip"], &bomb, 1_000_001).is_ok());
    }
}
