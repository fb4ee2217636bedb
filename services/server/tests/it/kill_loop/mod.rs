//! A server that is killed with SIGKILL again and again under load loses nothing that it acknowledged, and runs
//! nothing again that was done. The clients and workers keep their own records, which are checked against what the
//! server says at the end. The same holds while the server moves its store.

mod accounts;
mod load;
mod moved;
mod nemesis;
mod verdict;
