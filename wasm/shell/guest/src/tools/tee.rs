//! `tee`, which hands every byte on as it comes.

use super::options::{Spec, Value, parse};
use super::source::{ERROR_NAMES, OUTPUT_NAMES};
use bashkit::{Command, CommandContext, CommandOutput, CommandStatus, Error, Result, async_trait};

const OPTIONS: &[Spec] = &[
    Spec('a', "append", Value::None),
    Spec('i', "ignore-interrupts", Value::None),
    Spec('p', "", Value::None),
    Spec('\0', "output-error", Value::Optional),
];

pub struct Tee;

#[async_trait]
impl Command for Tee {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let options = match parse(ctx.args, OPTIONS) {
            Ok(options) => options,
            Err(problem) => {
                ctx.stderr.write_all(format!("tee: {problem}\n").as_bytes()).await?;
                return Ok(CommandStatus::with_code(1));
            }
        };
        let mut code = 0;
        let mut targets = Vec::new();
        let mut streams = Vec::new();
        for name in &options.operands {
            if let Some(stream) = stream_of(&ctx, name) {
                streams.push(stream);
                continue;
            }
            let path = super::absolute(ctx.cwd, name);
            let begun = if options.has("a") {
                ctx.fs.append_file(&path, &[]).await
            } else {
                ctx.fs.write_file(&path, &[]).await
            };
            match begun {
                Ok(()) => targets.push((name, path)),
                Err(error) => {
                    code = complain(&ctx, name, &error).await?;
                }
            }
        }
        while let Some(piece) = ctx.stdin.read_chunk().await? {
            let mut failed = Vec::new();
            for (at, (name, path)) in targets.iter().enumerate() {
                if let Err(error) = ctx.fs.append_file(path, &piece).await {
                    code = complain(&ctx, name, &error).await?;
                    failed.push(at);
                }
            }
            for at in failed.into_iter().rev() {
                targets.remove(at);
            }
            ctx.stdout.write_all(&piece).await?;
            for stream in &streams {
                stream.write_all(&piece).await?;
            }
        }
        Ok(CommandStatus::with_code(code))
    }
}

/// What a name stands for that is one of its own descriptors.
fn stream_of<'c>(ctx: &'c CommandContext<'_>, name: &str) -> Option<&'c CommandOutput> {
    if OUTPUT_NAMES.contains(&name) {
        Some(&ctx.stdout)
    } else if ERROR_NAMES.contains(&name) {
        Some(&ctx.stderr)
    } else {
        None
    }
}

async fn complain(ctx: &CommandContext<'_>, name: &str, error: &Error) -> Result<i32> {
    let reason = match error {
        Error::Io(error) => super::reason(error),
        other => other.to_string(),
    };
    ctx.stderr.write_all(format!("tee: {name}: {reason}\n").as_bytes()).await?;
    Ok(1)
}
