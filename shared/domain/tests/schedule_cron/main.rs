//! The cron expression as text: what is read, what is refused and with which words, how it prints and reads aloud.

mod schedule_descriptions;
mod schedule_grammar;
mod schedule_properties;
mod schedule_refusals;
