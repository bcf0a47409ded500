//! `stat`.

use super::options::{Spec, Value, parse};
use super::time::local;
use super::{Call, mode, reason};
use crate::system::{self, Status};

const OPTIONS: &[Spec] = &[
    Spec('c', "format", Value::Required),
    Spec('\0', "printf", Value::Required),
    Spec('L', "dereference", Value::None),
    Spec('f', "file-system", Value::None),
    Spec('t', "terse", Value::None),
];

const BLOCK: u64 = 4096;
const FULL: &str = "  File: %N\n  Size: %-15s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i  Links: %h\n\
Access: (%04a/%10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const TERSE: &str = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    if options.operands.is_empty() {
        call.complain("missing operand\nTry 'stat --help' for more information.");
        return 1;
    }
    if options.has("f") {
        call.complain("file systems have no status here: df shows their size");
        return 1;
    }
    let format = match options.last_of(&["c", "printf"]) {
        Some("c") => format!("{}\n", options.value("c").unwrap_or_default()),
        Some(_) => unescaped(options.value("printf").unwrap_or_default()),
        None if options.has("t") => TERSE.to_string(),
        None => FULL.to_string(),
    };
    let mut code = 0;
    for name in &options.operands {
        match call.status(&call.path(name), options.has("L") || name.ends_with('/')) {
            Ok(status) => {
                let line = filled(call, &format, name, &status);
                call.out.push_str(&line);
            }
            Err(error) => {
                call.complain(&format!("cannot statx '{name}': {}", reason(&error)));
                code = 1;
            }
        }
    }
    code
}

fn filled(call: &Call<'_>, format: &str, name: &str, status: &Status) -> String {
    let mut out = String::new();
    let mut rest = format.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        let mut flags = String::new();
        while let Some(flag) = rest.next_if(|flag| "-+ #0'".contains(*flag)) {
            flags.push(flag);
        }
        let number = |rest: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut digits = String::new();
            while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            digits.parse::<usize>().ok()
        };
        let width = number(&mut rest).unwrap_or(0);
        let precision = rest.next_if_eq(&'.').map(|_| number(&mut rest).unwrap_or(0));
        let value = match rest.next() {
            Some(letter @ ('H' | 'L')) => match rest.next() {
                Some('d' | 'r') if letter == 'H' => "0".to_string(),
                Some('d') => "1".to_string(),
                _ => "0".to_string(),
            },
            Some(letter) => value(call, letter, name, status, precision),
            None => "%".to_string(),
        };
        let missing = width.saturating_sub(value.chars().count());
        if flags.contains('-') {
            out.push_str(&value);
            out.push_str(&" ".repeat(missing));
        } else {
            out.push_str(&if flags.contains('0') { "0" } else { " " }.repeat(missing));
            out.push_str(&value);
        }
    }
    out
}

fn value(call: &Call<'_>, letter: char, name: &str, status: &Status, precision: Option<usize>) -> String {
    let moment = |nanoseconds: u64| {
        local(nanoseconds, call.environment).format("%Y-%m-%d %H:%M:%S.%f %z").to_string()
    };
    let seconds = |nanoseconds: u64| match precision {
        Some(digits) if digits > 0 => {
            let fraction = format!("{:09}", nanoseconds % 1_000_000_000);
            format!("{}.{}", nanoseconds / 1_000_000_000, &fraction[..digits.min(9)])
        }
        _ => (nanoseconds / 1_000_000_000).to_string(),
    };
    match letter {
        'n' => name.to_string(),
        'N' => match status.file_type {
            system::SYMLINK => format!("{} -> {}", quoted(name), quoted(&call.target(&call.path(name)))),
            _ => quoted(name),
        },
        's' => status.size.to_string(),
        'a' => format!("{:o}", status.mode),
        'A' => mode::symbolic(status),
        'F' => match status.file_type {
            system::DIRECTORY => "directory",
            system::SYMLINK => "symbolic link",
            system::DEVICE => "character special file",
            _ if status.size == 0 => "regular empty file",
            _ => "regular file",
        }
        .to_string(),
        'f' => format!("{:x}", status.mode | system::kind_bits(status)),
        'h' => status.links.to_string(),
        'i' => status.inode.to_string(),
        'u' | 'g' => status.user.to_string(),
        'U' | 'G' => system::user_name(status.user).to_string(),
        'b' => (status.size.div_ceil(BLOCK) * (BLOCK / 512)).to_string(),
        'B' => "512".to_string(),
        'o' => BLOCK.to_string(),
        'd' | 'D' => "1".to_string(),
        't' | 'T' | 'r' | 'R' | 'W' => "0".to_string(),
        'w' => "-".to_string(),
        'm' => "/".to_string(),
        'x' => moment(status.accessed),
        'y' => moment(status.modified),
        'z' => moment(status.changed),
        'X' => seconds(status.accessed),
        'Y' => seconds(status.modified),
        'Z' => seconds(status.changed),
        '%' => "%".to_string(),
        _ => "?".to_string(),
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match rest.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('a') => out.push('\x07'),
            Some('e') => out.push('\x1b'),
            Some('0') => out.push('\0'),
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

/// As the shell would read it again.
fn quoted(name: &str) -> String {
    format!("'{}'", name.replace('\'', "'\\''"))
}
