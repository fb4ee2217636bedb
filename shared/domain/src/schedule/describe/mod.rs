//! An expression in plain English: `At 02:30 every day`, `Every 15 minutes from 09:00 to 17:59, Monday to Friday`.

mod days;
mod sentence;
mod times;
mod words;

pub use sentence::describe;
pub(super) use words::joined;
