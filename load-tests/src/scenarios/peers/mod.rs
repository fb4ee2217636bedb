//! Other queues on the same machine, in turns with the reference and with Trunkline.

mod ours;
mod run;
mod system;
mod table;

pub(crate) use run::peers;
