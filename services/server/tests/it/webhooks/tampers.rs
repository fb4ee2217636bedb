//! What can be done to a signed request on its way. None of it may be let in.

use reqwest::Method;

use super::sender::Delivery;
use super::signers::Case;

/// More signatures than anyone sends.
const MANY: usize = 17;

/// More bytes than a header of a signature may have.
const LARGE: usize = 9 * 1024;

/// A changed request.
#[derive(Debug)]
pub(super) struct Tampered {
    pub(super) why: String,
    pub(super) delivery: Delivery,
    pub(super) status: u16,
    pub(super) word: &'static str,
}

impl Tampered {
    fn unsigned(why: impl Into<String>, delivery: Delivery) -> Self {
        Self { why: why.into(), delivery, status: 401, word: "signature" }
    }

    fn malformed(why: impl Into<String>, delivery: Delivery) -> Self {
        Self { why: why.into(), delivery, status: 400, word: "malformed" }
    }
}

/// The genuine request, changed in every way.
pub(super) fn tampered(case: &Case) -> Vec<Tampered> {
    let genuine = case.delivery(&case.accepted);
    let mut all = headers(case, &genuine);
    all.extend(signatures(case, &genuine));
    // A plain token signs nothing: whoever has it may send any body.
    if case.signature != "X-Gitlab-Token" {
        all.extend(bodies(&genuine));
    }
    if ["twilio", "hubspot"].contains(&case.endpoint["provider"].as_str().unwrap_or_default()) {
        let query = case.query.as_ref().map_or("x=1".to_owned(), |query| format!("x=1&{query}"));
        let delivery = Delivery { query: Some(query), ..genuine.clone() };
        all.push(Tampered::unsigned("another query than the signed one", delivery));
    }
    let delivery = Delivery { method: Method::GET, ..genuine };
    all.push(Tampered { why: "GET".to_owned(), delivery, status: 405, word: "method" });
    all
}

fn bodies(genuine: &Delivery) -> Vec<Tampered> {
    let with = |why: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut delivery = genuine.clone();
        change(&mut delivery.body);
        Tampered::unsigned(why, delivery)
    };
    vec![
        with("a bit of the first byte", &|body| body[0] ^= 1),
        with("a bit in the middle", &|body| {
            let middle = body.len() / 2;
            body[middle] ^= 1;
        }),
        with("a bit of the last byte", &|body| *body.last_mut().expect("a body") ^= 1),
        with("a byte more", &|body| body.push(b' ')),
        with("a byte less", &|body| body.truncate(body.len() - 1)),
        with("no body", &Vec::clear),
    ]
}

fn headers(case: &Case, genuine: &Delivery) -> Vec<Tampered> {
    let mut all = Vec::new();
    for name in &case.needed {
        let value = genuine.header(name);
        all.push(Tampered::unsigned(format!("no {name}"), genuine.clone().without(name)));
        all.push(Tampered::unsigned(format!("an empty {name}"), genuine.clone().with_other(name, "")));
        all.push(Tampered::unsigned(
            format!("another {name}"),
            genuine.clone().with_other(name, &other(value)),
        ));
        all.push(Tampered::malformed(format!("{name} twice"), genuine.clone().with(name, value)));
        let upper = name.to_uppercase();
        all.push(Tampered::malformed(
            format!("{name} twice, differently"),
            genuine.clone().with(&upper, "1"),
        ));
        let large = format!("{value}{}", "0".repeat(LARGE));
        all.push(Tampered {
            why: format!("{name} of 9 KiB"),
            delivery: genuine.clone().with_other(name, &large),
            status: 431,
            word: "header_too_large",
        });
    }
    all
}

fn signatures(case: &Case, genuine: &Delivery) -> Vec<Tampered> {
    let name = &case.signature;
    let value = genuine.header(name);
    let with = |value: &str| genuine.clone().with_other(name, value);
    let mut all = vec![
        Tampered::unsigned("a signature that ends early", with(&value[..value.len() - 2])),
        Tampered::unsigned("no signature at all", with("!")),
        Tampered::unsigned("a signature of zeros", with(&"0".repeat(64))),
    ];
    let Some(separator) = &case.separator else {
        let many = vec![value; MANY].join(",");
        all.push(Tampered::unsigned("a list where there is none", with(&many)));
        return all;
    };
    let mut items: Vec<&str> = value.split(separator.as_str()).collect();
    let signature = items.pop().expect("a signature");
    items.extend([signature; MANY]);
    all.push(Tampered::malformed("17 signatures", with(&items.join(separator))));
    all
}

/// The value with its middle changed to something of the same alphabet.
fn other(value: &str) -> String {
    let middle = value.len() / 2;
    let changed = if value.as_bytes()[middle] == b'0' { "1" } else { "0" };
    format!("{}{changed}{}", &value[..middle], &value[middle + 1..])
}
