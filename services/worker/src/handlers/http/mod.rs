//! The built-in handler of `HTTP` nodes: one call to an outside service, and what its answer means.
//!
//! Which addresses may be called and how much may be read is the business of `egress`.

mod call;
mod failure;
mod handler;
mod output;
mod retry_after;
mod secrets;
mod spans;

pub use handler::HttpHandler;
pub use secrets::SecretSource;

#[cfg(test)]
mod tests;
