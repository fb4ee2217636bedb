//! Paths of the REST interface. Every part that comes from outside is one segment, whatever it holds.

use std::fmt::Write as _;

use domain::id::{Id, Kind};

/// A path below `/v1` out of segments that can be displayed: `api_path!("jobs", id, "why")`.
macro_rules! api_path {
    ($($segment:expr),+ $(,)?) => {
        $crate::client::path_of(&[$($segment.to_string()),+])
    };
}

pub(crate) use api_path;

/// A path below `/v1`, with every segment percent-encoded.
pub(crate) fn path_of(segments: &[String]) -> String {
    segments.iter().fold("/v1".to_owned(), |mut path, segment| {
        path.push('/');
        path.push_str(&encoded(segment));
        path
    })
}

/// A text as one segment of a path. Clients resolve `.` and `..`, percent-encoded as well, so these are encoded once more:
/// nothing on a server has such a name.
fn encoded(text: &str) -> String {
    if matches!(text, "." | "..") {
        return text.replace('.', "%252E");
    }
    text.bytes().fold(String::with_capacity(text.len()), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

/// Reads an id of one kind from the command line, so that one of another kind is refused before anything is sent.
pub(crate) fn id<K: Kind>(text: &str) -> Result<String, String> {
    let id = Id::<K>::parse(text).map(|id| id.to_string());
    id.ok_or_else(|| format!("expected an ID: {}_ and 32 hex digits", K::PREFIX))
}

#[cfg(test)]
mod tests {
    use domain::id::{JobKind, ScheduleKind};

    use super::*;

    #[test]
    fn a_part_from_outside_stays_one_segment() {
        assert_eq!(api_path!("signals", "a b/c?d#e"), "/v1/signals/a%20b%2Fc%3Fd%23e");
        assert_eq!(api_path!("webhooks", "../schedules/x"), "/v1/webhooks/..%2Fschedules%2Fx");
        assert_eq!(api_path!("workflows", "ä", 7), "/v1/workflows/%C3%A4/7");
        for text in [".", "..", "%2e%2e"] {
            let url = format!("http://server{}", api_path!("webhooks", text, "test"));
            let parsed = reqwest::Url::parse(&url).expect("a URL");
            assert_eq!(parsed.path_segments().expect("segments").count(), 4, "{text} is a segment: {parsed}");
        }
    }

    #[test]
    fn an_id_of_another_kind_is_refused() {
        let text = "job_0193456789ab7def8123456789abcdef";
        assert_eq!(id::<JobKind>(text).expect("an id"), text);
        assert!(id::<ScheduleKind>(text).expect_err("a job's").contains("sch_"));
        assert!(id::<JobKind>("../schedules/sch_0193456789ab7def8123456789abcdef").is_err());
    }
}
