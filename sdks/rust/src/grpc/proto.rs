//! The messages and clients of the contract, as the build made them.

#![allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub, dead_code, reason = "generated")]

tonic::include_proto!("trunkline.v1");
