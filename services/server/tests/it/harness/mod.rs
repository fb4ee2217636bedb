//! What the tests stand on: real servers, their databases, clients and workers. No test is in here.

mod both;
mod client;
mod collector;
mod command;
mod database;
mod draw;
mod neighbors;
mod record;
mod script;
mod server;
mod target;
mod wait;
mod worker;

pub(crate) use both::on_both_databases;
pub(crate) use client::{Answer, Client};
pub(crate) use collector::{Collector, Seen};
pub(crate) use command::{Output, trunkline};
pub(crate) use database::{Admin, Database};
pub(crate) use draw::Draw;
pub(crate) use neighbors::{STEPS, beside_calls, key_of, longest_call};
pub(crate) use record::{Level, Record, Run};
pub(crate) use script::{bash, blocks_of_sh, repository};
pub(crate) use server::{Server, TEST_KEY, bare_command};
pub(crate) use target::Target;
pub(crate) use testkit::ports::free_port;
pub(crate) use wait::{found, until, within};
pub(crate) use worker::{PolledJob, Report, Worker, WorkerSetup};
