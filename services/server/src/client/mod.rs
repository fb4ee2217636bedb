//! The REST client of the command line.

mod error;
mod http;
mod profile;

pub(crate) use error::ClientError;
pub(crate) use http::{Client, query, segment};
pub(crate) use profile::KEY_FILE_DEFAULT;
