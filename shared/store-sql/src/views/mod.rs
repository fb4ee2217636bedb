//! Saved views.

mod table;
mod verbs;
