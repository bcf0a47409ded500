//! `iconv`.

mod likeness;
mod tables;

use super::options::{Spec, Value, parse};
use super::text::decode;
use super::{Call, reason};
use likeness::transliterated;
use tables::TABLES;

const OPTIONS: &[Spec] = &[
    Spec('c', "", Value::None),
    Spec('f', "from-code", Value::Required),
    Spec('l', "list", Value::None),
    Spec('o', "output", Value::Required),
    Spec('s', "silent", Value::None),
    Spec('t', "to-code", Value::Required),
    Spec('\0', "verbose", Value::None),
];

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Little,
    Big,
    /// As a mark at the beginning says; written little-endian after one.
    Marked,
}

#[derive(Clone, Copy)]
enum Set {
    Ascii,
    Utf8,
    Utf16(Order),
    Utf32(Order),
    Latin1,
    /// What the bytes of the upper half stand for.
    Table([char; 128]),
}

/// Those that are no tables: names, the first of which are the usual ones.
const SETS: &[(&[&str], Set)] = &[
    (&["ASCII", "US-ASCII", "ANSI_X3.4-1968", "646"], Set::Ascii),
    (&["UTF-8", "UTF8"], Set::Utf8),
    (&["UTF-16", "UTF16"], Set::Utf16(Order::Marked)),
    (&["UTF-16LE", "UTF16LE", "UCS-2", "UCS-2LE"], Set::Utf16(Order::Little)),
    (&["UTF-16BE", "UTF16BE", "UCS-2BE"], Set::Utf16(Order::Big)),
    (&["UTF-32", "UTF32"], Set::Utf32(Order::Marked)),
    (&["UTF-32LE", "UCS-4LE"], Set::Utf32(Order::Little)),
    (&["UTF-32BE", "UCS-4"], Set::Utf32(Order::Big)),
    (&["ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN1", "LATIN-1", "L1"], Set::Latin1),
];

fn named(name: &str) -> Option<Set> {
    if name.is_empty() {
        return Some(Set::Utf8);
    }
    let is_one_of = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let set = SETS.iter().find(|(names, _)| is_one_of(names)).map(|(_, set)| *set);
    set.or_else(|| TABLES.iter().find(|table| is_one_of(table.names)).map(|table| Set::Table(upper_half(table.upper))))
}

/// What the bytes from 0x80 on stand for. @param last What the last of them do.
fn upper_half(last: &str) -> [char; 128] {
    let mut letters = std::array::from_fn(|at| char::from(0x80 + at as u8));
    letters.iter_mut().rev().zip(last.chars().rev()).for_each(|(letter, own)| *letter = own);
    letters
}

/// Where nothing else is named.
pub fn reads_input(args: &[String]) -> bool {
    parse(args, OPTIONS).is_ok_and(|options| options.operands.is_empty() && !options.has("l"))
}

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&format!("{problem}\nTry `iconv --help' or `iconv --usage' for more information."));
            return 64;
        }
    };
    if options.has("l") {
        let names = SETS.iter().map(|(names, _)| *names).chain(TABLES.iter().map(|table| table.names));
        names.flatten().for_each(|name| call.out.push_str(&format!("{name}//\n")));
        return 0;
    }
    let mut parts = options.value("t").unwrap_or_default().split("//");
    let (to_name, suffixes): (&str, Vec<String>) =
        (parts.next().unwrap_or_default(), parts.map(str::to_ascii_uppercase).collect());
    let from_name = options.value("f").unwrap_or_default().split("//").next().unwrap_or_default();
    let (Some(from), Some(to)) = (named(from_name), named(to_name)) else {
        let what = match (named(from_name), named(to_name)) {
            (None, None) => format!("conversions from `{from_name}' and to `{to_name}' are not supported"),
            (None, _) => format!("conversion from `{from_name}' is not supported"),
            _ => format!("conversion to `{to_name}' is not supported"),
        };
        call.complain(&format!("{what}\nTry `iconv --help' or `iconv --usage' for more information."));
        return 1;
    };
    let ignores = suffixes.iter().any(|suffix| suffix == "IGNORE");
    let mut conversion = Conversion {
        from,
        to,
        transliterates: suffixes.iter().any(|suffix| suffix == "TRANSLIT"),
        leaves_out: options.has("c") || ignores,
        has_left_out: false,
        out: Vec::new(),
    };
    let input = ["-".to_string()];
    let names = if options.operands.is_empty() { &input[..] } else { &options.operands[..] };
    let mut code = 0;
    for name in names {
        let bytes = match call.read(name) {
            Ok(bytes) => bytes,
            Err(error) => {
                call.complain(&format!("cannot open input file `{name}': {}", reason(&error)));
                code = 1;
                continue;
            }
        };
        if let Err(problem) = conversion.convert(&bytes) {
            call.complain(&problem);
            code = 1;
            break;
        }
    }
    // With -c that is what was asked for.
    code = code.max(i32::from(conversion.has_left_out && !options.has("c")));
    match options.value("o") {
        Some(name) => {
            if let Err(error) = std::fs::write(call.path(name), &conversion.out) {
                call.complain(&format!("unable to open output file: {}", reason(&error)));
                code = 1;
            }
        }
        None => call.out = decode(&conversion.out),
    }
    code
}

struct Conversion {
    from: Set,
    to: Set,
    transliterates: bool,
    /// What can't be converted.
    leaves_out: bool,
    has_left_out: bool,
    out: Vec<u8>,
}

impl Conversion {
    fn convert(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (mut at, from) = self.begin(bytes);
        while at < bytes.len() {
            let (letter, length) = match read(from, &bytes[at..]) {
                Read::Letter(letter, length) => (Some(letter), length),
                Read::Wrong(length) => (None, length),
                Read::Incomplete => {
                    return Err("incomplete character or shift sequence at end of buffer".to_string());
                }
            };
            let written = letter.is_some_and(|letter| self.write(letter));
            if !written && !self.leaves_out {
                return Err(format!("illegal input sequence at position {at}"));
            }
            self.has_left_out |= !written;
            at += length;
        }
        Ok(())
    }

    /// Looks at a mark of the order of bytes, and writes one. @returns where the text begins, and what it is in.
    fn begin(&mut self, bytes: &[u8]) -> (usize, Set) {
        let begun = match self.from {
            Set::Utf16(Order::Marked) if bytes.starts_with(&[0xfe, 0xff]) => (2, Set::Utf16(Order::Big)),
            Set::Utf16(Order::Marked) => {
                (if bytes.starts_with(&[0xff, 0xfe]) { 2 } else { 0 }, Set::Utf16(Order::Little))
            }
            Set::Utf32(Order::Marked) if bytes.starts_with(&[0, 0, 0xfe, 0xff]) => (4, Set::Utf32(Order::Big)),
            Set::Utf32(Order::Marked) => {
                (if bytes.starts_with(&[0xff, 0xfe, 0, 0]) { 4 } else { 0 }, Set::Utf32(Order::Little))
            }
            set => (0, set),
        };
        if self.out.is_empty() && matches!(self.to, Set::Utf16(Order::Marked) | Set::Utf32(Order::Marked)) {
            self.write('\u{feff}');
        }
        begun
    }

    /// @returns whether there is such a character there.
    fn write(&mut self, letter: char) -> bool {
        if encode(self.to, letter, &mut self.out) {
            return true;
        }
        let Some(other) = self.transliterates.then(|| transliterated(letter)) else {
            return false;
        };
        for letter in other.chars() {
            if !encode(self.to, letter, &mut self.out) {
                self.out.push(b'?');
            }
        }
        true
    }
}

enum Read {
    Letter(char, usize),
    /// So many bytes that are nothing.
    Wrong(usize),
    Incomplete,
}

fn read(set: Set, bytes: &[u8]) -> Read {
    let letter = |value: u32, length: usize| char::from_u32(value).map_or(Read::Wrong(length), |letter| Read::Letter(letter, length));
    match set {
        Set::Ascii if bytes[0] < 0x80 => Read::Letter(char::from(bytes[0]), 1),
        Set::Ascii => Read::Wrong(1),
        Set::Latin1 => Read::Letter(char::from(bytes[0]), 1),
        Set::Table(upper) => match bytes[0] {
            byte @ 0..0x80 => Read::Letter(char::from(byte), 1),
            byte => match upper[usize::from(byte - 0x80)] {
                '\u{fffd}' => Read::Wrong(1),
                found => Read::Letter(found, 1),
            },
        },
        Set::Utf8 => {
            let first = bytes[..bytes.len().min(4)].utf8_chunks().next().map_or("", |chunk| chunk.valid()).chars().next();
            let wrong = || std::str::from_utf8(bytes).err().and_then(|error| error.error_len());
            match first {
                Some(found) => Read::Letter(found, found.len_utf8()),
                None => wrong().map_or(Read::Incomplete, Read::Wrong),
            }
        }
        Set::Utf16(order) => {
            let unit = |at: usize| Some(value(order, bytes.get(at..at + 2)?));
            match (unit(0), unit(2)) {
                (None, _) => Read::Incomplete,
                (Some(high @ 0xd800..0xdc00), Some(low @ 0xdc00..0xe000)) => {
                    letter(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 4)
                }
                (Some(0xd800..0xdc00), None) => Read::Incomplete,
                (Some(unit), _) => letter(unit, 2),
            }
        }
        Set::Utf32(order) => bytes.get(..4).map_or(Read::Incomplete, |four| letter(value(order, four), 4)),
    }
}

fn value(order: Order, bytes: &[u8]) -> u32 {
    let joined = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
    if order == Order::Big { bytes.iter().fold(0, joined) } else { bytes.iter().rev().fold(0, joined) }
}

/// @returns whether there is such a character in a set.
fn encode(set: Set, letter: char, out: &mut Vec<u8>) -> bool {
    let ordered = |order: Order, mut bytes: Vec<u8>| {
        if order != Order::Big {
            bytes.reverse();
        }
        bytes
    };
    match set {
        Set::Ascii | Set::Table(_) if letter.is_ascii() => out.push(letter as u8),
        Set::Ascii => return false,
        Set::Latin1 => match u8::try_from(u32::from(letter)) {
            Ok(byte) => out.push(byte),
            Err(_) => return false,
        },
        Set::Table(upper) => match upper.iter().position(|known| *known == letter && letter != '\u{fffd}') {
            Some(at) => out.push(0x80 + at as u8),
            None => return false,
        },
        Set::Utf8 => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        Set::Utf16(order) => {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                out.extend(ordered(order, unit.to_be_bytes().to_vec()));
            }
        }
        Set::Utf32(order) => out.extend(ordered(order, u32::from(letter).to_be_bytes().to_vec())),
    }
    true
}
