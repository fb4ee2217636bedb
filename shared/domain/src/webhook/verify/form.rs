//! Forms (`application/x-www-form-urlencoded`), read to bytes: text would make different bytes the same.

/// The fields in order, decoded.
pub(in crate::webhook) fn form_fields(body: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    body.split(|byte| *byte == b'&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let cut = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
            (decode(&pair[..cut]), decode(pair.get(cut + 1..).unwrap_or_default()))
        })
        .collect()
}

/// Names and values as Twilio signs them: sorted by name and then by value, equal ones once.
pub(super) fn sorted_fields(body: &[u8]) -> Vec<Vec<u8>> {
    let mut fields = form_fields(body);
    fields.sort();
    fields.dedup();
    fields.into_iter().flat_map(|(name, value)| [name, value]).collect()
}

fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let escaped = if byte == b'%' { text.get(at + 1..at + 3).and_then(hex_pair) } else { None };
        at += if escaped.is_some() { 3 } else { 1 };
        bytes.push(match (escaped, byte) {
            (Some(escaped), _) => escaped,
            (None, b'+') => b' ',
            (None, other) => other,
        });
    }
    bytes
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let mut byte = [0];
    hex::decode_to_slice(pair, &mut byte).ok()?;
    Some(byte[0])
}
