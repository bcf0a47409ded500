//! `bc`: POSIX's calculator with GNU's extensions.

mod calculator;
mod code;
mod definition;
mod expression;
mod lexer;
mod library;
mod machine;
pub mod number;
mod output;
mod parser;
mod statement;

use super::options::{Parsed, Spec, Value, parse};
use super::source::INPUT_NAMES;
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};
use calculator::{Calculator, Need, Source};
use output::Stream;
use parser::Extensions;

const OPTIONS: &[Spec] = &[
    Spec('h', "help", Value::None),
    Spec('i', "interactive", Value::None),
    Spec('l', "mathlib", Value::None),
    Spec('q', "quiet", Value::None),
    Spec('s', "standard", Value::None),
    Spec('w', "warn", Value::None),
    Spec('v', "version", Value::None),
];

const VERSION: &str = "bc 1.07.1 (wasmbox: the language of GNU bc 1.07.1)\n";

const HELP: &str = "\
usage: bc [options] [file ...]
  -h  --help         print this usage and exit
  -i  --interactive  force interactive mode
  -l  --mathlib      use the predefined math routines
  -q  --quiet        don't print initial banner
  -s  --standard     non-standard bc constructs are errors
  -w  --warn         warn about non-standard bc constructs
  -v  --version      print version information and exit
";

/// What `-l` sets `scale` to.
const LIBRARY_SCALE: i64 = 20;
/// Longest line, or definition, of standard input.
const STATEMENT_MAX: usize = 16 << 20;

pub struct Bc;

#[async_trait]
impl Command for Bc {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let given = ctx.env.get("BC_ENV_ARGS").map_or("", String::as_str).split_ascii_whitespace().map(str::to_string);
        let args: Vec<String> = given.chain(ctx.args.iter().cloned()).collect();
        let options = match parse(&args, OPTIONS) {
            Ok(options) => options,
            Err(problem) => {
                ctx.stderr.write_all(format!("bc: {problem}\n{HELP}").as_bytes()).await?;
                return Ok(CommandStatus::with_code(1));
            }
        };
        for (option, text) in [("h", HELP), ("v", VERSION)] {
            if options.has(option) {
                ctx.stdout.write_all(text.as_bytes()).await?;
                return Ok(CommandStatus::with_code(0));
            }
        }
        if options.has("i") && !options.has("q") {
            ctx.stdout.write_all(VERSION.as_bytes()).await?;
        }
        let mut files = Vec::new();
        // Standard input is read after the files in any case.
        for name in options.operands.iter().filter(|name| !INPUT_NAMES.contains(&name.as_str())) {
            match ctx.fs.read_file(&super::absolute(ctx.cwd, name)).await {
                Ok(text) => files.push(Source { name: name.clone(), text }),
                Err(_) => {
                    ctx.stderr.write_all(format!("File {name} is unavailable.\n").as_bytes()).await?;
                    return Ok(CommandStatus::with_code(1));
                }
            }
        }
        calculate(&ctx, calculator(&options, files, ctx.env.get("BC_LINE_LENGTH").map(String::as_str))).await
    }
}

fn calculator(options: &Parsed, files: Vec<Source>, line: Option<&str>) -> Calculator {
    let extensions = match (options.has("s"), options.has("w")) {
        (true, _) => Extensions::Refused,
        (_, true) => Extensions::Warned,
        _ => Extensions::Allowed,
    };
    Calculator::new(files, line, options.has("l").then_some(LIBRARY_SCALE), extensions)
}

async fn calculate(ctx: &CommandContext<'_>, mut calculator: Calculator) -> Result<CommandStatus> {
    loop {
        let need = calculator.work();
        // Also where there is nothing to write: this is where a stop is seen.
        ctx.stdout.write_all(&[]).await?;
        for (stream, bytes) in calculator.output() {
            let target = if stream == Stream::Out { &ctx.stdout } else { &ctx.stderr };
            for piece in bytes.chunks(64 << 10) {
                target.write_all(piece).await?;
            }
        }
        match need {
            Need::Nothing(code) => return Ok(CommandStatus::with_code(code)),
            Need::Time => tokio::task::yield_now().await,
            Need::Input(least) if least > STATEMENT_MAX => {
                let message = format!("bc: a statement is longer than {} MiB\n", STATEMENT_MAX >> 20);
                ctx.stderr.write_all(message.as_bytes()).await?;
                return Ok(CommandStatus::with_code(1));
            }
            // A statement that goes on is read from its beginning again: by then there is twice as much of it.
            Need::Input(least) => {
                let mut read = 0;
                while read < least {
                    let piece = ctx.stdin.read_chunk().await?.unwrap_or_default();
                    calculator.feed(&piece);
                    if piece.is_empty() {
                        break;
                    }
                    read += piece.len();
                }
            }
        }
    }
}
