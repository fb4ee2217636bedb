//! Copies of the database, and a look at one that was restored.

mod copy;
mod look;
mod verbs;
