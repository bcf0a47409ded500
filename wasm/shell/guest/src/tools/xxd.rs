//! `xxd`: a hex dump, and back.

use super::hexdump::{Inputs, printable};
use super::options::{Spec, Value, parse};
use super::source::Printer;
use super::{absolute, reason};
use bashkit::{Command, CommandContext, CommandStatus, Error, Result, async_trait};

const OPTIONS: &[Spec] = &[
    Spec('a', "autoskip", Value::None),
    Spec('b', "bits", Value::None),
    Spec('c', "cols", Value::Required),
    Spec('d', "", Value::None),
    Spec('e', "", Value::None),
    Spec('E', "EBCDIC", Value::None),
    Spec('g', "groupsize", Value::Required),
    Spec('i', "include", Value::None),
    Spec('l', "len", Value::Required),
    Spec('n', "name", Value::Required),
    Spec('o', "", Value::Required),
    Spec('p', "plain", Value::None),
    Spec('\0', "postscript", Value::None),
    Spec('r', "revert", Value::None),
    Spec('s', "seek", Value::Required),
    Spec('u', "uppercase", Value::None),
    Spec('C', "capitalize", Value::None),
    Spec('R', "", Value::Required),
];

const COLUMNS_MAX: usize = 256;

pub struct Xxd;

#[async_trait]
impl Command for Xxd {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        // Words of several letters have one dash here.
        let args: Vec<String> = ctx.args.iter().map(|arg| long(arg)).collect();
        let order = match parse(&args, OPTIONS).and_then(|options| Order::of(&options).map(|order| (options, order))) {
            Ok(order) => order,
            Err(problem) => return fail(&ctx, &problem, 1).await,
        };
        let (options, order) = order;
        let source = options.operands.first().map_or("-", String::as_str);
        let mut out = Target { file: None, printer: Printer::default() };
        if let Some(target) = options.operands.get(1).filter(|target| *target != "-") {
            let path = absolute(ctx.cwd, target);
            if let Err(error) = ctx.fs.write_file(&path, &[]).await {
                let why = if let Error::Io(error) = &error { reason(error) } else { error.to_string() };
                return fail(&ctx, &format!("{target}: {why}"), 3).await;
            }
            out.file = Some(path);
        }
        let mut input = Inputs::new(&[source.to_string()]);
        if options.has("r") {
            order.back(&ctx, &mut input, &mut out).await?;
        } else {
            order.dump(&ctx, &mut input, &mut out, source).await?;
        }
        out.flush(&ctx).await?;
        Ok(CommandStatus::with_code(if input.code == 0 { 0 } else { 2 }))
    }
}

fn long(arg: &str) -> String {
    const WORDS: &[&str] =
        &["ps", "plain", "postscript", "bits", "cols", "len", "seek", "include", "revert", "autoskip", "groupsize", "name", "uppercase"];
    match arg.strip_prefix('-').filter(|word| WORDS.contains(word)) {
        Some("ps") => "--plain".into(),
        Some(word) => format!("--{word}"),
        None => arg.to_string(),
    }
}

async fn fail(ctx: &CommandContext<'_>, what: &str, code: i32) -> Result<CommandStatus> {
    ctx.stderr.write_all(format!("xxd: {what}\n").as_bytes()).await?;
    Ok(CommandStatus::with_code(code))
}

/// Where the dump goes.
struct Target {
    file: Option<std::path::PathBuf>,
    printer: Printer,
}

impl Target {
    fn add(&mut self, bytes: &[u8]) {
        self.printer.bytes().extend_from_slice(bytes);
    }

    async fn settle(&mut self, ctx: &CommandContext<'_>) -> Result<()> {
        if self.printer.bytes().len() >= super::source::PIECE { self.flush(ctx).await } else { Ok(()) }
    }

    async fn flush(&mut self, ctx: &CommandContext<'_>) -> Result<()> {
        match &self.file {
            None => self.printer.flush(ctx).await,
            Some(path) => {
                ctx.fs.append_file(path, self.printer.bytes()).await?;
                self.printer.bytes().clear();
                Ok(())
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Hex,
    LittleEndian,
    Bits,
    Plain,
    Include,
}

struct Order {
    form: Form,
    columns: usize,
    group: usize,
    skipped: i64,
    most: u64,
    offset: i64,
    upper: bool,
    decimal: bool,
    skips_zeros: bool,
    name: Option<String>,
    capitals: bool,
}

impl Order {
    fn of(options: &super::options::Parsed) -> std::result::Result<Self, String> {
        if options.has("E") {
            return Err("EBCDIC is not there".into());
        }
        if options.value("R").is_some_and(|when| when != "never" && when != "auto") {
            return Err("there are no colours".into());
        }
        let number = |name: &str| options.value(name).map(|text| number(text).ok_or_else(|| format!("invalid number: {text}"))).transpose();
        let form = match options.last_of(&["p", "postscript", "i", "b", "e"]) {
            Some("i") => Form::Include,
            Some("b") => Form::Bits,
            Some("e") => Form::LittleEndian,
            Some(_) => Form::Plain,
            None => Form::Hex,
        };
        let columns = number("c")?.unwrap_or(0).unsigned_abs() as usize;
        let columns = match (columns, form) {
            (0, Form::Plain) => 30,
            (0, Form::Bits) => 6,
            (0, Form::Include) => 12,
            (0, _) => 16,
            (columns, Form::Plain | Form::Include) => columns,
            (columns, _) if columns > COLUMNS_MAX => return Err(format!("invalid number of columns (max. {COLUMNS_MAX}).")),
            (columns, _) => columns,
        };
        let group = match (number("g")?, form) {
            (Some(group), _) => group.unsigned_abs() as usize,
            (None, Form::Bits) => 1,
            (None, Form::LittleEndian) => 4,
            (None, _) => 2,
        };
        if form == Form::LittleEndian && !group.is_power_of_two() {
            return Err("number of octets per group must be a power of 2 with -e.".into());
        }
        Ok(Order {
            form,
            columns,
            group: if group == 0 { columns } else { group.min(columns) },
            skipped: number("s")?.unwrap_or(0),
            most: number("l")?.map_or(u64::MAX, i64::unsigned_abs),
            offset: number("o")?.unwrap_or(0),
            upper: options.has("u"),
            decimal: options.has("d"),
            skips_zeros: options.has("a"),
            name: options.value("n").map(str::to_string),
            capitals: options.has("C"),
        })
    }

    async fn dump(&self, ctx: &CommandContext<'_>, input: &mut Inputs, out: &mut Target, source: &str) -> Result<()> {
        let begin = match u64::try_from(self.skipped) {
            Ok(count) => input.skip(ctx, count).await?,
            Err(_) => self.skip_to_end(ctx, input, source).await?,
        };
        let name = self.name.clone().unwrap_or_else(|| if source == "-" { String::new() } else { source.to_string() });
        let name: String = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
        let name = if name.starts_with(|first: char| first.is_ascii_digit()) { format!("__{name}") } else { name };
        let name = if self.capitals { name.to_uppercase() } else { name };
        let includes = self.form == Form::Include;
        if includes && !name.is_empty() {
            out.add(format!("unsigned char {name}[] = {{\n").as_bytes());
        }
        let mut row = Vec::new();
        let (mut at, mut left) = (0_u64, self.most);
        let mut zeros = Zeros::default();
        loop {
            let wanted = self.columns.min(usize::try_from(left).unwrap_or(usize::MAX));
            input.fill(ctx, wanted, &mut row).await?;
            if row.is_empty() {
                break;
            }
            left -= row.len() as u64;
            let address = (begin + at).wrapping_add_signed(self.offset);
            at += row.len() as u64;
            let line = match self.form {
                Form::Plain => format!("{}\n", self.digits(&row)),
                Form::Include => {
                    let sep = if at > row.len() as u64 { ",\n  " } else { "  " };
                    let prefix = if self.upper { "0X" } else { "0x" };
                    let bytes: Vec<String> = row.iter().map(|byte| format!("{prefix}{}", self.digits(&[*byte]))).collect();
                    format!("{sep}{}", bytes.join(", "))
                }
                _ => self.line(address, &row),
            };
            if self.skips_zeros && matches!(self.form, Form::Hex | Form::Bits | Form::LittleEndian) {
                if row.len() == self.columns && row.iter().all(|byte| *byte == 0) {
                    match zeros.lines {
                        0 => out.add(line.as_bytes()),
                        1 => zeros.second = line.clone(),
                        _ => {}
                    }
                    zeros.lines += 1;
                    zeros.last = line;
                    continue;
                }
                zeros.end(zeros.lines, out);
                zeros.lines = 0;
            }
            out.add(line.as_bytes());
            out.settle(ctx).await?;
        }
        if zeros.lines > 1 {
            zeros.end(zeros.lines - 1, out);
            out.add(zeros.last.as_bytes());
        }
        if includes {
            out.add(if at > 0 { b"\n" } else { b"" });
            if !name.is_empty() {
                let length = if self.capitals { "LEN" } else { "len" };
                out.add(format!("}};\nunsigned int {name}_{length} = {at};\n").as_bytes());
            }
        }
        Ok(())
    }

    /// Goes to where as many bytes are left as a number below zero says.
    async fn skip_to_end(&self, ctx: &CommandContext<'_>, input: &mut Inputs, source: &str) -> Result<u64> {
        let back = self.skipped.unsigned_abs();
        let size = crate::system::status(&absolute(ctx.cwd, source), true).map_or(0, |status| status.size);
        if source == "-" || size < back {
            ctx.stderr.write_all(b"xxd: Sorry, cannot seek.\n").await?;
            input.code = 4;
            return input.skip(ctx, u64::MAX).await;
        }
        input.skip(ctx, size - back).await
    }

    fn digits(&self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len() * 2);
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                let digit = char::from_digit(u32::from(digit), 16).unwrap_or('0');
                text.push(if self.upper { digit.to_ascii_uppercase() } else { digit });
            }
        }
        text
    }

    fn line(&self, address: u64, row: &[u8]) -> String {
        let mut text = if self.decimal { format!("{address:08}: ") } else { format!("{address:08x}: ") };
        let size = if self.form == Form::Bits { 8 } else { 2 };
        let mut shown = 0;
        let groups = self.columns.div_ceil(self.group);
        for group in row.chunks(self.group) {
            if shown > 0 {
                text.push(' ');
                shown += 1;
            }
            let written = match self.form {
                Form::Bits => group.iter().map(|byte| format!("{byte:08b}")).collect(),
                Form::LittleEndian => {
                    let reversed: Vec<u8> = group.iter().rev().copied().collect();
                    " ".repeat((self.group - group.len()) * 2) + &self.digits(&reversed)
                }
                _ => self.digits(group),
            };
            shown += written.len();
            text.push_str(&written);
        }
        let width = self.columns * size + groups - 1;
        text.push_str(&" ".repeat(width.saturating_sub(shown)));
        text.push_str("  ");
        text.extend(row.iter().map(|byte| printable(*byte)));
        text.push('\n');
        text
    }

    /// The bytes that a dump shows.
    async fn back(&self, ctx: &CommandContext<'_>, input: &mut Inputs, out: &mut Target) -> Result<()> {
        let mut piece = Vec::new();
        let mut line = Vec::new();
        let mut at = 0_u64;
        let mut half = None;
        loop {
            input.fill(ctx, super::source::PIECE, &mut piece).await?;
            let ended = piece.is_empty();
            for &byte in piece.iter().chain(if ended { &b"\n"[..] } else { &[] }) {
                if byte != b'\n' {
                    line.push(byte);
                    continue;
                }
                if self.form == Form::Plain {
                    plain(&line, &mut half, out);
                } else if !self.row(&line, &mut at, out) {
                    ctx.stderr.write_all(b"xxd: Sorry, cannot seek backwards.\n").await?;
                    input.code = 5;
                    return Ok(());
                }
                line.clear();
                out.settle(ctx).await?;
            }
            if ended {
                return Ok(());
            }
        }
    }

    /// A line that begins with where it is to be. @returns false if that is before what is there.
    fn row(&self, line: &[u8], at: &mut u64, out: &mut Target) -> bool {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return true };
        let address = std::str::from_utf8(&line[..colon]).ok().and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
        let Some(address) = address else { return true };
        let address = address.saturating_add_signed(self.skipped);
        if address < *at {
            return false;
        }
        // More than that between two lines is no dump.
        let gap = usize::try_from(address - *at).unwrap_or(usize::MAX).min(64 << 20);
        out.add(&vec![0; gap]);
        *at = address;
        let mut spaces = 0;
        let mut half = None;
        let mut count = 0;
        for &byte in &line[colon + 1..] {
            let digit = char::from(byte).to_digit(16);
            spaces = if byte == b' ' { spaces + 1 } else { 0 };
            match digit {
                // Two spaces stand before the text.
                _ if spaces > 1 && count > 0 || count == self.columns => break,
                None if byte == b' ' => {}
                None => break,
                Some(digit) => match half.take() {
                    None => half = Some(digit),
                    Some(first) => {
                        out.add(&[(first << 4 | digit) as u8]);
                        count += 1;
                        *at += 1;
                    }
                },
            }
        }
        true
    }
}

/// Lines of nothing but zeros that follow each other: the first is shown, and the last of all.
#[derive(Default)]
struct Zeros {
    lines: usize,
    second: String,
    last: String,
}

impl Zeros {
    /// What stands for those after the first.
    fn end(&self, lines: usize, out: &mut Target) {
        match lines {
            0 | 1 => {}
            2 => out.add(self.second.as_bytes()),
            _ => out.add(b"*\n"),
        }
    }
}

/// Digits, whatever stands between them.
fn plain(line: &[u8], half: &mut Option<u32>, out: &mut Target) {
    for &byte in line {
        match (char::from(byte).to_digit(16), half.take()) {
            (Some(digit), None) => *half = Some(digit),
            (Some(digit), Some(first)) => out.add(&[(first << 4 | digit) as u8]),
            (None, kept) => *half = kept.filter(|_| byte.is_ascii_whitespace()),
        }
    }
}

/// `16`, `0x10`, `020`, `-4`, `+4`
fn number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
        (Some(hex), _) => i64::from_str_radix(hex, 16).ok()?,
        (None, Some(octal)) if !octal.is_empty() => i64::from_str_radix(octal, 8).ok()?,
        _ => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}
