//! `cmp`, which holds nothing of what it compares.

use super::options::{Parsed, Spec, Value, parse};
use super::source::{Printer, Runs, Source};
use super::absolute;
use crate::system;
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};

const OPTIONS: &[Spec] = &[
    Spec('b', "print-bytes", Value::None),
    Spec('i', "ignore-initial", Value::Required),
    Spec('l', "verbose", Value::None),
    Spec('n', "bytes", Value::Required),
    Spec('s', "quiet", Value::None),
    Spec('\0', "silent", Value::None),
];

const SAME: i32 = 0;
const DIFFERENT: i32 = 1;
const TROUBLE: i32 = 2;

pub struct Cmp;

#[async_trait]
impl Command for Cmp {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let order = match Order::of(ctx.args) {
            Ok(order) => order,
            Err(problem) => return complain(&ctx, &problem, TROUBLE).await,
        };
        let mut sides = Vec::new();
        for (name, skipped) in order.names.iter().zip(order.skipped) {
            let source = match Source::open(&ctx, name).await {
                Ok(source) => source,
                Err(why) => return complain(&ctx, &format!("{name}: {why}"), TROUBLE).await,
            };
            let mut side = Runs::new(source);
            side.skip(&ctx, skipped).await?;
            sides.push(side);
        }
        let [left, right] = &mut sides[..] else { unreachable!("there are two names") };
        order.compare(&ctx, left, right).await
    }
}

async fn complain(ctx: &CommandContext<'_>, what: &str, code: i32) -> Result<CommandStatus> {
    ctx.stderr.write_all(format!("cmp: {what}\n").as_bytes()).await?;
    Ok(CommandStatus::with_code(code))
}

struct Order {
    names: [String; 2],
    skipped: [u64; 2],
    most: u64,
    options: Parsed,
}

impl Order {
    fn of(args: &[String]) -> std::result::Result<Self, String> {
        let hint = "\ncmp: Try 'cmp --help' for more information.";
        let options = parse(args, OPTIONS).map_err(|problem| format!("{problem}{hint}"))?;
        let (one, other, skips) = match options.operands.as_slice() {
            [one] => (one.as_str(), "-", &[][..]),
            [one, other, skips @ ..] if skips.len() <= 2 => (one.as_str(), other.as_str(), skips),
            [] => return Err(format!("missing operand after 'cmp'{hint}")),
            [.., extra] => return Err(format!("extra operand '{extra}'{hint}")),
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("invalid number '{text}'"));
        let initial = options.value("i").unwrap_or("0");
        let (first, second) = initial.split_once(':').unwrap_or((initial, initial));
        let skip = |given: Option<&String>, initial: &str| number(given.map_or(initial, String::as_str));
        Ok(Order {
            names: [one.to_string(), other.to_string()],
            skipped: [skip(skips.first(), first)?, skip(skips.get(1), second)?],
            most: options.value("n").map(number).transpose()?.unwrap_or(u64::MAX),
            options,
        })
    }

    async fn compare(&self, ctx: &CommandContext<'_>, left: &mut Runs, right: &mut Runs) -> Result<CommandStatus> {
        let [one, other] = &self.names;
        let quiet = self.options.has("s") || self.options.has("silent");
        let (all, shows_bytes) = (self.options.has("l"), self.options.has("b"));
        let width = if all { self.width(ctx) } else { 0 };
        let mut printer = Printer::default();
        let (mut at, mut newlines, mut last, mut differs) = (0_u64, 0_u64, None, false);
        while at < self.most {
            let (a, b) = (left.peek(ctx).await?, right.peek(ctx).await?);
            let length = a.len().min(b.len()).min(usize::try_from(self.most - at).unwrap_or(usize::MAX));
            if length == 0 {
                if a.len() == b.len() {
                    break;
                }
                let short = if a.is_empty() { one } else { other };
                printer.flush(ctx).await?;
                if quiet {
                    return Ok(CommandStatus::with_code(DIFFERENT));
                }
                let place = match last {
                    None => String::from(" which is empty"),
                    Some(_) if all => format!(" after byte {at}"),
                    Some(b'\n') => format!(" after byte {at}, line {newlines}"),
                    Some(_) => format!(" after byte {at}, in line {}", newlines + 1),
                };
                return complain(ctx, &format!("EOF on {short}{place}"), DIFFERENT).await;
            }
            let (a, b) = (&a[..length], &b[..length]);
            if a != b {
                differs = true;
                if quiet {
                    return Ok(CommandStatus::with_code(DIFFERENT));
                }
                for (index, (&l, &r)) in a.iter().zip(b).enumerate().filter(|(_, (l, r))| l != r) {
                    let place = at + index as u64 + 1;
                    if !all {
                        let line = newlines + count(&a[..index]) + 1;
                        let bytes = if shows_bytes { format!(" is {l:>3o} {} {r:>3o} {}", visible(l), visible(r)) } else { String::new() };
                        let text = format!("{one} {other} differ: byte {place}, line {line}{bytes}\n");
                        ctx.stdout.write_all(text.as_bytes()).await?;
                        return Ok(CommandStatus::with_code(DIFFERENT));
                    }
                    let line = if shows_bytes {
                        format!("{place:>width$} {l:>3o} {:<4} {r:>3o} {}\n", visible(l), visible(r))
                    } else {
                        format!("{place:>width$} {l:>3o} {r:>3o}\n")
                    };
                    printer.bytes().extend_from_slice(line.as_bytes());
                }
            }
            newlines += count(a);
            last = a.last().copied();
            at += length as u64;
            left.take(length);
            right.take(length);
            printer.settle(ctx).await?;
        }
        printer.flush(ctx).await?;
        Ok(CommandStatus::with_code(if differs { DIFFERENT } else { SAME }))
    }

    /// Of a place in the shorter file; where that is not known, of any.
    fn width(&self, ctx: &CommandContext<'_>) -> usize {
        let sizes = self.names.iter().zip(self.skipped).filter(|(name, _)| *name != "-").filter_map(|(name, skipped)| {
            Some(system::status(&absolute(ctx.cwd, name), true).ok()?.size.saturating_sub(skipped))
        });
        sizes.min().unwrap_or(u64::MAX).min(self.most).to_string().len()
    }
}

fn count(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
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
