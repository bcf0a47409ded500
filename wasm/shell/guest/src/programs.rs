//! Programs that are not the shell's own: the host runs them, one at a time, while the shell waits.

use bashkit::{Command, CommandContext, CommandStatus, Result, Wanted, async_trait};
use serde_json::json;
use std::time::Duration;

/// Names that the host answers to.
pub const NAMES: &[&str] = &[
    "python3", "python", "node", "qjs", "tsx", "ts-node", "pip", "pip3", "npm", "npx", "pytest", "py.test", "git", "gzip", "gunzip", "zcat",
    "sqlite3", "tar", "zip", "unzip", "xxd", "timeout", "python3.10", "python3.11", "python3.12", "python3.13",
];

/// Most of its input that a program is given: it starts when all of that is there.
const INPUT_MAX: usize = 64 << 20;
/// What is written at a time.
const PIECE: usize = 64 << 10;
/// How long it takes at most until what was printed has come to the host.
const HANDING_ON: Duration = Duration::from_millis(1);

#[link(wasm_import_module = "sandbox")]
unsafe extern "C" {
    /// Runs a program to its end. @returns its exit code. @param lengths gets those of what it printed and said, and whether it
    /// has read any of its input.
    fn spawn(request: *const u8, length: usize, input: *const u8, input_length: usize, lengths: *mut u32) -> i32;
    /// Hands over what the program that ended last wrote to stdout (1) or stderr (2).
    fn spawned(stream: i32, target: *mut u8);
}

pub struct Program;

#[async_trait]
impl Command for Program {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let mut input = Vec::new();
        while let Some(piece) = ctx.stdin.read_chunk().await? {
            if input.len() + piece.len() > INPUT_MAX {
                let message = format!("{}: its input is larger than {} MiB\n", ctx.name, INPUT_MAX >> 20);
                ctx.stderr.write_all(message.as_bytes()).await?;
                return Ok(CommandStatus::with_code(1));
            }
            input.extend_from_slice(&piece);
        }
        let wanted = match ctx.stdout.wanted() {
            Some(Wanted::Lines(lines)) => json!({ "lines": lines }),
            Some(Wanted::Bytes(bytes)) => json!({ "bytes": bytes }),
            None => json!({}),
        };
        let request =
            json!({ "name": ctx.name, "args": ctx.args, "env": ctx.env, "cwd": ctx.cwd, "wanted": wanted }).to_string();
        // What was printed before comes to the host: a stop, which comes while the program runs, drops what is on its way.
        tokio::time::sleep(HANDING_ON).await;
        let mut lengths = [0u32; 3];
        let code = unsafe {
            spawn(request.as_ptr(), request.len(), input.as_ptr(), input.len(), lengths.as_mut_ptr())
        };
        let [_, _, read_input] = lengths;
        if read_input == 0 {
            ctx.stdin.unread(&input).await;
        }
        for (stream, output) in [(1, &ctx.stdout), (2, &ctx.stderr)] {
            let mut bytes = vec![0u8; lengths[stream - 1] as usize];
            if bytes.is_empty() {
                continue;
            }
            unsafe { spawned(stream as i32, bytes.as_mut_ptr()) };
            for piece in bytes.chunks(PIECE) {
                output.write_all(piece).await?;
            }
        }
        Ok(CommandStatus::with_code(code))
    }
}
