//! Figures of queues by minute and hour: rows that are added to, and read as series.

mod table;
mod verbs;
