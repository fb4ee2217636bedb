//! Dry runs of workflows in a browser, without a request: `domain`'s own simulation, which `POST /v1/workflows/simulate`
//! runs as well. A test compares the two over a table of definitions.
//!
//! `request` is what the page gives and `answer` what it gets, both in the form of the REST call; `run` goes from one to the
//! other, and `exports` passes them through the memory that module and page share. What this module refuses it does not
//! explain: the page then asks the server, whose words and limits hold.

mod answer;
mod exports;
mod request;
mod run;
