//! `split`: a file in pieces of as many lines or bytes.

use super::options::{Parsed, Spec, Value, parse};
use super::{Call, reason};
use std::fs;

const OPTIONS: &[Spec] = &[
    Spec('a', "suffix-length", Value::Required),
    Spec('\0', "additional-suffix", Value::Required),
    Spec('b', "bytes", Value::Required),
    Spec('C', "line-bytes", Value::Required),
    Spec('d', "", Value::None),
    Spec('\0', "numeric-suffixes", Value::Optional),
    Spec('x', "", Value::None),
    Spec('\0', "hex-suffixes", Value::Optional),
    Spec('e', "elide-empty-files", Value::None),
    Spec('\0', "filter", Value::Required),
    Spec('l', "lines", Value::Required),
    Spec('n', "number", Value::Required),
    Spec('t', "separator", Value::Required),
    Spec('u', "unbuffered", Value::None),
    Spec('\0', "verbose", Value::None),
];

pub fn run(call: &mut Call<'_>) -> i32 {
    match pieces(call) {
        Ok(()) => 0,
        Err(problem) => {
            call.complain(&problem);
            1
        }
    }
}

pub fn reads_input(args: &[String]) -> bool {
    parse(&spelled_out(args), OPTIONS).is_ok_and(|options| options.operands.is_empty())
}

/// With `--filter`: the pieces go to a command each, one after the other.
pub fn script(args: &[String]) -> Option<String> {
    let options = parse(&spelled_out(args), OPTIONS).ok()?;
    let filter = options.value("filter")?;
    let quote = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let mut own = String::new();
    for (name, value) in options.given.iter().filter(|(name, _)| name != "filter") {
        own.push_str(&match (name.len(), value) {
            (1, Some(value)) => format!(" -{name} {}", quote(value)),
            (1, None) => format!(" -{name}"),
            (_, Some(value)) => format!(" --{name}={}", quote(value)),
            (_, None) => format!(" --{name}"),
        });
    }
    let mut operands = options.operands.iter();
    let file = quote(operands.next().map_or("-", String::as_str));
    let prefix = quote(operands.next().map_or("x", String::as_str));
    let extra: String = operands.map(|operand| format!(" {}", quote(operand))).collect();
    let filter = quote(filter);
    Some(format!(
        r#"pieces=$(mktemp -d) || exit
trap 'rm -rf "$pieces"' EXIT
split{own} -- {file} "$pieces/x"{extra} || exit
for piece in "$pieces"/*; do
  [ -e "$piece" ] || break
  FILE={prefix}${{piece##*/x}}
  FILE=$FILE bash -c {filter} <"$piece" || {{
    code=$?
    printf 'split: with FILE=%s, exit %d from command: %s\n' "$FILE" "$code" {filter} >&2
    exit "$code"
  }}
done
exit 0"#
    ))
}

/// `-5` is `-l 5`.
fn spelled_out(args: &[String]) -> Vec<String> {
    let spelled = args.iter().map(|arg| match arg.strip_prefix('-') {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => format!("-l{digits}"),
        _ => arg.clone(),
    });
    spelled.collect()
}

fn pieces(call: &mut Call<'_>) -> Result<(), String> {
    let options = parse(&spelled_out(call.args), OPTIONS).map_err(|problem| format!("{problem}\nTry 'split --help' for more information."))?;
    let (file, prefix) = match options.operands.as_slice() {
        [] => ("-", "x"),
        [file] => (file.as_str(), "x"),
        [file, prefix] => (file.as_str(), prefix.as_str()),
        [_, _, extra, ..] => return Err(format!("extra operand '{extra}'\nTry 'split --help' for more information.")),
    };
    let text = call.read(file).map_err(|error| format!("cannot open '{file}' for reading: {}", reason(&error)))?;
    let separator = match options.value("t") {
        None => b'\n',
        Some("\\0") => 0,
        Some(one) if one.len() == 1 => one.as_bytes()[0],
        Some(_) => return Err("multi-character separator".into()),
    };
    let count = |name: &str| options.value(name).map(|text| size(text).filter(|size| *size > 0).ok_or_else(|| format!("invalid number of {}: '{text}'", if name == "l" { "lines" } else { "bytes" }))).transpose();
    let given = ["b", "C", "l", "n"].iter().filter(|name| options.has(name)).count();
    if given > 1 {
        return Err("cannot split in more than one way".into());
    }
    let parts: Vec<&[u8]> = if let Some(size) = count("b")? {
        text.chunks(size).collect()
    } else if let Some(most) = count("C")? {
        whole_lines(&text, most, separator)
    } else if let Some(how) = options.value("n") {
        return numbered(call, &options, prefix, &text, how, separator);
    } else {
        let lines = count("l")?.unwrap_or(1000);
        let mut parts = Vec::new();
        let mut rest = text.as_slice();
        while !rest.is_empty() {
            let end = rest.iter().enumerate().filter(|(_, byte)| **byte == separator).nth(lines - 1).map_or(rest.len(), |(at, _)| at + 1);
            let (part, more) = rest.split_at(end);
            parts.push(part);
            rest = more;
        }
        parts
    };
    let parts: Vec<Vec<u8>> = parts.into_iter().map(<[u8]>::to_vec).collect();
    write(call, &options, prefix, &parts)
}

/// `10`, `4K`, `1MB`.
fn size(text: &str) -> Option<usize> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let number: usize = text[..end].parse().ok()?;
    let unit = &text[end..];
    let (letter, base) = match unit.strip_suffix("iB").map(|letter| (letter, 1024)).or_else(|| unit.strip_suffix('B').filter(|letter| !letter.is_empty()).map(|letter| (letter, 1000))) {
        Some(found) => found,
        None => (unit, 1024),
    };
    let factor: usize = match letter {
        "" => 1,
        "b" => 512,
        "k" | "K" => base,
        "m" | "M" => base * base,
        "G" => base * base * base,
        _ => return None,
    };
    number.checked_mul(factor)
}

/// As many whole lines as fit into so many bytes; longer ones in pieces.
fn whole_lines(text: &[u8], most: usize, separator: u8) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let window = &rest[..most.min(rest.len())];
        let end = if window.len() == rest.len() { rest.len() } else {
            window.iter().rposition(|byte| *byte == separator).map_or(window.len(), |at| at + 1)
        };
        let (part, more) = rest.split_at(end);
        parts.push(part);
        rest = more;
    }
    parts
}

/// `-n N`, `l/N`, `r/N`, and one of them alone: `K/N`, `l/K/N`, `r/K/N`.
fn numbered(call: &mut Call<'_>, options: &Parsed, prefix: &str, text: &[u8], how: &str, separator: u8) -> Result<(), String> {
    let invalid = || format!("invalid number of chunks: '{how}'");
    let fields: Vec<&str> = how.split('/').collect();
    let (kind, numbers) = match fields.as_slice() {
        [kind @ ("l" | "r"), numbers @ ..] => (*kind, numbers),
        numbers => ("", numbers),
    };
    let numbers: Vec<usize> = numbers.iter().map(|text| size(text).filter(|number| *number > 0)).collect::<Option<_>>().ok_or_else(invalid)?;
    let (only, count) = match numbers.as_slice() {
        [count] => (None, *count),
        [only, count] if only <= count => (Some(*only), *count),
        _ => return Err(invalid()),
    };
    if count > 1_000_000 {
        return Err(invalid());
    }
    let mut parts: Vec<Vec<u8>> = vec![Vec::new(); count];
    let each = text.len() / count;
    let larger = text.len() % count;
    let end_of = |part: usize| each * (part + 1) + larger.min(part + 1);
    if kind.is_empty() {
        for (part, bytes) in parts.iter_mut().enumerate() {
            let start = if part == 0 { 0 } else { end_of(part - 1) };
            bytes.extend_from_slice(&text[start..end_of(part)]);
        }
    } else {
        let mut at = 0;
        let mut part = 0;
        for (number, line) in text.split_inclusive(|byte| *byte == separator).enumerate() {
            if kind == "r" {
                parts[number % count].extend_from_slice(line);
                continue;
            }
            while part + 1 < count && at >= end_of(part) {
                part += 1;
            }
            parts[part].extend_from_slice(line);
            at += line.len();
        }
    }
    match only {
        None => write(call, options, prefix, &parts),
        Some(only) => {
            call.out.push_str(std::str::from_utf8(&parts[only - 1]).map_err(|_| "what is no text can't be printed here")?);
            Ok(())
        }
    }
}

fn write(call: &mut Call<'_>, options: &Parsed, prefix: &str, parts: &[Vec<u8>]) -> Result<(), String> {
    let base: usize = match options.last_of(&["d", "numeric-suffixes", "x", "hex-suffixes"]) {
        None => 26,
        Some("d" | "numeric-suffixes") => 10,
        Some(_) => 16,
    };
    let from = options.value("numeric-suffixes").or(options.value("hex-suffixes")).unwrap_or("0");
    let from = usize::from_str_radix(from, if base == 16 { 16 } else { 10 }).map_err(|_| format!("{from}: invalid start value"))?;
    let width = match options.value("a") {
        Some(text) => text.parse::<usize>().ok().filter(|width| *width <= 100).ok_or_else(|| format!("invalid suffix length: '{text}'"))?,
        None => 0,
    };
    let parts: Vec<&Vec<u8>> = parts.iter().filter(|part| !options.has("e") || !part.is_empty()).collect();
    let tail = options.value("additional-suffix").unwrap_or("");
    if tail.contains('/') {
        return Err(format!("invalid suffix '{tail}', contains directory separator"));
    }
    let mut fixed = if width == 0 { 2 } else { width };
    // How many pieces there are is known before where their number is given.
    while width == 0 && options.has("n") && parts.len() + from > base.saturating_pow(fixed as u32) {
        fixed += 1;
    }
    for (number, part) in parts.into_iter().enumerate() {
        let suffix = suffix(number + from, base, fixed, width == 0 && !options.has("n")).ok_or("output file suffixes exhausted")?;
        let name = format!("{prefix}{suffix}{tail}");
        if options.has("verbose") {
            call.out.push_str(&format!("creating file '{name}'\n"));
        }
        fs::write(call.path(&name), part).map_err(|error| format!("{name}: {}", reason(&error)))?;
    }
    Ok(())
}

/// @param widens Whether they get longer where they come to an end: `yz` is followed by `zaaa`.
fn suffix(number: usize, base: usize, width: usize, widens: bool) -> Option<String> {
    let (mut rest, mut width, mut lead) = (number, width, String::new());
    if widens {
        let last = if base == 26 { 'z' } else if base == 16 { 'f' } else { '9' };
        loop {
            // The last first letter is kept for the longer ones.
            let room = base.saturating_pow(width as u32) - base.saturating_pow(width as u32 - 1);
            if rest < room {
                break;
            }
            rest -= room;
            lead.push(last);
            width += 1;
        }
    }
    let mut letters = Vec::new();
    for _ in 0..width {
        let digit = rest % base;
        rest /= base;
        letters.push(if base == 26 { char::from(b'a' + digit as u8) } else { char::from_digit(digit as u32, 16)? });
    }
    (rest == 0).then(|| lead + &letters.into_iter().rev().collect::<String>())
}
