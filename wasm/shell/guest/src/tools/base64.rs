//! `base64`.

use super::options::{Spec, Value, parse};
use super::source::{Printer, Source};
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};

const OPTIONS: &[Spec] = &[
    Spec('d', "decode", Value::None),
    Spec('i', "ignore-garbage", Value::None),
    Spec('w', "wrap", Value::Required),
];

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// What no letter stands for.
const NONE: u8 = 0xff;
const VALUES: [u8; 256] = {
    let mut values = [NONE; 256];
    let mut at = 0;
    while at < LETTERS.len() {
        values[LETTERS[at] as usize] = at as u8;
        at += 1;
    }
    values
};

pub struct Base64;

#[async_trait]
impl Command for Base64 {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let options = match parse(ctx.args, OPTIONS) {
            Ok(options) => options,
            Err(problem) => return fail(&ctx, &format!("{problem}\nTry 'base64 --help' for more information.")).await,
        };
        let wrap = options.value("w").unwrap_or("76");
        let Ok(columns) = wrap.parse::<usize>() else {
            return fail(&ctx, &format!("invalid wrap size: '{wrap}'")).await;
        };
        if let Some(extra) = options.operands.get(1) {
            return fail(&ctx, &format!("extra operand '{extra}'\nTry 'base64 --help' for more information.")).await;
        }
        let name = options.operands.first().map_or("-", String::as_str);
        let mut source = match Source::open(&ctx, name).await {
            Ok(source) => source,
            Err(why) => return fail(&ctx, &format!("{name}: {why}")).await,
        };
        let mut printer = Printer::default();
        if options.has("d") {
            let mut decoder = Decoder { ignores: options.has("i"), ..Decoder::default() };
            loop {
                let piece = source.next(&ctx).await?;
                let valid = if piece.is_empty() { decoder.is_whole() } else { decoder.take(&piece, printer.bytes()) };
                if !valid {
                    decoder.give_rest(printer.bytes());
                    printer.flush(&ctx).await?;
                    return fail(&ctx, "invalid input").await;
                }
                if piece.is_empty() {
                    break;
                }
                printer.settle(&ctx).await?;
            }
        } else {
            let mut encoder = Encoder { columns, column: 0 };
            let mut rest = Vec::new();
            loop {
                let piece = source.next(&ctx).await?;
                rest.extend_from_slice(&piece);
                let whole = if piece.is_empty() { rest.len() } else { rest.len() / 3 * 3 };
                encoder.give(&rest[..whole], printer.bytes());
                rest.drain(..whole);
                if piece.is_empty() {
                    break;
                }
                printer.settle(&ctx).await?;
            }
            if encoder.column > 0 && columns > 0 {
                printer.bytes().push(b'\n');
            }
        }
        printer.flush(&ctx).await?;
        Ok(CommandStatus::with_code(0))
    }
}

async fn fail(ctx: &CommandContext<'_>, what: &str) -> Result<CommandStatus> {
    ctx.stderr.write_all(format!("base64: {what}\n").as_bytes()).await?;
    Ok(CommandStatus::with_code(1))
}

pub struct Encoder {
    /// Of a line; 0: there is one.
    pub columns: usize,
    pub column: usize,
}

impl Encoder {
    pub fn give(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for three in bytes.chunks(3) {
            let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
            let value = byte(0) << 16 | byte(1) << 8 | byte(2);
            for at in 0..4 {
                if self.column == self.columns && self.columns > 0 {
                    out.push(b'\n');
                    self.column = 0;
                }
                out.push(if at <= three.len() { LETTERS[(value >> (18 - 6 * at)) as usize & 63] } else { b'=' });
                self.column += 1;
            }
        }
    }
}

#[derive(Default)]
pub struct Decoder {
    ignores: bool,
    value: u32,
    letters: usize,
    fillers: usize,
}

impl Decoder {
    /// @returns whether it is base64 so far.
    pub fn take(&mut self, text: &[u8], out: &mut Vec<u8>) -> bool {
        for &letter in text {
            let value = VALUES[usize::from(letter)];
            match (letter, value) {
                (b'\n', _) => {}
                (b'=', _) if self.letters + self.fillers >= 2 && self.letters < 4 => {
                    self.fillers += 1;
                    if self.letters + self.fillers == 4 {
                        self.give_rest(out);
                    }
                }
                (b'=', _) => return false,
                (_, NONE) if self.ignores => {}
                (_, NONE) => return false,
                _ if self.fillers > 0 => return false,
                _ => {
                    self.value = self.value << 6 | u32::from(value);
                    self.letters += 1;
                    if self.letters == 4 {
                        out.extend_from_slice(&self.value.to_be_bytes()[1..]);
                        *self = Decoder { ignores: self.ignores, ..Decoder::default() };
                    }
                }
            }
        }
        true
    }

    pub fn is_whole(&self) -> bool {
        self.letters == 0
    }

    /// The bytes of a group that is not whole.
    pub fn give_rest(&mut self, out: &mut Vec<u8>) {
        let bytes = (self.value << (6 * (4 - self.letters.clamp(1, 4)))).to_be_bytes();
        out.extend_from_slice(&bytes[1..1 + (self.letters * 6 / 8)]);
        *self = Decoder { ignores: self.ignores, ..Decoder::default() };
    }
}
