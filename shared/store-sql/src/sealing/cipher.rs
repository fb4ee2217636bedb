//! The form of a sealed payload: a mark, the id of the key, a nonce, and what XChaCha20-Poly1305 makes of the payload.
//!
//! Texts have it in base64, since their columns are text. The mark ends with the number of the form: another form gets
//! another number.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use uuid::Uuid;

use super::place::Place;

/// No JSON text begins with it, nor does a reference to a large payload.
const TEXT_MARK: &str = "~1.";
/// No snapshot begins with it: MessagePack has no such byte. A body that begins with all of it names no key that is there.
const BYTES_MARK: &[u8] = b"\xc1TLSEAL1";
const KEY_BYTES: usize = 16;
/// So many characters of base64 hold the id of the key, and two bytes more.
const KEY_CHARS: usize = 24;
const NONCE_BYTES: usize = 24;
const TAG_BYTES: usize = 16;
const HEAD_BYTES: usize = KEY_BYTES + NONCE_BYTES;

/// A sealed payload, taken apart.
pub(super) struct Parts {
    /// The key that it is sealed with.
    pub(super) key: Uuid,
    sealed: Vec<u8>,
}

/// Whether a text is sealed, by its looks.
pub(super) fn is_sealed_text(text: &str) -> bool {
    text.starts_with(TEXT_MARK)
}

/// Whether bytes are sealed, by their looks.
pub(super) fn is_sealed_bytes(bytes: &[u8]) -> bool {
    bytes.starts_with(BYTES_MARK) && bytes.len() >= BYTES_MARK.len() + HEAD_BYTES + TAG_BYTES
}

/// Seals a text.
pub(super) fn seal_text(
    cipher: &XChaCha20Poly1305,
    key: Uuid,
    place: Place<'_>,
    text: &str,
) -> Option<String> {
    let mut sealed = TEXT_MARK.to_owned();
    STANDARD_NO_PAD.encode_string(seal(cipher, key, place, text.as_bytes())?, &mut sealed);
    Some(sealed)
}

/// Seals bytes.
pub(super) fn seal_bytes(
    cipher: &XChaCha20Poly1305,
    key: Uuid,
    place: Place<'_>,
    bytes: &[u8],
) -> Option<Vec<u8>> {
    Some([BYTES_MARK, &seal(cipher, key, place, bytes)?].concat())
}

/// Each payload has a random nonce: of 24 bytes none comes twice.
#[expect(clippy::disallowed_methods, reason = "a nonce decides nothing: nobody has to draw it again")]
fn seal(cipher: &XChaCha20Poly1305, key: Uuid, place: Place<'_>, plain: &[u8]) -> Option<Vec<u8>> {
    let nonce: [u8; NONCE_BYTES] = rand::random();
    let context = place.context();
    let payload = Payload { msg: plain, aad: &context };
    let ciphertext = cipher.encrypt(&XNonce::from(nonce), payload).ok()?;
    Some([key.as_bytes().as_slice(), &nonce, &ciphertext].concat())
}

/// The key that a text is sealed with.
pub(super) fn text_key(text: &str) -> Option<Uuid> {
    let head = text.strip_prefix(TEXT_MARK)?.get(..KEY_CHARS)?;
    let bytes = STANDARD_NO_PAD.decode(head).ok()?;
    Uuid::from_slice(bytes.get(..KEY_BYTES)?).ok()
}

/// The key that bytes are sealed with.
pub(super) fn bytes_key(bytes: &[u8]) -> Option<Uuid> {
    Uuid::from_slice(bytes.strip_prefix(BYTES_MARK)?.get(..KEY_BYTES)?).ok()
}

/// Takes a sealed text apart; `None` for one that only looks like it.
pub(super) fn text_parts(text: &str) -> Option<Parts> {
    parts(STANDARD_NO_PAD.decode(text.strip_prefix(TEXT_MARK)?).ok()?)
}

/// Takes sealed bytes apart.
pub(super) fn bytes_parts(bytes: &[u8]) -> Option<Parts> {
    parts(bytes.strip_prefix(BYTES_MARK)?.to_vec())
}

fn parts(sealed: Vec<u8>) -> Option<Parts> {
    let (head, _) = sealed.split_at_checked(HEAD_BYTES)?;
    let key = Uuid::from_slice(&head[..KEY_BYTES]).ok()?;
    Some(Parts { key, sealed })
}

impl Parts {
    /// The payload; `None` where it was changed, or was sealed for another place.
    pub(super) fn open(&self, cipher: &XChaCha20Poly1305, place: Place<'_>) -> Option<Vec<u8>> {
        let (head, ciphertext) = self.sealed.split_at_checked(HEAD_BYTES)?;
        let nonce: [u8; NONCE_BYTES] = head[KEY_BYTES..].try_into().ok()?;
        let context = place.context();
        cipher.decrypt(&XNonce::from(nonce), Payload { msg: ciphertext, aad: &context }).ok()
    }
}

/// How long a body was before it was sealed, if it is.
pub(crate) fn plain_body_bytes(body: &[u8]) -> usize {
    if is_sealed_bytes(body) { body.len() - BYTES_MARK.len() - HEAD_BYTES - TAG_BYTES } else { body.len() }
}

/// How long a text was before it was sealed, if it is.
pub(crate) fn plain_text_bytes(text: &str) -> usize {
    match text.strip_prefix(TEXT_MARK) {
        Some(base64) => (base64.len() * 3 / 4).saturating_sub(HEAD_BYTES + TAG_BYTES),
        None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use chacha20poly1305::KeyInit as _;

    use super::*;

    #[test]
    fn what_is_sealed_opens_in_its_place_alone() {
        let (cipher, other) =
            (XChaCha20Poly1305::new(&[7; 32].into()), XChaCha20Poly1305::new(&[8; 32].into()));
        let (key, job) = (Uuid::from_u128(9), Uuid::from_u128(1));
        let place = Place::job_data(job);
        let text = seal_text(&cipher, key, place, r#"{"card":"4111"}"#).expect("sealed");
        assert!(is_sealed_text(&text) && !text.contains("4111"));
        assert_eq!(plain_text_bytes(&text), 15);
        let parts = text_parts(&text).expect("it has all its parts");
        assert_eq!((parts.key, text_key(&text)), (key, Some(key)));
        assert_eq!(parts.open(&cipher, place).as_deref(), Some(br#"{"card":"4111"}"#.as_slice()));
        assert_eq!(parts.open(&other, place), None, "another key");
        for elsewhere in
            [Place::job_data(Uuid::from_u128(2)), Place::job_result(job), Place::node_output(job, "a")]
        {
            assert_eq!(parts.open(&cipher, elsewhere), None, "{elsewhere:?}");
        }
        assert_ne!(seal_text(&cipher, key, place, "1"), seal_text(&cipher, key, place, "1"));
        let mut changed =
            bytes_parts(&seal_bytes(&cipher, key, place, b"body").expect("sealed")).expect("parts");
        assert_eq!(changed.open(&cipher, place).as_deref(), Some(b"body".as_slice()));
        for at in [KEY_BYTES, HEAD_BYTES, changed.sealed.len() - 1] {
            changed.sealed[at] ^= 1;
            assert_eq!(changed.open(&cipher, place), None, "changed at {at}");
            changed.sealed[at] ^= 1;
        }
    }

    #[test]
    fn what_only_looks_sealed_has_no_parts() {
        for text in ["~1.", "~1.AAAA", "~1.not base64", "{}", "@4097", ""] {
            assert!(text_parts(text).is_none(), "{text}");
        }
        assert!(!is_sealed_bytes(BYTES_MARK));
        assert_eq!(plain_body_bytes(b"plain"), 5);
        let cipher = XChaCha20Poly1305::new(&[7; 32].into());
        let sealed = seal_bytes(&cipher, Uuid::nil(), Place::body(Uuid::nil()), b"").expect("sealed");
        assert!(is_sealed_bytes(&sealed), "an empty body too");
        assert_eq!(plain_body_bytes(&sealed), 0);
    }
}
