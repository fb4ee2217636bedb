//! Callback addresses: `{url}/callbacks/{execution}/{node}/{token}`.
//!
//! The token is a MAC over execution and node under the cluster's key. Nothing is stored, an address is known before
//! its node waits, and a request is checked without reading anything.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::id::ExecutionId;
use crate::names::NodeId;

/// How many bytes of the MAC an address carries.
const TOKEN_BYTES: usize = 16;

/// The callback address of a node.
pub fn callback_url(base: &CallbackBase, execution: ExecutionId, node: &NodeId) -> String {
    let tag = mac_of(base, execution, node).finalize().into_bytes();
    format!("{}/callbacks/{execution}/{node}/{}", base.url, hex::encode(&tag[..TOKEN_BYTES]))
}

/// Whether a token is that of the node's address. Compares in constant time.
pub fn is_callback_token(base: &CallbackBase, execution: ExecutionId, node: &NodeId, token: &str) -> bool {
    hex::decode(token).is_ok_and(|tag| {
        tag.len() == TOKEN_BYTES && mac_of(base, execution, node).verify_truncated_left(&tag).is_ok()
    })
}

fn mac_of(base: &CallbackBase, execution: ExecutionId, node: &NodeId) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&base.key).expect("HMAC takes keys of any length");
    mac.update(b"trunkline callback\0");
    mac.update(execution.uuid().as_bytes());
    mac.update(node.as_str().as_bytes());
    mac
}

/// What the callback addresses of `WAIT_WEBHOOK` nodes are made of.
#[derive(Clone, PartialEq, Eq)]
pub struct CallbackBase {
    /// The public address of the server without a slash at the end; empty for addresses that are only a path.
    pub url: String,
    /// The cluster's secret key: an address carries a MAC, so that none can be guessed.
    pub key: [u8; 32],
}

impl std::fmt::Debug for CallbackBase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("CallbackBase").field("url", &self.url).finish_non_exhaustive()
    }
}
