//! Hosts of their own for the processes of a deployment: network namespaces, each with one link to this one, which can be cut.
//!
//! Needs root and iproute2. PostgreSQL listens on loopback of this namespace, so that each link has a door to it.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A network namespace that is removed with this.
pub(crate) struct Host {
    name: String,
    /// The end of the link that is here.
    link: String,
    /// The address of the host.
    pub(crate) address: Ipv4Addr,
    /// Where the host finds the database.
    pub(crate) database: SocketAddr,
    door: JoinHandle<()>,
}

impl Host {
    /// Whether this process may make any.
    pub(crate) fn can_be_made() -> bool {
        let name = format!("tlprobe{}", std::process::id());
        let is_made = ip(&["netns", "add", &name]).is_ok();
        is_made && ip(&["netns", "del", &name]).is_ok()
    }

    /// Makes the host with this number, from which the database at this address of loopback can be reached.
    pub(crate) async fn make(number: u8, database: SocketAddr) -> Result<Self> {
        let process = std::process::id() % 100_000;
        let (name, link) = (format!("tl{process}n{number}"), format!("tl{process}h{number}"));
        let [here, address] = [1, 2].map(|end| Ipv4Addr::new(10, 77, number, end));
        // Removed whatever fails from here on.
        let mut host = Self { name, link, address, database, door: tokio::spawn(async {}) };
        let (name, link, there) = (host.name.as_str(), host.link.as_str(), "uplink");
        ip(&["netns", "add", name])?;
        ip(&["link", "add", link, "type", "veth", "peer", "name", there, "netns", name])?;
        ip(&["addr", "add", &format!("{here}/30"), "dev", link])?;
        ip(&["link", "set", link, "up"])?;
        for command in [
            vec!["addr", "add", &format!("{address}/30"), "dev", there],
            vec!["link", "set", there, "up"],
            vec!["link", "set", "lo", "up"],
        ] {
            ip(&[&["-n", name], command.as_slice()].concat())?;
        }
        // Any port: that of a host before may not be free yet.
        let listener = TcpListener::bind((here, 0)).await.context("the door of a host")?;
        host.database = listener.local_addr()?;
        host.door = tokio::spawn(let_in(listener, database));
        Ok(host)
    }

    /// What a command begins with to run on the host.
    pub(crate) fn prefix(&self) -> [&str; 4] {
        ["ip", "netns", "exec", &self.name]
    }

    /// Takes the link away. No side gets an error: packets are gone.
    pub(crate) fn cut(&self) -> Result<()> {
        ip(&["link", "set", &self.link, "down"])
    }

    /// Gives the link back.
    pub(crate) fn heal(&self) -> Result<()> {
        ip(&["link", "set", &self.link, "up"])
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.door.abort();
        // The link first: with the namespace it would go some time later, and its name and address would be in the way of the
        // next host.
        for command in [["link", "del", &self.link], ["netns", "del", &self.name]] {
            if let Err(error) = ip(&command) {
                eprintln!("   {} stays: {error:#}", self.name);
            }
        }
    }
}

async fn let_in(listener: TcpListener, database: SocketAddr) {
    while let Ok((mut outside, _)) = listener.accept().await {
        tokio::spawn(async move {
            let _ = outside.set_nodelay(true);
            let Ok(mut inside) = TcpStream::connect(database).await else { return };
            let _ = inside.set_nodelay(true);
            let _ = copy_bidirectional(&mut outside, &mut inside).await;
        });
    }
}

fn ip(arguments: &[&str]) -> Result<()> {
    let output = Command::new("ip").args(arguments).output().context("there is no iproute2")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "ip {}: {}", arguments.join(" "), said.trim());
    Ok(())
}
