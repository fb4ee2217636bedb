//! Payloads of tenants, sealed at rest: the one place where they become ciphertext on their way into the database and text
//! again on their way out.
//!
//! What is sealed begins with a mark that no JSON text has, so that sealed and plain rows lie side by side and nothing is
//! rewritten when sealing begins or ends. Each payload is authenticated with where it belongs ([`Place`]): one that is put
//! into another row does not open. Keys are in the [`Ring`]; without one that seals, nothing here is called for a row.

mod cipher;
mod fields;
mod owners;
mod place;
mod ring;
mod store;
mod table;
mod verbs;

pub(crate) use cipher::{plain_body_bytes, plain_text_bytes};
pub(crate) use fields::NewError;
pub(crate) use place::Place;
pub(crate) use ring::{Ring, Sealer};
