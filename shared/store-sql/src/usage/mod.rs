//! What tenants use, counted when it is asked for, and the quotas that somebody set.

mod measure;
mod quotas;
mod verbs;
