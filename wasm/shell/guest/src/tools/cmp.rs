//! `cmp`.

use super::options::{Spec, Value, parse};
use super::{Call, reason};

const OPTIONS: &[Spec] = &[
    Spec('b', "print-bytes", Value::None),
    Spec('i', "ignore-initial", Value::Required),
    Spec('l', "verbose", Value::None),
    Spec('n', "bytes", Value::Required),
    Spec('s', "quiet", Value::None),
    Spec('\0', "silent", Value::None),
];

const TROUBLE: i32 = 2;

pub fn run(call: &mut Call<'_>) -> i32 {
    match compared(call) {
        Ok(same) => i32::from(!same),
        Err(problem) => {
            call.complain(&problem);
            TROUBLE
        }
    }
}

pub fn reads_input(args: &[String]) -> bool {
    parse(args, OPTIONS).is_ok_and(|options| options.operands.len() == 1)
}

fn compared(call: &mut Call<'_>) -> Result<bool, String> {
    let hint = "\ncmp: Try 'cmp --help' for more information.";
    let options = parse(call.args, OPTIONS).map_err(|problem| format!("{problem}{hint}"))?;
    let (one, other, skips) = match options.operands.as_slice() {
        [one] => (one.as_str(), "-", &[][..]),
        [one, other, skips @ ..] if skips.len() <= 2 => (one.as_str(), other.as_str(), skips),
        [] => return Err(format!("missing operand after 'cmp'{hint}")),
        [.., extra] => return Err(format!("extra operand '{extra}'{hint}")),
    };
    let number = |text: &str| text.parse::<usize>().map_err(|_| format!("invalid number '{text}'"));
    let initial = options.value("i").unwrap_or("0");
    let (first, second) = initial.split_once(':').unwrap_or((initial, initial));
    let skip = |given: Option<&String>, initial: &str| number(given.map_or(initial, String::as_str));
    let skipped = (skip(skips.first(), first)?, skip(skips.get(1), second)?);
    let most = options.value("n").map(number).transpose()?.unwrap_or(usize::MAX);
    let quiet = options.has("s") || options.has("silent");
    let read = |name: &str, skipped: usize| match call.read(name) {
        Ok(bytes) => {
            let from = skipped.min(bytes.len());
            let end = from.saturating_add(most).min(bytes.len());
            Ok(bytes[from..end].to_vec())
        }
        Err(error) => Err(format!("{name}: {}", reason(&error))),
    };
    let (left, right) = (read(one, skipped.0)?, read(other, skipped.1)?);
    if left == right {
        return Ok(true);
    }
    if quiet {
        return Ok(false);
    }
    let pairs = left.iter().zip(&right).enumerate().filter(|(_, (left, right))| left != right);
    let common = left.len().min(right.len());
    let newlines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
    let mut text = String::new();
    if options.has("l") {
        let width = left.len().max(right.len()).min(most).to_string().len();
        for (at, (left, right)) in pairs {
            let line = format!("{:>width$} {left:>3o}", at + 1);
            if options.has("b") {
                text.push_str(&format!("{line} {:<4} {right:>3o} {}\n", visible(*left), visible(*right)));
            } else {
                text.push_str(&format!("{line} {right:>3o}\n"));
            }
        }
    } else if let Some((at, (l, r))) = { pairs }.next() {
        let bytes = if options.has("b") { format!(" is {l:>3o} {} {r:>3o} {}", visible(*l), visible(*r)) } else { String::new() };
        text = format!("{one} {other} differ: byte {}, line {}{bytes}\n", at + 1, newlines(&left[..at]) + 1);
        call.out.push_str(&text);
        return Ok(false);
    }
    call.out.push_str(&text);
    if left.len() != right.len() {
        let (name, short) = if left.len() < right.len() { (one, &left) } else { (other, &right) };
        let lines = newlines(&short[..common]);
        let place = match short.last() {
            None => String::from(" which is empty"),
            Some(_) if options.has("l") => format!(" after byte {common}"),
            Some(b'\n') => format!(" after byte {common}, line {lines}"),
            Some(_) => format!(" after byte {common}, in line {}", lines + 1),
        };
        call.complain(&format!("EOF on {name}{place}"));
    }
    Ok(false)
}

/// As `cat -v` shows a byte.
fn visible(byte: u8) -> String {
    match byte {
        128.. => format!("M-{}", visible(byte - 128)),
        127 => "^?".into(),
        0..32 => format!("^{}", char::from(byte + 64)),
        _ => char::from(byte).to_string(),
    }
}
