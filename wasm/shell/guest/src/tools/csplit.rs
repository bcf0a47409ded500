//! `csplit`: a file in pieces, by numbers of lines and patterns.

use super::basic_regex;
use super::options::{Parsed, Spec, Value, parse};
use super::{Call, reason};
use std::fs;
use std::path::PathBuf;

const OPTIONS: &[Spec] = &[
    Spec('b', "suffix-format", Value::Required),
    Spec('f', "prefix", Value::Required),
    Spec('k', "keep-files", Value::None),
    Spec('n', "digits", Value::Required),
    Spec('s', "quiet", Value::None),
    Spec('\0', "silent", Value::None),
    Spec('q', "", Value::None),
    Spec('z', "elide-empty-files", Value::None),
    Spec('\0', "suppress-matched", Value::None),
];

/// Most pieces.
const FILES_MAX: usize = 100_000;

pub fn run(call: &mut Call<'_>) -> i32 {
    let result = parse(call.args, OPTIONS).map_err(|problem| format!("{problem}\nTry 'csplit --help' for more information."));
    let options = match result {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    let [file, patterns @ ..] = options.operands.as_slice() else {
        call.complain("missing operand\nTry 'csplit --help' for more information.");
        return 1;
    };
    if patterns.is_empty() {
        call.complain(&format!("missing operand after '{file}'\nTry 'csplit --help' for more information."));
        return 1;
    }
    let text = match call.read(file) {
        Ok(text) => text,
        Err(error) => {
            call.complain(&format!("cannot open '{file}' for reading: {}", reason(&error)));
            return 1;
        }
    };
    let mut pieces = match Pieces::new(call, &options, &text) {
        Ok(pieces) => pieces,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    let result = split(&mut pieces, patterns);
    let Pieces { written, sizes, .. } = pieces;
    call.out.push_str(&sizes);
    if let Err(problem) = result {
        call.complain(&problem);
        if !options.has("k") {
            for path in written {
                let _ = fs::remove_file(path);
            }
        }
        return 1;
    }
    0
}

struct Pieces<'a> {
    lines: Vec<&'a [u8]>,
    /// The line that the next piece begins with.
    at: usize,
    directory: PathBuf,
    prefix: String,
    /// What stands before and after the number, and how it is shown.
    suffix: (String, usize, char, String),
    quiet: bool,
    elide: bool,
    suppress: bool,
    written: Vec<PathBuf>,
    sizes: String,
    number: usize,
}

impl<'a> Pieces<'a> {
    fn new(call: &Call<'_>, options: &Parsed, text: &'a [u8]) -> Result<Self, String> {
        let digits = options.value("n").unwrap_or("2");
        let digits: usize = digits.parse().ok().filter(|digits| *digits <= 20).ok_or_else(|| format!("invalid number: '{digits}'"))?;
        let suffix = match options.value("b") {
            Some(format) => suffix_of(format).ok_or_else(|| format!("invalid conversion specification in suffix: {format}"))?,
            None => (String::new(), digits, 'd', String::new()),
        };
        Ok(Pieces {
            lines: text.split_inclusive(|byte| *byte == b'\n').collect(),
            at: 0,
            directory: call.path("."),
            prefix: options.value("f").unwrap_or("xx").to_string(),
            suffix,
            quiet: options.has("s") || options.has("q") || options.has("silent"),
            elide: options.has("z"),
            suppress: options.has("suppress-matched"),
            written: Vec::new(),
            sizes: String::new(),
            number: 0,
        })
    }

    /// Writes the lines before one, and goes on with that; nothing is written if it is to be left out.
    fn cut(&mut self, before: usize, written: bool) -> Result<(), String> {
        let bytes = self.lines[self.at..before].concat();
        self.at = before;
        if !written || (bytes.is_empty() && self.elide) {
            return Ok(());
        }
        if self.written.len() >= FILES_MAX {
            return Err(format!("more than {FILES_MAX} files"));
        }
        let (head, width, kind, tail) = &self.suffix;
        let number = self.number;
        let shown = match kind {
            'x' => format!("{number:0width$x}"),
            'X' => format!("{number:0width$X}"),
            'o' => format!("{number:0width$o}"),
            _ => format!("{number:0width$}"),
        };
        let name = format!("{}{head}{shown}{tail}", self.prefix);
        let path = self.directory.join(&name);
        fs::write(&path, &bytes).map_err(|error| format!("{name}: {}", reason(&error)))?;
        self.written.push(path);
        self.number += 1;
        if !self.quiet {
            self.sizes.push_str(&format!("{}\n", bytes.len()));
        }
        Ok(())
    }

    /// The first line after the present one that a pattern is found in; the present one counts where nothing is before it.
    fn find(&self, pattern: &str, from: usize) -> Result<Option<usize>, String> {
        for (number, line) in self.lines.iter().enumerate().skip(from) {
            let line = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
            if basic_regex::is_found(&line, pattern)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}

/// `%03d` and what is around it.
fn suffix_of(format: &str) -> Option<(String, usize, char, String)> {
    let (head, rest) = format.split_once('%')?;
    let end = rest.find(|letter: char| letter.is_ascii_alphabetic())?;
    let kind = rest[end..].chars().next().filter(|kind| "diuxXo".contains(*kind))?;
    let width = rest[..end].trim_start_matches('0');
    let width = if width.is_empty() { 0 } else { width.parse().ok().filter(|width| *width <= 100)? };
    let tail = &rest[end + 1..];
    (!tail.contains('%') && (rest[..end].starts_with('0') || width <= 1)).then(|| (head.into(), width, kind, tail.into()))
}

fn split(pieces: &mut Pieces<'_>, patterns: &[String]) -> Result<(), String> {
    let mut from = 0;
    let mut patterns = patterns.iter().peekable();
    while let Some(pattern) = patterns.next() {
        let times = match patterns.peek().and_then(|next| next.strip_prefix('{')?.strip_suffix('}')) {
            Some(text) => {
                patterns.next();
                if text == "*" { usize::MAX } else { text.parse().map_err(|_| format!("{{{text}}}: integer required between '{{' and '}}'"))? }
            }
            None => 0,
        };
        let mut repetition = 0;
        loop {
            if !one(pieces, pattern, repetition, times == usize::MAX, &mut from)? || repetition >= times {
                break;
            }
            repetition += 1;
        }
    }
    if pieces.at < pieces.lines.len() || !pieces.elide {
        pieces.cut(pieces.lines.len(), true)?;
    }
    Ok(())
}

/// @returns whether there is more.
fn one(pieces: &mut Pieces<'_>, pattern: &str, repetition: usize, any: bool, from: &mut usize) -> Result<bool, String> {
    let quoted = pattern.chars().next().filter(|letter| matches!(letter, '/' | '%'));
    let Some(delimiter) = quoted else {
        let number: usize = pattern.parse().map_err(|_| format!("'{pattern}': invalid pattern"))?;
        if number == 0 {
            return Err(format!("{pattern}: line number must be greater than zero"));
        }
        let line = number.saturating_mul(repetition + 1) - 1;
        if line > pieces.lines.len() || (line == pieces.lines.len() && line == pieces.at) {
            if any {
                return Ok(false);
            }
            pieces.cut(pieces.lines.len(), true)?;
            let times = if repetition > 0 { format!(" on repetition {repetition}") } else { String::new() };
            return Err(format!("'{pattern}': line number out of range{times}"));
        }
        if line < pieces.at {
            return Err(format!("line number '{pattern}' is smaller than preceding line number, {}", pieces.at + 1));
        }
        pieces.cut(line, true)?;
        skip_matched(pieces);
        *from = pieces.at;
        return Ok(true);
    };
    let (regex, offset) = pattern[1..].rsplit_once(delimiter).ok_or_else(|| format!("{pattern}: closing delimiter '{delimiter}' missing"))?;
    let offset: i64 = if offset.is_empty() { 0 } else {
        offset.parse().map_err(|_| format!("{pattern}: integer expected after delimiter"))?
    };
    let Some(found) = pieces.find(regex, *from)? else {
        if any {
            return Ok(false);
        }
        if delimiter == '/' {
            pieces.cut(pieces.lines.len(), true)?;
        }
        let times = if repetition > 0 { format!(" on repetition {repetition}") } else { String::new() };
        return Err(format!("'{pattern}': match not found{times}"));
    };
    let line = i64::try_from(found).unwrap_or(i64::MAX).saturating_add(offset);
    let line = usize::try_from(line).ok().filter(|line| *line <= pieces.lines.len() && *line >= pieces.at);
    let line = line.ok_or_else(|| format!("'{pattern}': line number out of range"))?;
    pieces.cut(line, delimiter == '/')?;
    skip_matched(pieces);
    *from = (found + 1).max(pieces.at);
    Ok(true)
}

fn skip_matched(pieces: &mut Pieces<'_>) {
    if pieces.suppress && pieces.at < pieces.lines.len() {
        pieces.at += 1;
    }
}
