//! `trunkline audit`.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::Subcommand;
use domain::audit::{ChainCheck, ChainFault, FirstBad, Link, from_hex, seal_of, to_hex};
use serde_json::{Map, Value, json};

use crate::client::{Client, query};
use crate::commands::find::{FilterArgs, ListArgs, OfAudit};
use crate::output;
use crate::output::out;

/// Bytes of the longest line of an export that is read.
const LINE_BYTES_MAX: u64 = 16 << 20;
/// The exit code where the log was tampered with.
const TAMPERED: u8 = 1;
/// The exit code where the log could not be looked at.
const NOT_READ: u8 = 2;

/// Shows, exports and verifies the audit log.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// List entries, newest first
    List(Box<ListArgs<OfAudit>>),
    /// Export sealed entries as JSON Lines, oldest first
    Export {
        /// Which entries; the chain of a filtered export cannot be verified
        #[command(flatten)]
        filter: Box<FilterArgs<OfAudit>>,
        /// File to write (default: standard output)
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Verify the hash chain; exit code 0: unchanged, 1: tampered, 2: not verified
    Verify {
        /// Verify an export instead of the server's log
        #[arg(long, value_name = "EXPORT")]
        file: Option<PathBuf>,
        /// Hash that the last entry must have, from an earlier verification or the server's log
        #[arg(long, value_name = "HASH")]
        expect_head: Option<String>,
    },
}

/// Runs the command.
pub(crate) async fn run(command: AuditCommand, client: &Client) -> Result<ExitCode> {
    match command {
        AuditCommand::List(args) => {
            let columns = [
                ("SEQ", "/seq"),
                ("AT", "/at"),
                ("ACTOR", "/actor"),
                ("ACTION", "/action"),
                ("SUBJECT", "/subject"),
                ("TENANT", "/tenant"),
                ("DOOR", "/door"),
                ("OUTCOME", "/outcome"),
                ("ADDRESS", "/address"),
            ];
            args.print(client, "/v1/audit", &columns).await?;
        }
        AuditCommand::Export { filter, out } => {
            let text = client.get_text(&query("/v1/audit/export", &filter.pairs())).await?;
            match out {
                Some(path) => {
                    std::fs::write(&path, text)
                        .with_context(|| format!("cannot write {}", path.display()))?;
                }
                // A reader that has enough is no failure.
                None => drop(std::io::stdout().write_all(text.as_bytes())),
            }
        }
        AuditCommand::Verify { file, expect_head } => {
            let verified = match file {
                Some(path) => of_file(&path, expect_head.as_deref()),
                None => of_server(client, expect_head.as_deref()).await,
            };
            return Ok(match verified {
                Ok(verified) => verified.show(client.json),
                Err(error) => {
                    eprintln!("error: the audit log was not verified: {error:#}");
                    ExitCode::from(NOT_READ)
                }
            });
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What a verification found.
struct Verified {
    rows: u64,
    last: Link,
    first_bad: Option<FirstBad>,
}

impl Verified {
    fn show(&self, as_json: bool) -> ExitCode {
        let mut answer = json!({
            "ok": self.first_bad.is_none(),
            "rows": self.rows,
            "head": { "seq": self.last.seq, "hash": to_hex(&self.last.hash) },
        });
        if let Some(bad) = &self.first_bad {
            answer["firstBad"] = json!({ "seq": bad.seq, "problem": bad.fault.as_str() });
            if let Some(id) = &bad.id {
                answer["firstBad"]["id"] = Value::from(id.as_str());
            }
        }
        if as_json {
            output::print_json(&answer);
        } else if let Some(bad) = &self.first_bad {
            out!("tampered: entry {} ({})", bad.seq, words(bad.fault));
        } else {
            out!("ok: {} entries, head {} {}", self.rows, self.last.seq, to_hex(&self.last.hash));
        }
        if self.first_bad.is_some() { ExitCode::from(TAMPERED) } else { ExitCode::SUCCESS }
    }
}

const fn words(fault: ChainFault) -> &'static str {
    match fault {
        ChainFault::Hash => "changed",
        ChainFault::Missing => "missing",
        ChainFault::Order => "does not follow the previous entry",
        ChainFault::Head => "not the expected last entry",
    }
}

fn hash_argument(text: Option<&str>) -> Result<Option<domain::audit::Hash>> {
    let read =
        |text: &str| from_hex(text).ok_or_else(|| anyhow!("--expect-head is not a SHA-256 in hexadecimal"));
    text.map(read).transpose()
}

/// Checks an export, line by line.
fn of_file(path: &Path, expect_head: Option<&str>) -> Result<Verified> {
    let expected = hash_argument(expect_head)?;
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut reader = BufReader::new(file);
    let mut check: Option<ChainCheck> = None;
    for number in 1.. {
        let mut line = String::new();
        let read = std::io::Read::take(&mut reader, LINE_BYTES_MAX).read_line(&mut line);
        if read.with_context(|| format!("cannot read line {number}"))? == 0 {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        let row: Map<String, Value> =
            serde_json::from_str(&line).with_context(|| format!("line {number} is not a JSON object"))?;
        let seal = seal_of(&row).ok_or_else(|| anyhow!("line {number} has no seq, prevHash and hash"))?;
        // An export begins behind what retention has removed.
        let start = Link { seq: seal.seq.saturating_sub(1), hash: seal.prev_hash };
        check.get_or_insert_with(|| ChainCheck::behind(start)).take(&seal, Some(&row));
    }
    let mut check = check.unwrap_or_else(|| ChainCheck::behind(Link::START));
    if let Some(expected) = &expected {
        check.expect_hash(expected);
    }
    Ok(Verified { rows: check.rows(), last: check.last(), first_bad: check.first_bad().cloned() })
}

/// Asks the server, part by part.
async fn of_server(client: &Client, expect_head: Option<&str>) -> Result<Verified> {
    let expected = hash_argument(expect_head)?;
    let (mut rows, mut path) = (0, "/v1/audit/verify".to_owned());
    loop {
        let answer = client.get(&path).await?;
        let part = Part::read(&answer).ok_or_else(|| anyhow!("the server's answer cannot be read"))?;
        rows += part.rows;
        if part.first_bad.is_some() {
            return Ok(Verified { rows, last: part.last, first_bad: part.first_bad });
        }
        if part.last.seq >= part.head_seq {
            let is_other = expected.is_some_and(|expected| expected != part.last.hash);
            let head = FirstBad { seq: part.last.seq, id: None, fault: ChainFault::Head };
            return Ok(Verified { rows, last: part.last, first_bad: is_other.then_some(head) });
        }
        path = format!("/v1/audit/verify?from={}", part.last.seq + 1);
    }
}

/// The server's answer for a part of the chain.
struct Part {
    rows: u64,
    last: Link,
    head_seq: u64,
    first_bad: Option<FirstBad>,
}

impl Part {
    fn read(answer: &Value) -> Option<Self> {
        let last = Link {
            seq: answer.pointer("/last/seq")?.as_u64()?,
            hash: from_hex(answer.pointer("/last/hash")?.as_str()?)?,
        };
        let first_bad = match answer.get("firstBad") {
            None | Some(Value::Null) => None,
            Some(bad) => Some(FirstBad {
                seq: bad.get("seq")?.as_u64()?,
                id: bad.get("id").and_then(Value::as_str).map(str::to_owned),
                fault: match bad.get("problem")?.as_str()? {
                    "hash" => ChainFault::Hash,
                    "missing" => ChainFault::Missing,
                    "order" => ChainFault::Order,
                    _ => ChainFault::Head,
                },
            }),
        };
        let head_seq = answer.pointer("/head/seq")?.as_u64()?;
        Some(Self { rows: answer.get("rows")?.as_u64()?, last, head_seq, first_bad })
    }
}
