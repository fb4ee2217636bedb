//! What carries notifications about alerts out of the process, within the rules of egress; mail goes to the
//! server of the settings.

use std::time::Duration;

use async_trait::async_trait;
use engine::{AlertMail, AlertSender};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};

use crate::egress::{EgressClient, EgressError, EgressOptions, EgressRequest};
use crate::mail::{MailFault, MailOptions, Mailer};

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
