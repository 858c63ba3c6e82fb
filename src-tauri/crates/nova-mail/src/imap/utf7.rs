//! Folder names in modified UTF-7 (RFC 3501, 5.1.3).

use base64::Engine;
use base64::alphabet::IMAP_MUTF7;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};

const BASE64: GeneralPurpose = GeneralPurpose::new(&IMAP_MUTF7, NO_PAD);

/// The decoded name; a malformed one is returned unchanged.
pub(super) fn decode(name: &str) -> String {
    let mut read = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('&') {
        read.push_str(before);
        let Some((encoded, after)) = after.split_once('-') else { return name.to_owned() };
        match encoded {
            "" => read.push('&'),
            encoded => {
                let Some(decoded) = letters(encoded) else { return name.to_owned() };
                read.push_str(&decoded);
            }
        }
        rest = after;
    }
    read + rest
}

fn letters(encoded: &str) -> Option<String> {
    let bytes = BASE64.decode(encoded).ok()?;
    let units: Vec<u16> = bytes.chunks_exact(2).map(|two| u16::from_be_bytes([two[0], two[1]])).collect();
    String::from_utf16(&units).ok()
}

pub(super) fn encode(name: &str) -> String {
    let mut spelled = String::new();
    let mut waiting: Vec<u8> = Vec::new();
    for c in name.chars().map(Some).chain([None]) {
        match c {
            Some(c) if !(' '..='~').contains(&c) => {
                waiting.extend(c.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_be_bytes()));
                continue;
            }
            _ if !waiting.is_empty() => {
                spelled.push_str(&format!("&{}-", BASE64.encode(&waiting)));
                waiting.clear();
            }
            _ => {}
        }
        match c {
            Some('&') => spelled.push_str("&-"),
            Some(c) => spelled.push(c),
            None => {}
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn names_are_decoded_and_encoded() {
        for (name, spelled) in [
            ("Entwürfe", "Entw&APw-rfe"),
            ("A & B", "A &- B"),
            ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
            ("📥", "&2D3c5Q-"),
            ("INBOX", "INBOX"),
        ] {
            assert_eq!((decode(spelled).as_str(), encode(name).as_str()), (name, spelled));
        }
    }

    #[test]
    fn malformed_name_is_unchanged() {
        for name in ["a&b", "&!-", "&2D0-", "&AP"] {
            assert_eq!(decode(name), name);
        }
    }
}
