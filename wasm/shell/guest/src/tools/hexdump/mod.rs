//! `hexdump`, `hd`: what is given, block by block, as formats say.

mod format;

use super::options::{Spec, Value, parse};
use super::source::{Printer, Runs, Source};
use super::text;
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};
use format::{Block, Format, block_size};

pub use format::printable;

const OPTIONS: &[Spec] = &[
    Spec('b', "one-byte-octal", Value::None),
    Spec('c', "one-byte-char", Value::None),
    Spec('C', "canonical", Value::None),
    Spec('d', "two-bytes-decimal", Value::None),
    Spec('o', "two-bytes-octal", Value::None),
    Spec('x', "two-bytes-hex", Value::None),
    Spec('X', "one-byte-hex", Value::None),
    Spec('e', "format", Value::Required),
    Spec('f', "format-file", Value::Required),
    Spec('n', "length", Value::Required),
    Spec('s', "skip", Value::Required),
    Spec('v', "no-squeezing", Value::None),
];

const DEFAULT: &[&str] = &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \"%04x \" \"\\n\""];
const CANONICAL: &[&str] =
    &["\"%08.8_Ax\\n\"", "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \"", "\"  |\" 16/1 \"%_p\" \"|\\n\""];
const NAMED: &[(&str, &[&str])] = &[
    ("b", &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\""]),
    ("c", &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\""]),
    ("C", CANONICAL),
    ("d", &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\""]),
    ("o", &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\""]),
    ("x", &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\""]),
    ("X", &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 16/1 \" %02x \" \"\\n\""]),
];

pub struct Hexdump;

#[async_trait]
impl Command for Hexdump {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let options = match parse(ctx.args, OPTIONS) {
            Ok(options) => options,
            Err(problem) => return fail(&ctx, &format!("{problem}\nTry 'hexdump --help' for more information.")).await,
        };
        let mut formats = Vec::new();
        for (name, value) in &options.given {
            let texts: Vec<String> = match (name.as_str(), value) {
                ("e", Some(text)) => vec![text.clone()],
                ("f", Some(file)) => match ctx.fs.read_file(&super::absolute(ctx.cwd, file)).await {
                    Ok(bytes) => {
                        let lines = text::decode(&bytes);
                        lines.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_string).collect()
                    }
                    Err(_) => return fail(&ctx, &format!("{file}: No such file or directory")).await,
                },
                (name, _) => {
                    let found = NAMED.iter().find(|(letter, _)| *letter == name);
                    found.map_or(&[][..], |(_, texts)| texts).iter().map(|text| (*text).to_string()).collect()
                }
            };
            for text in texts {
                match Format::parse(&text) {
                    Ok(format) => formats.push(format),
                    Err(problem) => return fail(&ctx, &problem).await,
                }
            }
        }
        if formats.is_empty() {
            let standard = if ctx.name == "hd" { CANONICAL } else { DEFAULT };
            formats.extend(standard.iter().filter_map(|text| Format::parse(text).ok()));
        }
        let mut amounts = [0, u64::MAX];
        for (amount, name) in amounts.iter_mut().zip(["s", "n"]) {
            let Some(value) = options.value(name) else { continue };
            match number(value) {
                Some(number) => *amount = number,
                None => return fail(&ctx, &format!("failed to parse {}: '{value}'", if name == "s" { "offset" } else { "length" })).await,
            }
        }
        let [skipped, most] = amounts;
        let size = match block_size(&mut formats) {
            Ok(size) => size,
            Err(problem) => return fail(&ctx, &problem).await,
        };
        let mut input = Inputs::new(&options.operands);
        let begin = input.skip(&ctx, skipped).await?;
        let mut block = Block { address: begin, bytes: Vec::new() };
        let mut before: Vec<u8> = Vec::new();
        let mut starred = false;
        let mut printer = Printer::default();
        let mut left = most;
        loop {
            let wanted = size.min(usize::try_from(left).unwrap_or(usize::MAX));
            input.fill(&ctx, wanted, &mut block.bytes).await?;
            if block.bytes.is_empty() {
                break;
            }
            left -= block.bytes.len() as u64;
            let squeezed = !options.has("v") && block.bytes.len() == size && block.bytes == before;
            if squeezed {
                if !starred {
                    printer.bytes().extend_from_slice(b"*\n");
                }
            } else {
                for format in &formats {
                    format.print(&block, printer.bytes());
                }
            }
            starred = squeezed;
            block.address += block.bytes.len() as u64;
            std::mem::swap(&mut before, &mut block.bytes);
            printer.settle(&ctx).await?;
        }
        if block.address > begin || input.code == 0 && skipped == 0 {
            for format in formats.iter().filter(|_| block.address > begin) {
                format.print_end(&block, printer.bytes());
            }
        }
        printer.flush(&ctx).await?;
        Ok(CommandStatus::with_code(input.code))
    }
}

async fn fail(ctx: &CommandContext<'_>, what: &str) -> Result<CommandStatus> {
    ctx.stderr.write_all(format!("hexdump: {what}\n").as_bytes()).await?;
    Ok(CommandStatus::with_code(1))
}

/// `16`, `0x10`, `020`, `1k`
fn number(text: &str) -> Option<u64> {
    let (digits, factor) = match text.trim_end_matches("iB").char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 1 << 10),
        (at, 'm' | 'M') => (&text[..at], 1 << 20),
        (at, 'g' | 'G') => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let value = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
        (Some(hex), _) => u64::from_str_radix(hex, 16).ok()?,
        (None, Some(octal)) if !octal.is_empty() => u64::from_str_radix(octal, 8).ok()?,
        _ => digits.parse::<u64>().ok()?,
    };
    value.checked_mul(factor)
}

/// All files, one after the other.
pub struct Inputs {
    names: std::vec::IntoIter<String>,
    open: Option<Runs>,
    pub code: i32,
}

impl Inputs {
    pub fn new(names: &[String]) -> Self {
        let names = if names.is_empty() { vec!["-".to_string()] } else { names.to_vec() };
        Inputs { names: names.into_iter(), open: None, code: 0 }
    }

    async fn current(&mut self, ctx: &CommandContext<'_>) -> Result<Option<&mut Runs>> {
        loop {
            if let Some(open) = &mut self.open
                && open.peek(ctx).await?.is_empty()
            {
                self.open = None;
            }
            if self.open.is_some() {
                return Ok(self.open.as_mut());
            }
            let Some(name) = self.names.next() else { return Ok(None) };
            match Source::open(ctx, &name).await {
                Ok(source) => self.open = Some(Runs::new(source)),
                Err(why) => {
                    ctx.stderr.write_all(format!("{}: {name}: {why}\n", ctx.name).as_bytes()).await?;
                    self.code = 1;
                }
            }
        }
    }

    pub async fn skip(&mut self, ctx: &CommandContext<'_>, count: u64) -> Result<u64> {
        let mut done = 0;
        while done < count {
            let Some(open) = self.current(ctx).await? else { break };
            done += open.skip(ctx, count - done).await?;
        }
        Ok(done)
    }

    /// Puts that many bytes into `bytes`, or what there is.
    pub async fn fill(&mut self, ctx: &CommandContext<'_>, count: usize, bytes: &mut Vec<u8>) -> Result<()> {
        bytes.clear();
        while bytes.len() < count {
            let Some(open) = self.current(ctx).await? else { break };
            let rest = open.peek(ctx).await?;
            let length = rest.len().min(count - bytes.len());
            bytes.extend_from_slice(&rest[..length]);
            open.take(length);
        }
        Ok(())
    }
}
