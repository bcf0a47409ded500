//! What `join` is asked for: how lines are split, compared and printed.

use super::super::options::{Parsed, Spec, Value, parse};
use super::super::text;
use std::cmp::Ordering;
use std::ops::Range;

const OPTIONS: &[Spec] = &[
    Spec('1', "", Value::Required),
    Spec('2', "", Value::Required),
    Spec('a', "", Value::Required),
    Spec('e', "", Value::Required),
    Spec('i', "ignore-case", Value::None),
    Spec('j', "", Value::Required),
    Spec('o', "", Value::Required),
    Spec('t', "", Value::Required),
    Spec('v', "", Value::Required),
    Spec('z', "zero-terminated", Value::None),
    Spec('\0', "check-order", Value::None),
    Spec('\0', "header", Value::None),
    Spec('\0', "nocheck-order", Value::None),
];

/// A line, and where its fields are.
pub struct Line {
    pub bytes: Vec<u8>,
    pub fields: Vec<Range<usize>>,
}

impl Line {
    pub fn field(&self, index: usize) -> &[u8] {
        self.fields.get(index).map_or(&[], |field| &self.bytes[field.clone()])
    }
}

/// What `-o` names: the key, or a field of a file.
enum Shown {
    Key,
    Field(usize, usize),
}

pub struct Order {
    pub keys: [usize; 2],
    pub unpaired: [bool; 2],
    pub paired: bool,
    filler: Vec<u8>,
    format: Vec<Shown>,
    /// `-o auto`: how many fields each file's first line has.
    pub counts: Option<[usize; 2]>,
    separator: Option<Vec<u8>>,
    ignore_case: bool,
    pub header: bool,
    pub end: u8,
    pub checks: Checks,
    pub names: Vec<String>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Checks {
    Never,
    /// Once there was a line that has no other.
    Unpaired,
    Always,
}

impl Order {
    pub fn of(args: &[String]) -> std::result::Result<Self, String> {
        let options = parse(args, OPTIONS)?;
        let both = number(&options, "j")?;
        let mut order = Order {
            keys: [number(&options, "1")?.or(both).unwrap_or(0), number(&options, "2")?.or(both).unwrap_or(0)],
            unpaired: [false; 2],
            paired: !options.has("v"),
            filler: options.value("e").map(|filler| text::encode(filler.into())).unwrap_or_default(),
            format: Vec::new(),
            counts: None,
            separator: options.value("t").map(|tab| text::encode(tab.into())),
            ignore_case: options.has("i"),
            header: options.has("header"),
            end: if options.has("z") { 0 } else { b'\n' },
            checks: match options.last_of(&["check-order", "nocheck-order"]) {
                Some("check-order") => Checks::Always,
                Some(_) => Checks::Never,
                None => Checks::Unpaired,
            },
            names: options.operands.clone(),
        };
        match options.value("t") {
            Some("\\0") => order.separator = Some(vec![0]),
            Some(tab) if tab.chars().count() > 1 => return Err(format!("multi-character tab '{tab}'")),
            _ => {}
        }
        for (option, value) in &options.given {
            match (option.as_str(), value.as_deref().unwrap_or_default()) {
                ("a" | "v", "1") => order.unpaired[0] = true,
                ("a" | "v", "2") => order.unpaired[1] = true,
                ("a" | "v", other) => return Err(format!("invalid file number: '{other}'")),
                ("o", "auto") => order.counts = Some([0; 2]),
                ("o", list) => {
                    for item in list.split([',', ' ', '\t']).filter(|item| !item.is_empty()) {
                        order.format.push(shown(item)?);
                    }
                }
                _ => {}
            }
        }
        match &order.names[..] {
            [] => Err("missing operand".into()),
            [only] => Err(format!("missing operand after '{only}'")),
            [left, right] if left == "-" && right == "-" => Err("both files cannot be standard input".into()),
            [_, _] => Ok(order),
            [_, _, extra, ..] => Err(format!("extra operand '{extra}'")),
        }
    }

    pub fn split(&self, bytes: Vec<u8>) -> Line {
        let mut fields = Vec::new();
        match &self.separator {
            Some(tab) if tab.is_empty() => fields.push(0..bytes.len()),
            Some(_) if bytes.is_empty() => {}
            Some(tab) => {
                let mut begin = 0;
                let mut at = 0;
                while at < bytes.len() {
                    if bytes[at..].starts_with(tab) {
                        fields.push(begin..at);
                        at += tab.len();
                        begin = at;
                    } else {
                        at += 1;
                    }
                }
                fields.push(begin..bytes.len());
            }
            None => {
                let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
                let after = |from: usize, blank: bool| {
                    bytes[from..].iter().position(|byte| is_blank(byte) != blank).map_or(bytes.len(), |length| from + length)
                };
                let mut begin = after(0, true);
                while begin < bytes.len() {
                    let end = after(begin, false);
                    fields.push(begin..end);
                    begin = after(end, true);
                    // Blanks at the end are followed by a field without anything in it.
                    if begin == bytes.len() && end < bytes.len() {
                        fields.push(begin..begin);
                    }
                }
            }
        }
        Line { bytes, fields }
    }

    pub fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        if self.ignore_case {
            let lower = |bytes: &[u8]| bytes.to_ascii_lowercase();
            lower(left).cmp(&lower(right))
        } else {
            left.cmp(right)
        }
    }

    pub fn print(&self, out: &mut Vec<u8>, lines: [Option<&Line>; 2]) {
        let separator = self.separator.as_deref().filter(|tab| !tab.is_empty()).unwrap_or(b" ");
        let mut first = true;
        let mut add = |field: &[u8]| {
            if !first {
                out.extend_from_slice(separator);
            }
            first = false;
            out.extend_from_slice(if field.is_empty() { &self.filler } else { field });
        };
        let field = |side: usize, index: usize| lines[side].map_or(&[][..], |line| line.field(index));
        let side = usize::from(lines[0].is_none());
        let key = field(side, self.keys[side]);
        for shown in &self.format {
            match *shown {
                Shown::Key => add(key),
                Shown::Field(side, index) => add(field(side, index)),
            }
        }
        if self.format.is_empty() {
            add(key);
            for side in 0..2 {
                let own = lines[side].map_or(0, |line| line.fields.len());
                for index in (0..self.counts.map_or(own, |counts| counts[side])).filter(|index| *index != self.keys[side]) {
                    add(field(side, index));
                }
            }
        }
        out.push(self.end);
    }
}

/// @returns a field's number from 0 on.
fn number(options: &Parsed, name: &str) -> std::result::Result<Option<usize>, String> {
    options.value(name).map(field_number).transpose()
}

fn field_number(value: &str) -> std::result::Result<usize, String> {
    value.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).ok_or_else(|| format!("invalid field number: '{value}'"))
}

fn shown(item: &str) -> std::result::Result<Shown, String> {
    match item.split_once('.') {
        None if item == "0" => Ok(Shown::Key),
        Some(("1", index)) => Ok(Shown::Field(0, field_number(index)?)),
        Some(("2", index)) => Ok(Shown::Field(1, field_number(index)?)),
        Some((file, _)) => Err(format!("invalid file number in field spec: '{file}'")),
        None => Err(format!("invalid field specifier: '{item}'")),
    }
}
