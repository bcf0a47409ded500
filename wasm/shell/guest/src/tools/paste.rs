//! `paste`, a line of each file at a time.

use super::options::{Spec, Value, parse};
use super::source::{Printer, Runs, Source};
use super::text;
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};

const OPTIONS: &[Spec] = &[
    Spec('d', "delimiters", Value::Required),
    Spec('s', "serial", Value::None),
    Spec('z', "zero-terminated", Value::None),
];

pub struct Paste;

#[async_trait]
impl Command for Paste {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let options = match parse(ctx.args, OPTIONS) {
            Ok(options) => options,
            Err(problem) => return fail(&ctx, &format!("{problem}\nTry 'paste --help' for more information.")).await,
        };
        let list = options.value("d").unwrap_or("\t");
        let Some(delimiters) = delimiters(list) else {
            return fail(&ctx, &format!("delimiter list ends with an unescaped backslash: {list}")).await;
        };
        let end = if options.has("z") { 0 } else { b'\n' };
        let mut names = options.operands;
        if names.is_empty() {
            names.push("-".into());
        }
        // What is given is read by all that are `-`, in turns.
        let mut readers = Vec::new();
        let mut given = None;
        let mut order = Vec::new();
        for name in &names {
            if let (true, Some(reader)) = (name == "-", given) {
                order.push(reader);
                continue;
            }
            match Source::open(&ctx, name).await {
                Ok(source) => readers.push(Runs::new(source)),
                Err(why) => return fail(&ctx, &format!("{name}: {why}")).await,
            }
            let reader = readers.len() - 1;
            order.push(reader);
            if name == "-" {
                given = Some(reader);
            }
        }
        let delimiter = |at: usize| delimiters[at % delimiters.len()].as_slice();
        let mut printer = Printer::default();
        let mut line = Vec::new();
        if options.given.iter().any(|(name, _)| name == "s") {
            for &reader in &order {
                let mut at = 0;
                while readers[reader].line(&ctx, end, &mut line).await? {
                    if at > 0 {
                        printer.bytes().extend_from_slice(delimiter(at - 1));
                    }
                    printer.bytes().extend_from_slice(&line);
                    printer.settle(&ctx).await?;
                    at += 1;
                }
                printer.bytes().push(end);
            }
        } else {
            loop {
                let begun = printer.bytes().len();
                let mut any = false;
                for (at, &reader) in order.iter().enumerate() {
                    if readers[reader].line(&ctx, end, &mut line).await? {
                        any = true;
                        printer.bytes().extend_from_slice(&line);
                    }
                    printer.bytes().extend_from_slice(if at + 1 < order.len() { delimiter(at) } else { &[] });
                }
                if !any {
                    printer.bytes().truncate(begun);
                    break;
                }
                printer.bytes().push(end);
                printer.settle(&ctx).await?;
            }
        }
        printer.flush(&ctx).await?;
        Ok(CommandStatus::with_code(0))
    }
}

async fn fail(ctx: &CommandContext<'_>, what: &str) -> Result<CommandStatus> {
    ctx.stderr.write_all(format!("paste: {what}\n").as_bytes()).await?;
    Ok(CommandStatus::with_code(1))
}

/// @returns nothing if a backslash is the last of them.
fn delimiters(list: &str) -> Option<Vec<Vec<u8>>> {
    let mut delimiters = Vec::new();
    let mut letters = list.chars();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '\\' => match letters.next()? {
                '0' => {
                    delimiters.push(Vec::new());
                    continue;
                }
                'b' => '\x08',
                'f' => '\x0c',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\x0b',
                other => other,
            },
            letter => letter,
        };
        delimiters.push(text::encode(letter.to_string()));
    }
    if delimiters.is_empty() {
        delimiters.push(Vec::new());
    }
    Some(delimiters)
}
