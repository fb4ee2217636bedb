//! Workflows: registered versions and pauses. Definitions are stored as they come; `domain` has checked them.
//!
//! A tenant that owns a definition of a name sees only its own versions of it; otherwise it sees the shared ones,
//! whose owner is stored as `''`.

mod read;
mod rows;

mod pause;
mod register;
mod source;

mod verbs;
