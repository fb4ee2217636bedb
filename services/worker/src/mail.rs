//! Mail about alerts: one message to the mail server of the settings, on a connection of its own.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use engine::{AlertMail, AlertSender};
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use secrecy::{ExposeSecret, SecretString};

use crate::egress::{EgressClient, EgressError, EgressOptions, EgressRequest};

/// How long each command of the server may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(15);

/// How a connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailEncryption {
    /// By TLS that the server is asked for. One that has none gets no mail.
    Starttls,
    /// By TLS from the first byte.
    Tls,
    /// Not at all.
    None,
}

/// The mail server.
#[derive(Debug, Clone)]
pub struct MailOptions {
    /// Its name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is protected.
    pub encryption: MailEncryption,
    /// Who signs in, and with what.
    pub credentials: Option<(String, SecretString)>,
    /// The sender.
    pub from: String,
    /// Authorities of TLS beside those of the system, as PEM.
    pub authorities: Option<Vec<u8>>,
}

/// Why no mail can be sent at all.
#[derive(Debug, thiserror::Error)]
pub enum MailFault {
    /// The sender is none.
    #[error("smtp.from: expected an address such as Trunkline <jobs@example.com>")]
    From(#[source] lettre::address::AddressError),
    /// The certificates cannot be used.
    #[error("cannot use the settings smtp.* for TLS")]
    Tls(#[source] lettre::transport::smtp::Error),
}

/// Sends mail.
pub(crate) struct Mailer {
    from: Mailbox,
    transport: AsyncSmtpTransport<Tokio1Executor>,
}

impl fmt::Debug for Mailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailer").finish_non_exhaustive()
    }
}

impl Mailer {
    /// A mailer. Connects nothing yet.
    pub(crate) fn new(options: MailOptions) -> Result<Self, MailFault> {
        let from: Mailbox = options.from.parse().map_err(MailFault::From)?;
        let tls = match options.encryption {
            MailEncryption::None => Tls::None,
            MailEncryption::Starttls => Tls::Required(parameters(&options)?),
            MailEncryption::Tls => Tls::Wrapper(parameters(&options)?),
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&options.host)
            .port(options.port)
            .timeout(Some(COMMAND_TIMEOUT))
            .tls(tls);
        if let Some((user, password)) = options.credentials {
            builder = builder.credentials(Credentials::new(user, password.expose_secret().to_owned()));
        }
        Ok(Self { from, transport: builder.build() })
    }

    /// Sends a mail. Answers why it was not taken.
    pub(crate) async fn send(&self, mail: AlertMail) -> Result<(), String> {
        let message = self.message(mail)?;
        let sent = tokio::time::timeout(COMMAND_TIMEOUT * 2, self.transport.send(message)).await;
        match sent {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(with_causes(&error)),
            Err(_) => Err("the mail server took too long".to_owned()),
        }
    }

    fn message(&self, mail: AlertMail) -> Result<Message, String> {
        let AlertMail { id, to, subject, text } = mail;
        let mut builder = Message::builder()
            .from(self.from.clone())
            .subject(subject)
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .header(ContentType::TEXT_PLAIN);
        for address in to {
            let address = address.parse().map_err(|error| format!("{address}: {error}"))?;
            builder = builder.to(Mailbox::new(None, address));
        }
        builder.body(text).map_err(|error| error.to_string())
    }
}

fn parameters(options: &MailOptions) -> Result<TlsParameters, MailFault> {
    let mut builder = TlsParameters::builder(options.host.clone());
    if let Some(pem) = &options.authorities {
        builder = builder.add_root_certificate(Certificate::from_pem(pem).map_err(MailFault::Tls)?);
    }
    builder.build_rustls().map_err(MailFault::Tls)
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

// What carries notifications about alerts out of the process, within the rules of egress; mail goes to the
// server of the settings.

/// How long a receiver may take.
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);
/// How much of an answer is read; nobody looks at it.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Sends notifications over HTTP and by mail.
pub struct NotificationSender {
    http: EgressClient,
    mailer: Option<Mailer>,
}

impl NotificationSender {
    /// A sender with the rules of HTTP nodes.
    pub fn new(rules: EgressOptions) -> Result<Self, EgressError> {
        let options = EgressOptions {
            timeout: ANSWERS_WITHIN,
            response_bytes_max: ANSWER_BYTES_MAX,
            redirects_max: 0,
            tenants: Vec::new(),
            ..rules
        };
        Ok(Self { http: EgressClient::new(options)?, mailer: None })
    }

    /// The same with a mail server. Without one, routes of the type mail fail.
    pub fn with_mail(self, options: MailOptions) -> Result<Self, MailFault> {
        Ok(Self { mailer: Some(Mailer::new(options)?), ..self })
    }
}

#[async_trait]
impl AlertSender for NotificationSender {
    async fn post(&self, url: &str, headers: &[(&str, String)], body: String) -> Result<u16, String> {
        let url = Url::parse(url).map_err(|error| error.to_string())?;
        let mut all = HeaderMap::new();
        all.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| error.to_string())?;
            all.insert(name, HeaderValue::from_str(value).map_err(|error| error.to_string())?);
        }
        let request =
            EgressRequest { method: Method::POST, url, headers: all, body: Some(body.into_bytes()) };
        let answer = self.http.call(request, |_| true).await;
        answer.map(|answer| answer.status.as_u16()).map_err(|error| error.to_string())
    }

    async fn mail(&self, mail: AlertMail) -> Result<(), String> {
        match &self.mailer {
            Some(mailer) => mailer.send(mail).await,
            None => Err("there is no mail server: set smtp.host and smtp.from".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> MailOptions {
        MailOptions {
            host: "mail.example".to_owned(),
            port: 25,
            encryption: MailEncryption::Starttls,
            credentials: Some(("jobs".to_owned(), "s3cret".to_owned().into())),
            from: "Trunkline <jobs@example.com>".to_owned(),
            authorities: None,
        }
    }

    #[test]
    fn a_mail_has_the_same_id_on_each_try() {
        let mail = AlertMail {
            id: "ntf_1".to_owned(),
            to: vec!["a@x.example".to_owned(), "b@x.example".to_owned()],
            subject: "[FIRING, critical] häufig".to_owned(),
            text: "deep\n".to_owned(),
        };
        let mailer =
            Mailer::new(MailOptions { encryption: MailEncryption::None, ..options() }).expect("a mailer");
        let text = String::from_utf8(mailer.message(mail).expect("a mail").formatted()).expect("text");
        assert!(text.contains("Message-ID: <ntf_1@example.com>\r\n"), "{text}");
        assert!(text.contains("To: a@x.example, b@x.example\r\n"), "{text}");
        assert!(text.contains("=?utf-8?"), "the subject is encoded: {text}");
        assert!(!format!("{:?}", options()).contains("s3cret"));
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let from = MailOptions { from: "nobody".to_owned(), ..options() };
        assert!(matches!(Mailer::new(from), Err(MailFault::From(_))));
        let pem = Some(b"-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n".to_vec());
        assert!(matches!(Mailer::new(MailOptions { authorities: pem, ..options() }), Err(MailFault::Tls(_))));
    }
}
