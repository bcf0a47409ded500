//! What `hexdump` shows, as its formats say it: `"%07.7_ax " 8/2 "%04x " "\n"`.

use super::text;

/// Largest block: a line of that many bytes.
const BLOCK_MAX: usize = 64 << 10;

/// Bytes that are shown together.
pub struct Block {
    pub address: u64,
    pub bytes: Vec<u8>,
}

#[derive(Clone)]
enum Shown {
    Text(Vec<u8>),
    Value { flags: Flags, kind: Kind, size: usize },
}

#[derive(Clone, Copy, Default)]
struct Flags {
    left: bool,
    zeros: bool,
    sign: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// In which base.
    Address(char),
    EndAddress(char),
    Escaped,
    Printable,
    Named,
    Byte,
    Signed,
    Unsigned(char),
    Float(char),
    Text,
}

/// A unit: how often it is shown, and what.
struct Unit {
    times: usize,
    /// Whether that was said.
    counted: bool,
    shown: Vec<Shown>,
}

impl Unit {
    fn size(&self) -> usize {
        self.shown.iter().map(|shown| if let Shown::Value { size, .. } = shown { *size } else { 0 }).sum()
    }
}

pub struct Format(Vec<Unit>);

/// How many bytes are shown together. The last unit of a format is shown as often as it takes.
pub fn block_size(formats: &mut [Format]) -> Result<usize, String> {
    let own = |format: &Format| format.0.iter().map(|unit| unit.times.saturating_mul(unit.size())).fold(0, usize::saturating_add);
    let size = formats.iter().map(own).max().unwrap_or(0);
    if size > BLOCK_MAX {
        return Err(format!("a line may have {BLOCK_MAX} bytes"));
    }
    if size == 0 {
        return Err("no format takes any bytes".into());
    }
    for format in formats {
        let rest = size - own(format);
        if let Some(last) = format.0.last_mut()
            && !last.counted
            && last.size() > 0
        {
            last.times += rest / last.size();
        }
    }
    Ok(size)
}

impl Format {
    pub fn parse(source: &str) -> Result<Self, String> {
        let bad = || format!("bad format {{{source}}}");
        let mut units = Vec::new();
        let mut rest = source.trim_start();
        while !rest.is_empty() {
            let digits = |text: &str| text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
            let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number <= BLOCK_MAX).ok_or_else(bad);
            let mut times = None;
            let mut size = None;
            let end = digits(rest);
            if end > 0 {
                times = Some(number(&rest[..end])?);
                rest = rest[end..].trim_start();
            }
            if let Some(after) = rest.strip_prefix('/') {
                let after = after.trim_start();
                let end = digits(after);
                size = Some(number(&after[..end])?);
                rest = after[end..].trim_start();
            }
            let after = rest.strip_prefix('"').ok_or_else(bad)?;
            let end = after.find('"').ok_or_else(bad)?;
            units.push(Unit { times: times.unwrap_or(1), counted: times.is_some(), shown: shown(&after[..end], size).ok_or_else(bad)? });
            rest = after[end + 1..].trim_start();
        }
        Ok(Format(units))
    }

    pub fn print(&self, block: &Block, out: &mut Vec<u8>) {
        let mut at = 0;
        if self.0.iter().any(Unit::is_end) {
            return;
        }
        for unit in &self.0 {
            for time in 0..unit.times {
                let last = unit.times > 1 && time + 1 == unit.times;
                for (index, shown) in unit.shown.iter().enumerate() {
                    match shown {
                        Shown::Text(text) => {
                            // What stands between is not there after the last.
                            let ends = last && index + 1 == unit.shown.len();
                            out.extend_from_slice(if ends { text.trim_ascii_end() } else { text });
                        }
                        Shown::Value { flags, kind, size } => {
                            value(block, at, *flags, *kind, *size, out);
                            at += size;
                        }
                    }
                }
            }
        }
    }

    /// What stands at the end of all.
    pub fn print_end(&self, block: &Block, out: &mut Vec<u8>) {
        for unit in self.0.iter().filter(|unit| unit.is_end()) {
            for shown in &unit.shown {
                match shown {
                    Shown::Text(text) => out.extend_from_slice(text),
                    Shown::Value { flags, kind: Kind::EndAddress(base), .. } => padded(*flags, &based(block.address, *base), out),
                    Shown::Value { .. } => {}
                }
            }
        }
    }
}

impl Unit {
    fn is_end(&self) -> bool {
        self.shown.iter().any(|shown| matches!(shown, Shown::Value { kind: Kind::EndAddress(_), .. }))
    }
}

/// What is between the quotes of a unit.
fn shown(source: &str, given: Option<usize>) -> Option<Vec<Shown>> {
    let mut all = Vec::new();
    let mut plain = String::new();
    let mut letters = source.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.push(match letters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'a' => '\x07',
                'b' => '\x08',
                'f' => '\x0c',
                'v' => '\x0b',
                '0' => '\0',
                other => other,
            }),
            '%' if letters.peek() == Some(&'%') => {
                letters.next();
                plain.push('%');
            }
            '%' => {
                if !plain.is_empty() {
                    all.push(Shown::Text(text::encode(std::mem::take(&mut plain))));
                }
                let mut flags = Flags::default();
                while let Some(&flag) = letters.peek() {
                    match flag {
                        '-' => flags.left = true,
                        '0' => flags.zeros = true,
                        '+' => flags.sign = true,
                        ' ' => flags.space = true,
                        '#' => flags.alternate = true,
                        _ => break,
                    }
                    letters.next();
                }
                flags.width = digits(&mut letters)?.unwrap_or(0);
                if letters.peek() == Some(&'.') {
                    letters.next();
                    flags.precision = Some(digits(&mut letters)?.unwrap_or(0));
                }
                let (kind, size) = match letters.next()? {
                    'c' => (Kind::Byte, 1),
                    'd' | 'i' => (Kind::Signed, given.unwrap_or(4)),
                    base @ ('o' | 'u' | 'x' | 'X') => (Kind::Unsigned(base), given.unwrap_or(4)),
                    form @ ('e' | 'E' | 'f' | 'g' | 'G') => (Kind::Float(form), given.unwrap_or(8)),
                    's' => (Kind::Text, given.or(flags.precision)?),
                    '_' => match letters.next()? {
                        'a' => (Kind::Address(base(letters.next()?)?), 0),
                        'A' => (Kind::EndAddress(base(letters.next()?)?), 0),
                        'c' => (Kind::Escaped, 1),
                        'p' => (Kind::Printable, 1),
                        'u' => (Kind::Named, 1),
                        _ => return None,
                    },
                    _ => return None,
                };
                let fits = match kind {
                    Kind::Signed | Kind::Unsigned(_) => [1, 2, 4, 8].contains(&size),
                    Kind::Float(_) => [4, 8].contains(&size),
                    Kind::Byte | Kind::Escaped | Kind::Printable | Kind::Named => given.is_none_or(|given| given == 1),
                    _ => true,
                };
                if !fits {
                    return None;
                }
                all.push(Shown::Value { flags, kind, size });
            }
            letter => plain.push(letter),
        }
    }
    if !plain.is_empty() {
        all.push(Shown::Text(text::encode(plain)));
    }
    // Bytes may be passed over without being shown.
    let sized = all.iter().any(|shown| matches!(shown, Shown::Value { .. }));
    if let (Some(size), false) = (given, sized) {
        all.push(Shown::Value { flags: Flags { precision: Some(0), ..Flags::default() }, kind: Kind::Text, size });
    }
    Some(all)
}

fn base(letter: char) -> Option<char> {
    ['d', 'o', 'x'].contains(&letter).then_some(letter)
}

fn digits(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Option<usize>> {
    let mut number = None;
    while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(10)) {
        number = Some(number.unwrap_or(0) * 10 + digit as usize);
        if number > Some(256) {
            return None;
        }
        letters.next();
    }
    Some(number)
}

fn based(value: u64, base: char) -> String {
    match base {
        'o' => format!("{value:o}"),
        'x' => format!("{value:x}"),
        'X' => format!("{value:X}"),
        _ => value.to_string(),
    }
}

fn padded(flags: Flags, digits: &str, out: &mut Vec<u8>) {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let sign = if sign.is_empty() && flags.sign { "+" } else if sign.is_empty() && flags.space { " " } else { sign };
    let least = if flags.zeros && !flags.left && flags.precision.is_none() {
        flags.width.saturating_sub(sign.len())
    } else {
        flags.precision.unwrap_or(0)
    };
    let text = format!("{sign}{digits:0>least$}");
    let width = flags.width;
    let text = if flags.left { format!("{text:<width$}") } else { format!("{text:>width$}") };
    out.extend_from_slice(text.as_bytes());
}

fn value(block: &Block, at: usize, flags: Flags, kind: Kind, size: usize, out: &mut Vec<u8>) {
    if let Kind::Address(base) = kind {
        return padded(flags, &based(block.address + at as u64, base), out);
    }
    let width = flags.width;
    let word = |text: &str, out: &mut Vec<u8>| {
        let text = if flags.left { format!("{text:<width$}") } else { format!("{text:>width$}") };
        out.extend_from_slice(text.as_bytes());
    };
    if at >= block.bytes.len() {
        return word("", out);
    }
    let mut bytes = [0; 8];
    let there = &block.bytes[at..(at + size).min(block.bytes.len())];
    bytes[..there.len().min(8)].copy_from_slice(&there[..there.len().min(8)]);
    let number = u64::from_le_bytes(bytes);
    let byte = bytes[0];
    match kind {
        Kind::Unsigned(base) => {
            let prefix = match (flags.alternate, base) {
                (true, 'x') if number > 0 => "0x",
                (true, 'X') if number > 0 => "0X",
                (true, 'o') => "0",
                _ => "",
            };
            padded(flags, &format!("{prefix}{}", based(number, base)), out);
        }
        Kind::Signed => {
            let shift = 64 - 8 * size as u32;
            padded(flags, &(((number << shift) as i64) >> shift).to_string(), out);
        }
        Kind::Float(form) => {
            let number = if size == 4 { f64::from(f32::from_bits(number as u32)) } else { f64::from_bits(number) };
            word(&float(number, form, flags.precision.unwrap_or(6)), out);
        }
        Kind::Byte => word(&char::from(byte).to_string(), out),
        Kind::Printable => word(&printable(byte).to_string(), out),
        Kind::Escaped => word(&escaped(byte), out),
        Kind::Named => word(&named(byte), out),
        Kind::Text => {
            let most = flags.precision.unwrap_or(size).min(there.len());
            word(&there[..most].iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect::<String>(), out);
        }
        Kind::Address(_) | Kind::EndAddress(_) => {}
    }
}

pub fn printable(byte: u8) -> char {
    if (b' '..=b'~').contains(&byte) { char::from(byte) } else { '.' }
}

fn escaped(byte: u8) -> String {
    match byte {
        0 => "\\0".into(),
        7 => "\\a".into(),
        8 => "\\b".into(),
        12 => "\\f".into(),
        b'\n' => "\\n".into(),
        b'\r' => "\\r".into(),
        b'\t' => "\\t".into(),
        11 => "\\v".into(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("{byte:03o}"),
    }
}

fn named(byte: u8) -> String {
    const NAMES: [&str; 33] = [
        "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt", "ff", "cr", "so", "si", "dle", "dc1", "dc2",
        "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp",
    ];
    match byte {
        0..32 => NAMES[usize::from(byte)].into(),
        127 => "del".into(),
        b' '..127 => char::from(byte).to_string(),
        _ => format!("{byte:02x}"),
    }
}

/// As C prints it.
fn float(number: f64, form: char, precision: usize) -> String {
    let scientific = |digits: usize| {
        let text = format!("{number:.digits$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        (mantissa.to_string(), exponent)
    };
    if !number.is_finite() {
        return format!("{number}").to_lowercase();
    }
    let written = |mantissa: &str, exponent: i32| {
        format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
    };
    let text = match form {
        'f' => format!("{number:.precision$}"),
        'e' | 'E' => {
            let (mantissa, exponent) = scientific(precision);
            written(&mantissa, exponent)
        }
        _ => {
            let digits = precision.max(1);
            let (mantissa, exponent) = scientific(digits - 1);
            let trim = |text: &str| match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
                false => text.to_string(),
            };
            if exponent < -4 || exponent >= digits as i32 {
                written(&trim(&mantissa), exponent)
            } else {
                let places = (digits as i32 - 1 - exponent).max(0) as usize;
                trim(&format!("{number:.places$}"))
            }
        }
    };
    if form.is_uppercase() { text.to_uppercase() } else { text }
}
