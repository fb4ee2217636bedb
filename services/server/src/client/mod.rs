//! The REST client of the command line.

mod error;
mod http;
mod profile;

pub(crate) use profile::KEY_FILE_DEFAULT;
pub(crate) use http::{Client, query};
