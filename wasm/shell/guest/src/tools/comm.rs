//! `comm`, a line of each file at a time.

use super::options::{Spec, Value, parse};
use super::source::{Printer, Runs, Source};
use super::text;
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};
use std::cmp::Ordering;

const OPTIONS: &[Spec] = &[
    Spec('1', "", Value::None),
    Spec('2', "", Value::None),
    Spec('3', "", Value::None),
    Spec('z', "zero-terminated", Value::None),
    Spec('\0', "check-order", Value::None),
    Spec('\0', "nocheck-order", Value::None),
    Spec('\0', "output-delimiter", Value::Required),
    Spec('\0', "total", Value::None),
];

pub struct Comm;

/// One of the two files, of which a line is looked at.
struct Side {
    reader: Runs,
    line: Vec<u8>,
    before: Vec<u8>,
    is_there: bool,
    /// Whether its lines were found not to be sorted.
    unsorted: bool,
}

impl Side {
    async fn advance(&mut self, ctx: &CommandContext<'_>, end: u8) -> Result<()> {
        std::mem::swap(&mut self.line, &mut self.before);
        self.is_there = self.reader.line(ctx, end, &mut self.line).await?;
        Ok(())
    }
}

#[async_trait]
impl Command for Comm {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let hint = "\nTry 'comm --help' for more information.";
        let options = match parse(ctx.args, OPTIONS) {
            Ok(options) => options,
            Err(problem) => return fail(&ctx, &format!("{problem}{hint}")).await,
        };
        let names = match options.operands.as_slice() {
            [one, other] => [one, other],
            [] => return fail(&ctx, &format!("missing operand{hint}")).await,
            [one] => return fail(&ctx, &format!("missing operand after '{one}'{hint}")).await,
            [_, _, extra, ..] => return fail(&ctx, &format!("extra operand '{extra}'{hint}")).await,
        };
        let end = if options.has("z") { 0 } else { b'\n' };
        // None is a NUL.
        let between = match options.value("output-delimiter") {
            Some("") => vec![0],
            given => text::encode(given.unwrap_or("\t").to_string()),
        };
        let hidden = ["1", "2", "3"].map(|column| options.has(column));
        let before = [0, usize::from(!hidden[0]), usize::from(!hidden[0]) + usize::from(!hidden[1])].map(|count| between.repeat(count));
        let mut sides = Vec::new();
        for name in names {
            let source = match Source::open(&ctx, name).await {
                Ok(source) => source,
                Err(why) => return fail(&ctx, &format!("{name}: {why}")).await,
            };
            let mut side = Side { reader: Runs::new(source), line: Vec::new(), before: Vec::new(), is_there: false, unsorted: false };
            side.advance(&ctx, end).await?;
            sides.push(side);
        }
        let always = options.last_of(&["check-order", "nocheck-order"]);
        let mut counts = [0_u64; 3];
        let mut printer = Printer::default();
        while sides[0].is_there || sides[1].is_there {
            let order = match (sides[0].is_there, sides[1].is_there) {
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                _ => sides[0].line.cmp(&sides[1].line),
            };
            let (column, side) = match order {
                Ordering::Less => (0, 0),
                Ordering::Greater => (1, 1),
                Ordering::Equal => (2, 0),
            };
            counts[column] += 1;
            if !hidden[column] {
                let out = printer.bytes();
                out.extend_from_slice(&before[column]);
                out.extend_from_slice(&sides[side].line);
                out.push(end);
                printer.settle(&ctx).await?;
            }
            for (at, side) in sides.iter_mut().enumerate() {
                if column != 2 && column != at {
                    continue;
                }
                side.advance(&ctx, end).await?;
                let looks = match always {
                    Some("check-order") => true,
                    Some(_) => false,
                    None => counts[0] + counts[1] > 0,
                };
                if looks && side.is_there && !side.unsorted && side.line < side.before {
                    side.unsorted = true;
                    let message = format!("comm: file {} is not in sorted order\n", at + 1);
                    printer.flush(&ctx).await?;
                    ctx.stderr.write_all(message.as_bytes()).await?;
                    if always.is_some() {
                        return Ok(CommandStatus::with_code(1));
                    }
                }
            }
        }
        if options.has("total") {
            let out = printer.bytes();
            for count in counts {
                out.extend_from_slice(count.to_string().as_bytes());
                out.extend_from_slice(&between);
            }
            out.extend_from_slice(b"total");
            out.push(end);
        }
        printer.flush(&ctx).await?;
        if sides.iter().any(|side| side.unsorted) {
            return fail(&ctx, "input is not in sorted order").await;
        }
        Ok(CommandStatus::with_code(0))
    }
}

async fn fail(ctx: &CommandContext<'_>, what: &str) -> Result<CommandStatus> {
    ctx.stderr.write_all(format!("comm: {what}\n").as_bytes()).await?;
    Ok(CommandStatus::with_code(1))
}
