//! The command line against a live server: each verb as a table and as JSON, and its exit codes.

mod audit;
mod client_verbs;
mod dead_letters;
mod local_verbs;
mod operate_verbs;
mod schedules;
mod webhooks;
mod workflows;
