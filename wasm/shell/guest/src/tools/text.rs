//! Text with bytes in it that are no UTF-8: characters of their own meanwhile, at the end of the last private plane, as the shell
//! has them in its variables and arguments.

const ESCAPES: u32 = 0x10_ff00;

fn escaped(byte: u8) -> char {
    char::from_u32(ESCAPES + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn is_escape(character: char) -> bool {
    u32::from(character) >= ESCAPES + 0x80
}

pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_escape(character) {
                text.extend(character.encode_utf8(&mut [0; 4]).bytes().map(escaped));
            } else {
                text.push(character);
            }
        }
        text.extend(chunk.invalid().iter().copied().map(escaped));
    }
    text
}

/// Without a copy of what is text as it is.
pub fn decode_owned(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) if !text.chars().any(is_escape) => text,
        Ok(text) => decode(text.as_bytes()),
        Err(error) => decode(error.as_bytes()),
    }
}

pub fn encode(text: String) -> Vec<u8> {
    if !text.chars().any(is_escape) {
        return text.into_bytes();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        if is_escape(character) {
            bytes.push((u32::from(character) & 0xff) as u8);
        } else {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    bytes
}
