//! Secrets of tenants: sealed before they come here.

mod rows;
mod table;

mod verbs;
