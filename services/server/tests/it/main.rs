//! End-to-end tests: they start the real binary, speak to it as its users do (REST, command line, signals), and look
//! at what it promises. They know nothing of its inside.

mod backup;
mod bad_input;
mod cli;
mod doors;
mod drain;
mod egress;
mod examples;
mod fail_points;
mod faketime;
mod first_start;
mod floods;
mod golden;
mod grpc;
mod harness;
mod hostile;
mod interruption;
mod kill_loop;
mod lost_process;
mod mail;
mod oidc;
mod order;
mod parking;
mod pooler;
mod reload;
mod schedules;
mod secrets;
mod sql_intake;
mod store_outage;
mod tenants;
mod three_nodes;
mod tour;
mod traces;
mod webhooks;
mod workers_page;
mod workflows;
