//! Messages to JSON as REST reads it, and its answers back to messages. Fields of bytes hold JSON, which is carried along
//! as it is: large integers stay exact.

mod read;
mod write;

pub(crate) use read::{read, read_field};
pub(crate) use write::{text_of, write_fields, write_value};
