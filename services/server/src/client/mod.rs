//! The REST client of the command line.

mod error;
mod http;
mod path;
mod profile;

pub(crate) use error::ClientError;
pub(crate) use http::{Client, query};
pub(crate) use path::{api_path, id, path_of};
pub(crate) use profile::{KEY_FILE_DEFAULT, is_no_color, is_server_named};
