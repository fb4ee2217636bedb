//! Mail about alerts, taken by a mail server of the test: what is not taken is sent again, as the same mail.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::harness::{Client, Database, Server, on_both_databases, until};

on_both_databases!(a_mail_is_sent_until_it_is_taken, a_server_without_tls_gets_no_mail);

const DEADLINE: Duration = Duration::from_mins(1);

/// A mail as it came in.
#[derive(Debug, Clone)]
struct Mail {
    recipients: Vec<String>,
    text: String,
}

/// A mail server that has no room for the first mail.
struct Sink {
    port: u16,
    mails: Arc<Mutex<Vec<Mail>>>,
}

impl Sink {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("it is bound").port();
        let mails = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&mails);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("it listens");
                tokio::spawn(session(stream, Arc::clone(&kept)));
            }
        });
        Self { port, mails }
    }

    fn mails(&self) -> Vec<Mail> {
        self.mails.lock().expect("nobody panics").clone()
    }
}

/// One session of SMTP. Ends with its connection.
async fn session(stream: TcpStream, mails: Arc<Mutex<Vec<Mail>>>) -> std::io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    let mut recipients = Vec::new();
    write.write_all(b"220 sink.example\r\n").await?;
    while let Some(line) = lines.next_line().await? {
        let verb = line.to_ascii_uppercase();
        let answer = if verb.starts_with("EHLO") {
            "250-sink.example\r\n250 8BITMIME\r\n"
        } else if verb.starts_with("DATA") {
            write.write_all(b"354 go on\r\n").await?;
            let mut text = String::new();
            while let Some(line) = lines.next_line().await? {
                if line == "." {
                    break;
                }
                text.push_str(&line);
                text.push('\n');
            }
            let mut mails = mails.lock().expect("nobody panics");
            mails.push(Mail { recipients: std::mem::take(&mut recipients), text });
            if mails.len() == 1 { "452 no room now\r\n" } else { "250 taken\r\n" }
        } else if verb.starts_with("QUIT") {
            "221 bye\r\n"
        } else {
            if verb.starts_with("RCPT") {
                recipients.push(line["RCPT TO:".len()..].trim_matches(['<', '>', ' ']).to_owned());
            }
            "250 fine\r\n"
        };
        write.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

async fn server(database: &Database, sink: &Sink, encryption: &str) -> Server {
    let port = sink.port.to_string();
    let variables = [
        ("TRUNKLINE_SMTP__HOST", "127.0.0.1"),
        ("TRUNKLINE_SMTP__PORT", port.as_str()),
        ("TRUNKLINE_SMTP__ENCRYPTION", encryption),
        ("TRUNKLINE_SMTP__FROM", "Trunkline <jobs@trunkline.example>"),
        ("TRUNKLINE_ALERTS__BACKOFF__INITIAL", "1s"),
    ];
    Server::start_with(database, &variables).await
}

async fn test_of_a_route(client: &Client) -> String {
    let route = json!({"type": "mail", "to": ["ops@example.com", "lead@example.com"]});
    let made = client.put("/v1/alerts/routes/on-call", &route).await;
    assert_eq!(made["to"], route["to"], "{made}");
    let sent = client.call(reqwest::Method::POST, "/v1/alerts/routes/on-call/test").done().await;
    sent["id"].as_str().expect("an id").to_owned()
}

async fn a_mail_is_sent_until_it_is_taken(database: Database) {
    let sink = Sink::open().await;
    let server = server(&database, &sink, "none").await;
    let client = server.client();
    let id = test_of_a_route(&client).await;
    until("it is taken", DEADLINE, || async { (sink.mails().len() == 2).then_some(()) }).await;
    let sent = until("it is known to be sent", DEADLINE, || async {
        client.all("/v1/alerts/notifications?status=sent").await.pop()
    })
    .await;
    assert_eq!((&sent["id"], &sent["tries"]), (&json!(id), &json!(2)), "{sent}");
    for mail in sink.mails() {
        assert_eq!(mail.recipients, ["ops@example.com", "lead@example.com"]);
        for line in [
            "Subject: [TEST, warning] A test of this route.".to_owned(),
            "To: ops@example.com, lead@example.com".to_owned(),
            "Rule: test".to_owned(),
            format!("Message-ID: <{id}@trunkline.example>"),
        ] {
            assert!(mail.text.lines().any(|known| known == line), "{line} in {}", mail.text);
        }
        assert!(
            mail.text.contains("From: ") && mail.text.contains("<jobs@trunkline.example>"),
            "{}",
            mail.text
        );
    }
}

async fn a_server_without_tls_gets_no_mail(database: Database) {
    let sink = Sink::open().await;
    let server = server(&database, &sink, "starttls").await;
    let client = server.client();
    test_of_a_route(&client).await;
    let failing = until("the try failed", DEADLINE, || async {
        let pending = client.all("/v1/alerts/notifications?status=pending").await.pop();
        pending.filter(|notification| notification["error"].is_string())
    })
    .await;
    assert!(failing["tries"].as_u64() >= Some(1), "{failing}");
    assert!(sink.mails().is_empty(), "nothing is sent in clear text");
    let refused = client
        .call(reqwest::Method::PUT, "/v1/alerts/routes/other")
        .json(&json!({"type": "mail", "to": ["nobody"]}))
        .answer()
        .await;
    refused.problem(422);
}
