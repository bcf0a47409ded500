//! `wc`, which holds nothing of what it counts.

use super::column::width_of_char;
use super::options::{Spec, Value, parse};
use super::source::Source;
use super::{absolute, text};
use crate::system;
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};

const OPTIONS: &[Spec] = &[
    Spec('c', "bytes", Value::None),
    Spec('m', "chars", Value::None),
    Spec('l', "lines", Value::None),
    Spec('L', "max-line-length", Value::None),
    Spec('w', "words", Value::None),
    Spec('\0', "files0-from", Value::Required),
    Spec('\0', "total", Value::Required),
];

/// In the order in which they are shown.
const COUNTS: [&str; 5] = ["l", "w", "m", "c", "L"];
const BYTES: usize = 3;
const LONGEST: usize = 4;
/// Of a column where what is counted has no size that is known before.
const UNKNOWN_WIDTH: usize = 7;

pub struct Wc;

#[async_trait]
impl Command for Wc {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let options = match parse(ctx.args, OPTIONS) {
            Ok(options) => options,
            Err(problem) => return fail(&ctx, &format!("{problem}\nTry 'wc --help' for more information.")).await,
        };
        let mut shown: Vec<usize> = (0..COUNTS.len()).filter(|count| options.has(COUNTS[*count])).collect();
        if shown.is_empty() {
            shown = vec![0, 1, BYTES];
        }
        let mut names = options.operands.clone();
        if let Some(list) = options.value("files0-from") {
            if let Some(extra) = names.first() {
                return fail(&ctx, &format!("extra operand '{extra}'\nfile operands cannot be combined with --files0-from")).await;
            }
            let mut all = Vec::new();
            let mut source = match Source::open(&ctx, list).await {
                Ok(source) => source,
                Err(why) => return fail(&ctx, &format!("cannot open '{list}' for reading: {why}")).await,
            };
            loop {
                let piece = source.next(&ctx).await?;
                if piece.is_empty() {
                    break;
                }
                all.extend_from_slice(&piece);
            }
            let list = text::decode(&all);
            names = list.split('\0').filter(|name| !name.is_empty()).map(str::to_string).collect();
        }
        let total = options.value("total").unwrap_or("auto");
        if !["auto", "always", "only", "never"].contains(&total) {
            return fail(&ctx, &format!("invalid argument '{total}' for '--total'")).await;
        }
        let unnamed = names.is_empty() && !options.has("files0-from");
        if unnamed {
            names.push("-".into());
        }
        let width = if total == "only" || options.has("files0-from") { 1 } else { width(&ctx, &names, shown.len()) };
        let mut code = 0;
        let mut sum = [0; COUNTS.len()];
        for name in &names {
            let mut source = match Source::open(&ctx, name).await {
                Ok(source) => source,
                Err(why) => {
                    ctx.stderr.write_all(format!("wc: {name}: {why}\n").as_bytes()).await?;
                    code = 1;
                    if why == "Is a directory" && total != "only" {
                        print(&ctx, &[0; COUNTS.len()], &shown, width, Some(name)).await?;
                    }
                    continue;
                }
            };
            let mut counter = Counter { wants_text: shown.iter().any(|count| ![0, BYTES].contains(count)), ..Counter::default() };
            loop {
                let piece = source.next(&ctx).await?;
                counter.count(&piece);
                if piece.is_empty() {
                    break;
                }
            }
            for (count, (all, own)) in sum.iter_mut().zip(counter.counts).enumerate() {
                *all = if count == LONGEST { own.max(*all) } else { *all + own };
            }
            if total != "only" {
                print(&ctx, &counter.counts, &shown, width, (!unnamed).then_some(name)).await?;
            }
        }
        if total == "only" {
            print(&ctx, &sum, &shown, width, None).await?;
        } else if total == "always" || total == "auto" && names.len() > 1 {
            print(&ctx, &sum, &shown, width, Some("total")).await?;
        }
        Ok(CommandStatus::with_code(code))
    }
}

async fn fail(ctx: &CommandContext<'_>, what: &str) -> Result<CommandStatus> {
    ctx.stderr.write_all(format!("wc: {what}\n").as_bytes()).await?;
    Ok(CommandStatus::with_code(1))
}

/// Of each column: what the sizes of all files come to.
fn width(ctx: &CommandContext<'_>, names: &[String], columns: usize) -> usize {
    if names.len() == 1 && columns == 1 {
        return 1;
    }
    let mut least = 1;
    let mut bytes = 0;
    for name in names {
        match system::status(&absolute(ctx.cwd, name), true) {
            Ok(status) if name != "-" && status.file_type == system::FILE => bytes += status.size,
            Err(_) if name != "-" && !name.starts_with("/dev/") => {}
            _ => least = UNKNOWN_WIDTH,
        }
    }
    bytes.to_string().len().max(least)
}

async fn print(ctx: &CommandContext<'_>, counts: &[u64], shown: &[usize], width: usize, name: Option<&str>) -> Result<()> {
    let columns: Vec<String> = shown.iter().map(|count| format!("{:>width$}", counts[*count])).collect();
    let mut line = columns.join(" ");
    if let Some(name) = name {
        line.push(' ');
        line.push_str(name);
    }
    line.push('\n');
    ctx.stdout.write_all(&text::encode(line)).await
}

#[derive(Default)]
struct Counter {
    wants_text: bool,
    /// Of `COUNTS`.
    counts: [u64; COUNTS.len()],
    in_word: bool,
    column: u64,
    /// The beginning of a character.
    begun: Vec<u8>,
}

impl Counter {
    /// Nothing is the end.
    fn count(&mut self, piece: &[u8]) {
        self.counts[BYTES] += piece.len() as u64;
        self.counts[0] += piece.iter().filter(|byte| **byte == b'\n').count() as u64;
        if !self.wants_text {
            return;
        }
        let ended = piece.is_empty();
        let mut bytes = std::mem::take(&mut self.begun);
        bytes.extend_from_slice(piece);
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            for character in chunk.valid().chars() {
                self.character(character);
            }
            let incomplete = std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
            if !ended && chunks.peek().is_none() && incomplete {
                self.begun = chunk.invalid().to_vec();
            }
        }
        self.counts[LONGEST] = self.counts[LONGEST].max(self.column);
    }

    fn character(&mut self, character: char) {
        self.counts[2] += 1;
        match character {
            '\n' | '\r' | '\x0c' => {
                self.counts[LONGEST] = self.counts[LONGEST].max(self.column);
                self.column = 0;
                self.in_word = false;
            }
            '\t' => {
                self.column += 8 - self.column % 8;
                self.in_word = false;
            }
            '\x0b' => self.in_word = false,
            '\0'..'\x20' | '\x7f'..'\u{a0}' => {}
            _ => {
                self.column += width_of_char(character) as u64;
                // What keeps words together is no end of one.
                let ends = character.is_whitespace() && !matches!(character, '\u{a0}' | '\u{2007}' | '\u{202f}');
                if !ends && !self.in_word {
                    self.counts[1] += 1;
                }
                self.in_word = !ends;
            }
        }
    }
}
