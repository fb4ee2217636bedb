//! What browsers keep for us: sealed with a key of the cluster, so that every node can open it and nobody else can read or
//! change it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

const NONCE_BYTES: usize = 24;
/// Browsers keep cookies of at most 4,096 bytes with their names and attributes. Longer texts are not even decoded.
const TEXT_CHARS_MAX: usize = 3_900;

/// What is sealed. Authenticated with it, so that nothing else that is sealed with the key opens as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sealed {
    /// A session that stands for an API key.
    KeySession,
    /// A session of a person whom an identity provider vouches for.
    PersonSession,
    /// A sign-in that is under way.
    SignIn,
    /// The code of a link by which a deployment is set up.
    SetUp,
}

impl Sealed {
    const fn context(self) -> &'static [u8] {
        match self {
            Self::KeySession => b"trunkline session 1",
            Self::PersonSession => b"trunkline person session 1",
            Self::SignIn => b"trunkline sign-in 1",
            Self::SetUp => b"trunkline set-up 1",
        }
    }
}

/// The text of a cookie; `None` for one that no browser would keep. `random` gives the nonce and must never repeat under a
/// key.
pub(super) fn seal(key: &[u8; 32], kind: Sealed, plain: &[u8], random: &[u8; 32]) -> Option<String> {
    let (nonce, _) = random.split_at(NONCE_BYTES);
    let sealing_nonce = XNonce::try_from(nonce).ok()?;
    let cipher = XChaCha20Poly1305::new(key.into());
    let ciphertext = cipher.encrypt(&sealing_nonce, Payload { msg: plain, aad: kind.context() }).ok()?;
    let text = URL_SAFE_NO_PAD.encode([nonce, &ciphertext].concat());
    (text.len() <= TEXT_CHARS_MAX).then_some(text)
}

/// What was sealed; `None` for anything else.
pub(super) fn open(key: &[u8; 32], kind: Sealed, text: &str) -> Option<Vec<u8>> {
    if text.len() > TEXT_CHARS_MAX {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (nonce, ciphertext) = bytes.split_at_checked(NONCE_BYTES)?;
    let nonce = XNonce::try_from(nonce).ok()?;
    let cipher = XChaCha20Poly1305::new(key.into());
    cipher.decrypt(&nonce, Payload { msg: ciphertext, aad: kind.context() }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_opens() {
        let text = seal(&[7; 32], Sealed::KeySession, &[1; 56], &[9; 32]).expect("sealed");
        assert_eq!(open(&[7; 32], Sealed::KeySession, &text), Some(vec![1; 56]));
        assert_eq!(open(&[8; 32], Sealed::KeySession, &text), None, "another cluster's key");
        assert_eq!(open(&[7; 32], Sealed::SignIn, &text), None, "something else");
        assert_eq!(open(&[7; 32], Sealed::PersonSession, &text), None, "something else");
        for at in [0, 40, text.len() - 1] {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("text");
            assert_eq!(open(&[7; 32], Sealed::KeySession, &changed), None, "changed at {at}");
        }
        for other in ["", "AAAA", "not base64!", &"A".repeat(4_000)] {
            assert_eq!(open(&[7; 32], Sealed::KeySession, other), None, "{other}");
        }
        assert_eq!(
            seal(&[7; 32], Sealed::KeySession, &[1; 3_000], &[9; 32]),
            None,
            "no browser would keep it"
        );
    }
}
