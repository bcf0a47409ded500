//! `fmt`: paragraphs filled to a width, where lines break such that all of them together look best, as GNU weighs it.

use super::options::{Parsed, Spec, Value, parse};
use super::text::decode;
use super::{Call, reason};

const OPTIONS: &[Spec] = &[
    Spec('c', "crown-margin", Value::None),
    Spec('p', "prefix", Value::Required),
    Spec('s', "split-only", Value::None),
    Spec('t', "tagged-paragraph", Value::None),
    Spec('u', "uniform-spacing", Value::None),
    Spec('w', "width", Value::Required),
    Spec('g', "goal", Value::Required),
];
const WIDTH_MAX: usize = 2500;
const TAB: usize = 8;

/// What is to be kept small: squares, in tenths of a character.
mod cost {
    pub const LINE: i64 = 70 * 70;
    pub const SENTENCE_BONUS: i64 = 50 * 50;
    pub const NO_BREAK: i64 = 600 * 600;
    pub const PARENTHESIS_BONUS: i64 = 40 * 40;
    pub const PUNCTUATION_BONUS: i64 = 40 * 40;

    pub fn short(missing: i64) -> i64 {
        (missing * 10).pow(2)
    }

    pub fn ragged(difference: i64) -> i64 {
        short(difference) / 2
    }

    pub fn widow(length: usize) -> i64 {
        200 * 200 / (length as i64 + 2)
    }

    pub fn orphan(length: usize) -> i64 {
        150 * 150 / (length as i64 + 2)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Margins {
    /// Lines of a paragraph begin in the same column.
    Even,
    Crown,
    Tagged,
    /// Each line is a paragraph.
    Split,
}

struct Style {
    margins: Margins,
    uniform: bool,
    width: usize,
    goal: usize,
    prefix: Vec<u8>,
    /// Blanks before the prefix.
    lead: usize,
}

struct Word {
    text: Vec<u8>,
    /// Blanks after it, if the line goes on.
    space: usize,
    opens: bool,
    punctuated: bool,
    /// Ends as a sentence does.
    period: bool,
    /// Ends a sentence.
    last: bool,
}

struct Line<'a> {
    bytes: &'a [u8],
    /// Column of what comes after the prefix and its blanks; nothing: it is no line of a paragraph.
    indent: Option<usize>,
    tabs: bool,
}

pub fn reads_input(args: &[String]) -> bool {
    parse(&modern(args), OPTIONS).is_ok_and(|options| options.operands.is_empty())
}

/// `-30` is `-w 30`.
fn modern(args: &[String]) -> Vec<String> {
    let mut args = args.to_vec();
    if let Some(first) = args.first_mut()
        && let Some(width) = first.strip_prefix('-').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        *first = format!("-w{width}");
    }
    args
}

pub fn run(call: &mut Call<'_>) -> i32 {
    let style = parse(&modern(call.args), OPTIONS).and_then(|options| Ok((style(&options)?, options.operands)));
    let (style, mut operands) = match style {
        Ok(parsed) => parsed,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    if operands.is_empty() {
        operands.push("-".to_string());
    }
    let mut code = 0;
    for name in &operands {
        match call.read(name) {
            Ok(bytes) => {
                let mut out = Vec::new();
                fill(&bytes, &style, &mut out);
                call.out.push_str(&decode(&out));
            }
            Err(error) => {
                call.complain(&format!("cannot open '{name}' for reading: {}", reason(&error)));
                code = 1;
            }
        }
    }
    code
}

fn style(options: &Parsed) -> Result<Style, String> {
    let number = |name: &str, max: usize| -> Result<Option<usize>, String> {
        let Some(text) = options.value(name) else { return Ok(None) };
        let number = text.parse::<usize>().ok().filter(|number| *number <= max);
        number.map(Some).ok_or_else(|| format!("invalid width: '{text}'"))
    };
    let given = number("w", WIDTH_MAX)?;
    let goal = number("g", given.unwrap_or(WIDTH_MAX))?;
    let width = given.unwrap_or_else(|| goal.map_or(75, |goal| goal + 10));
    let prefix = options.value("p").unwrap_or_default().as_bytes();
    let trimmed = prefix.trim_ascii();
    let margins = match () {
        _ if options.has("s") => Margins::Split,
        _ if options.has("c") => Margins::Crown,
        _ if options.has("t") => Margins::Tagged,
        _ => Margins::Even,
    };
    Ok(Style {
        margins,
        uniform: options.has("u"),
        width,
        goal: goal.unwrap_or(width * 187 / 200),
        prefix: trimmed.to_vec(),
        lead: prefix.iter().take_while(|&&byte| byte == b' ').count(),
    })
}

fn columns(bytes: &[u8], from: usize) -> (usize, usize, bool) {
    let mut column = from;
    let mut tabs = false;
    let mut taken = 0;
    for &byte in bytes {
        match byte {
            b' ' => column += 1,
            b'\t' => {
                column = column / TAB * TAB + TAB;
                tabs = true;
            }
            _ => break,
        }
        taken += 1;
    }
    (taken, column, tabs)
}

impl Style {
    fn line<'a>(&self, bytes: &'a [u8]) -> (Line<'a>, usize) {
        let (lead, column, tabs) = columns(bytes, 0);
        let rest = &bytes[lead..];
        let none = |bytes| (Line { bytes, indent: None, tabs }, 0);
        if self.prefix.is_empty() {
            let indent = (!rest.is_empty()).then_some(column);
            return (Line { bytes: rest, indent, tabs }, 0);
        }
        let Some(rest) = rest.strip_prefix(self.prefix.as_slice()).filter(|_| column >= self.lead) else {
            return none(bytes);
        };
        let (blanks, indent, more) = columns(rest, column + self.prefix.len());
        let tabs = tabs || more;
        if rest.len() == blanks {
            return none(bytes);
        }
        (Line { bytes: &rest[blanks..], indent: Some(indent), tabs }, column)
    }
}

fn fill(text: &[u8], style: &Style, out: &mut Vec<u8>) {
    if text.is_empty() {
        return;
    }
    let (text, cut) = text.strip_suffix(b"\n").map_or((text, true), |rest| (rest, false));
    let mut lines = text.split(|&byte| byte == b'\n').peekable();
    let mut tabs = false;
    let mut other = 0;
    while let Some(bytes) = lines.next() {
        let (first, prefix_at) = style.line(bytes);
        tabs |= first.tabs;
        let Some(indent) = first.indent else {
            out.extend_from_slice(bytes.trim_ascii_end_blank());
            if !cut || lines.peek().is_some() || bytes.trim_ascii().is_empty() && !bytes.is_empty() {
                out.push(b'\n');
            }
            continue;
        };
        let (mut words, tabbed) = words_of(first.bytes, indent, style.uniform);
        let before = std::mem::replace(&mut other, indent);
        tabs |= tabbed;
        let mut count = 1;
        while style.margins != Margins::Split {
            let Some((next, at)) = lines.peek().map(|bytes| style.line(bytes)) else { break };
            tabs |= next.tabs;
            let Some(column) = next.indent.filter(|_| at == prefix_at) else { break };
            let belongs = match style.margins {
                Margins::Crown => count == 1 || column == other,
                Margins::Tagged => (count == 1 && column != indent) || (count > 1 && column == other),
                _ => column == indent,
            };
            if !belongs {
                break;
            }
            if count == 1 {
                other = column;
            }
            let (more, tabbed) = words_of(next.bytes, column, style.uniform);
            tabs |= tabbed;
            words.extend(more);
            lines.next();
            count += 1;
        }
        if count == 1 && style.margins == Margins::Tagged {
            other = match before == indent {
                true if indent == 0 => 3,
                true => 0,
                false => before,
            };
        }
        if let Some(word) = words.last_mut() {
            (word.period, word.last) = (true, true);
        }
        let paragraph = Paragraph { words, first: indent, other, prefix_at, tabs, style };
        paragraph.write(out);
    }
}

trait Trimmed {
    fn trim_ascii_end_blank(&self) -> &[u8];
}

impl Trimmed for [u8] {
    /// A line of blanks alone is an empty one.
    fn trim_ascii_end_blank(&self) -> &[u8] {
        if self.iter().all(|byte| matches!(byte, b' ' | b'\t')) { &[] } else { self }
    }
}

fn words_of(line: &[u8], indent: usize, uniform: bool) -> (Vec<Word>, bool) {
    let mut words = Vec::new();
    let mut rest = line;
    let mut column = indent;
    let mut tabs = false;
    while let [_, more @ ..] = rest {
        // What a terminal does not show ends a word too, and begins one.
        let end = 1 + more.iter().position(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).unwrap_or(more.len());
        let (text, after) = rest.split_at(end);
        let (blanks, next, tab) = columns(after, column + text.len());
        let width = next - column - text.len();
        tabs |= tab;
        column = next;
        rest = &after[blanks..];
        let at_end = rest.is_empty();
        let core = text.iter().rposition(|byte| !matches!(byte, b')' | b']' | b'\'' | b'"'));
        let period = core.is_some_and(|at| matches!(text[at], b'.' | b'?' | b'!'));
        let last = period && (at_end || width > 1);
        words.push(Word {
            text: text.to_vec(),
            space: if at_end || uniform { 1 + usize::from(last) } else { width },
            opens: text.first().is_some_and(|byte| matches!(byte, b'(' | b'[' | b'\'' | b'`' | b'"')),
            punctuated: text.last().is_some_and(u8::is_ascii_punctuation),
            period,
            last,
        });
    }
    (words, tabs)
}

struct Paragraph<'a> {
    words: Vec<Word>,
    first: usize,
    other: usize,
    prefix_at: usize,
    tabs: bool,
    style: &'a Style,
}

impl Paragraph<'_> {
    /// What it costs to begin a line with a word, whatever comes before and after.
    fn base(&self, at: usize) -> i64 {
        let word = &self.words[at];
        let mut cost = cost::LINE;
        if let Some(before) = at.checked_sub(1).map(|at| &self.words[at]) {
            if before.period {
                cost += if before.last { -cost::SENTENCE_BONUS } else { cost::NO_BREAK };
            } else if before.punctuated {
                cost -= cost::PUNCTUATION_BONUS;
            } else if at > 1 && self.words[at - 2].last {
                cost += cost::widow(before.text.len());
            }
        }
        if word.opens {
            cost -= cost::PARENTHESIS_BONUS;
        } else if word.last {
            cost += cost::orphan(word.text.len());
        }
        cost
    }

    /// Where each line that could begin with a word had best end.
    fn breaks(&self) -> Vec<usize> {
        let count = self.words.len();
        let mut best = vec![0i64; count + 1];
        let mut next = vec![count; count + 1];
        let mut length = vec![0usize; count + 1];
        for start in (0..count).rev() {
            let mut used = if start == 0 { self.first } else { self.other };
            let mut least = i64::MAX;
            for end in start + 1..=count {
                used += self.words[end - 1].text.len();
                if end > start + 1 {
                    used += self.words[end - 2].space;
                    if used >= self.style.width {
                        break;
                    }
                }
                let mut cost = best[end];
                if end < count {
                    cost += cost::short(self.style.goal as i64 - used as i64);
                    if next[end] < count {
                        cost += cost::ragged(used as i64 - length[end] as i64);
                    }
                }
                if cost < least {
                    least = cost;
                    next[start] = end;
                    length[start] = used;
                }
            }
            best[start] = least.saturating_add(self.base(start));
        }
        next
    }

    fn write(&self, out: &mut Vec<u8>) {
        let next = self.breaks();
        let mut start = 0;
        while start < self.words.len() {
            let indent = if start == 0 { self.first } else { self.other };
            let mut column = 0;
            if !self.style.prefix.is_empty() {
                self.blanks(out, &mut column, self.prefix_at);
                out.extend_from_slice(&self.style.prefix);
                column += self.style.prefix.len();
            }
            self.blanks(out, &mut column, indent);
            for at in start..next[start] {
                let word = &self.words[at];
                out.extend_from_slice(&word.text);
                column += word.text.len();
                if at + 1 < next[start] {
                    let to = column + word.space;
                    self.blanks(out, &mut column, to);
                }
            }
            out.push(b'\n');
            start = next[start];
        }
    }

    fn blanks(&self, out: &mut Vec<u8>, column: &mut usize, to: usize) {
        while self.tabs && *column + 1 < to / TAB * TAB {
            out.push(b'\t');
            *column = *column / TAB * TAB + TAB;
        }
        while *column < to {
            out.push(b' ');
            *column += 1;
        }
    }
}
