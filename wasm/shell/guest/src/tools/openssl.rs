//! `openssl`: digests, base64 and random bytes, with the output of OpenSSL 3. Keys, certificates and ciphers are not here.

use super::base64::{Decoder, Encoder};
use super::checksum::algorithm::Algorithm;
use super::source::{OUTPUT_NAMES, Source};
use super::{absolute, reason, text};
use crate::files::Masked;
use crate::system;
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};

/// As a command, and as an option of `dgst`; how its name is printed; bytes of a block, by which HMAC goes.
const DIGESTS: &[(&str, Algorithm, &str, usize)] = &[
    ("blake2b512", Algorithm::Blake2b, "BLAKE2B-512", 128),
    ("md5", Algorithm::Md5, "MD5", 64),
    ("sha1", Algorithm::Sha1, "SHA1", 64),
    ("sha224", Algorithm::Sha224, "SHA2-224", 64),
    ("sha256", Algorithm::Sha256, "SHA2-256", 64),
    ("sha384", Algorithm::Sha384, "SHA2-384", 128),
    ("sha512", Algorithm::Sha512, "SHA2-512", 128),
];
const VERSION: &str = "OpenSSL 3.0 (wasmbox: base64, dgst, rand and version, in code of its own)\n";
const WHAT_IS_HERE: &str = "Here are base64, dgst, enc -base64, rand, version and blake2b512, md5, sha1, sha224, sha256, sha384, sha512.
In Python: hashlib has more digests, hmac and secrets keys and tokens.
";
/// Characters of a line of base64.
const COLUMNS: usize = 64;
/// Most random bytes at once.
const RANDOM_MAX: usize = 64 << 20;

pub struct Openssl;

/// What ends a command: what it says, without its name.
type Outcome = std::result::Result<i32, String>;

#[async_trait]
impl Command for Openssl {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let Some((command, args)) = ctx.args.split_first() else {
            ctx.stdout.write_all(WHAT_IS_HERE.as_bytes()).await?;
            return Ok(CommandStatus::with_code(0));
        };
        let name = command.trim_start_matches("--");
        let outcome = match name {
            "version" => {
                ctx.stdout.write_all(VERSION.as_bytes()).await?;
                Ok(0)
            }
            "help" => {
                ctx.stdout.write_all(WHAT_IS_HERE.as_bytes()).await?;
                Ok(0)
            }
            "rand" => random(&ctx, args).await?,
            "base64" => encode(&ctx, args, true).await?,
            "enc" => encode(&ctx, args, false).await?,
            "dgst" => digest(&ctx, args, None).await?,
            _ => match DIGESTS.iter().find(|known| known.0 == name) {
                Some(known) => digest(&ctx, args, Some(known.0)).await?,
                None => {
                    let told = format!("Invalid command '{command}'; type \"help\" for a list.\n{WHAT_IS_HERE}");
                    ctx.stderr.write_all(&text::encode(told)).await?;
                    return Ok(CommandStatus::with_code(1));
                }
            },
        };
        let code = match outcome {
            Ok(code) => code,
            Err(problem) => {
                ctx.stderr.write_all(&text::encode(format!("{name}: {problem}\n"))).await?;
                1
            }
        };
        Ok(CommandStatus::with_code(code))
    }
}

/// An option's name: one dash is as good as two.
fn option(arg: &str) -> Option<&str> {
    let name = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'))?;
    (!name.is_empty()).then_some(name)
}

fn missing(name: &str) -> String {
    format!("Option -{name} needs a value\nUse -help for summary.")
}

async fn print(ctx: &CommandContext<'_>, out: Option<&str>, bytes: &[u8]) -> Result<Outcome> {
    let Some(name) = out.filter(|name| *name != "-" && !OUTPUT_NAMES.contains(name)) else {
        ctx.stdout.write_all(bytes).await?;
        return Ok(Ok(0));
    };
    let path = absolute(ctx.cwd, name);
    let masked = Masked::of(&path);
    let written = std::fs::write(&path, bytes).and_then(|()| masked.apply(&path, 0o666));
    Ok(match written {
        Ok(()) => Ok(0),
        Err(error) => Err(format!("Can't open \"{name}\" for writing, {}", reason(&error))),
    })
}

async fn random(ctx: &CommandContext<'_>, args: &[String]) -> Result<Outcome> {
    let (mut hex, mut base64, mut out, mut count) = (false, false, None, None);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match option(arg) {
            Some("hex") => hex = true,
            Some("base64") => base64 = true,
            Some("out") => match rest.next() {
                Some(name) => out = Some(name.as_str()),
                None => return Ok(Err(missing("out"))),
            },
            Some(other) => return Ok(Err(format!("Unknown option: -{other}; there are -base64, -hex and -out"))),
            None if count.is_some() => return Ok(Err("Use -help for summary.".into())),
            None => match arg.parse::<usize>() {
                Ok(number) => count = Some(number),
                Err(_) => return Ok(Err(format!("Can't parse \"{arg}\" as a number"))),
            },
        }
    }
    let Some(count) = count else { return Ok(Err("how many bytes? rand [-hex|-base64] [-out file] number".into())) };
    if count > RANDOM_MAX {
        return Ok(Err(format!("{count} bytes are beyond the limit of {RANDOM_MAX}")));
    }
    let mut bytes = vec![0; count];
    if let Err(error) = system::random(&mut bytes) {
        return Ok(Err(reason(&error)));
    }
    let printed = match (hex, base64) {
        (true, _) => format!("{}\n", to_hex(&bytes)).into_bytes(),
        (false, true) => to_base64(&bytes, COLUMNS),
        (false, false) => bytes,
    };
    print(ctx, out, &printed).await
}

fn to_hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect()
}

/// @param columns Of a line; 0: all of it is one, which nothing ends.
fn to_base64(bytes: &[u8], columns: usize) -> Vec<u8> {
    let mut encoder = Encoder { columns, column: 0 };
    let mut printed = Vec::new();
    encoder.give(bytes, &mut printed);
    if columns > 0 && !printed.is_empty() {
        printed.push(b'\n');
    }
    printed
}

/// @param asked Whether it need not be told what to encode as.
async fn encode(ctx: &CommandContext<'_>, args: &[String], asked: bool) -> Result<Outcome> {
    let (mut base64, mut decodes, mut one_line, mut input, mut out) = (asked, false, false, None, None);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match option(arg) {
            Some("a" | "base64") => base64 = true,
            Some("d") => decodes = true,
            Some("e") => decodes = false,
            Some("A") => one_line = true,
            Some(name @ ("in" | "out")) => match rest.next() {
                Some(file) if name == "in" => input = Some(file.as_str()),
                Some(file) => out = Some(file.as_str()),
                None => return Ok(Err(missing(name))),
            },
            Some(other) => {
                return Ok(Err(format!(
                    "Unknown cipher: {other}\nThere are no ciphers here, only base64: enc -base64 [-d] [-A] [-in file] [-out file]"
                )));
            }
            None => return Ok(Err(format!("a file is named by -in: -in {arg}"))),
        }
    }
    if !base64 {
        return Ok(Err("which cipher? There is -base64 here".into()));
    }
    let name = input.unwrap_or("-");
    let mut source = match Source::open(ctx, name).await {
        Ok(source) => source,
        Err(why) => return Ok(Err(format!("Can't open \"{name}\" for reading, {why}"))),
    };
    let mut bytes = Vec::new();
    loop {
        let piece = source.next(ctx).await?;
        if piece.is_empty() {
            break;
        }
        bytes.extend_from_slice(&piece);
    }
    if !decodes {
        return print(ctx, out, &to_base64(&bytes, if one_line { 0 } else { COLUMNS })).await;
    }
    bytes.retain(|byte| !byte.is_ascii_whitespace());
    let (mut decoder, mut decoded) = (Decoder::default(), Vec::new());
    if !decoder.take(&bytes, &mut decoded) || !decoder.is_whole() {
        return Ok(Err("error reading input: it is no base64".into()));
    }
    print(ctx, out, &decoded).await
}

/// How digests are made, and printed.
struct Order {
    algorithm: Algorithm,
    block: usize,
    /// Of a HMAC.
    key: Option<Vec<u8>>,
    label: String,
    style: Style,
}

#[derive(PartialEq)]
enum Style {
    Labelled,
    Colons,
    Binary,
    /// As `sha256sum` does.
    Reversed,
}

impl Order {
    /// A digest's bytes. @returns why it has none.
    async fn sum(&self, ctx: &CommandContext<'_>, name: &str) -> Result<std::result::Result<Vec<u8>, String>> {
        let mut source = match Source::open(ctx, name).await {
            Ok(source) => source,
            Err(why) => return Ok(Err(why)),
        };
        let key = self.key.as_ref().map(|key| match key.len() > self.block {
            true => self.of(&[key]),
            false => key.clone(),
        });
        let padded = |with: u8| {
            let key = key.as_deref().unwrap_or_default();
            (0..self.block).map(|at| key.get(at).copied().unwrap_or(0) ^ with).collect::<Vec<u8>>()
        };
        let Some(mut sum) = self.algorithm.begin(self.algorithm.bits()) else { return Ok(Err("no digest".into())) };
        if key.is_some() {
            sum.add(&padded(0x36));
        }
        loop {
            let piece = source.next(ctx).await?;
            if piece.is_empty() {
                break;
            }
            sum.add(&piece);
        }
        let inner = from_hex(&sum.text()).unwrap_or_default();
        Ok(Ok(if key.is_some() { self.of(&[&padded(0x5c), &inner]) } else { inner }))
    }

    fn of(&self, parts: &[&[u8]]) -> Vec<u8> {
        let Some(mut sum) = self.algorithm.begin(self.algorithm.bits()) else { return Vec::new() };
        parts.iter().for_each(|part| sum.add(part));
        from_hex(&sum.text()).unwrap_or_default()
    }

    fn printed(&self, name: &str, sum: Vec<u8>) -> Vec<u8> {
        let hex = to_hex(&sum);
        let line = match self.style {
            Style::Binary => return sum,
            Style::Reversed => format!("{hex} *{name}\n"),
            Style::Labelled => format!("{}({name})= {hex}\n", self.label),
            Style::Colons => {
                let pairs: Vec<String> = sum.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("{}({name})= {}\n", self.label, pairs.join(":"))
            }
        };
        text::encode(line)
    }
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.bytes().map(|digit| char::from(digit).to_digit(16)).collect::<Option<Vec<u32>>>()?;
    let pairs = digits.chunks_exact(2);
    pairs.remainder().is_empty().then(|| pairs.map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

/// @param command The digest that is asked for by the command's own name.
async fn digest(ctx: &CommandContext<'_>, args: &[String], command: Option<&str>) -> Result<Outcome> {
    let (mut chosen, mut style, mut out, mut key) = (command.map(str::to_string), Style::Labelled, None, None);
    // Of `-mac HMAC -macopt key:KEY`: neither is anything without the other.
    let (mut keyed, mut key_of_mac) = (false, None);
    let mut rest = args.iter();
    let mut names = Vec::new();
    while let Some(arg) = rest.next() {
        let Some(name) = option(arg) else {
            names.extend((arg != "--").then(|| arg.clone()));
            names.extend(rest.by_ref().cloned());
            break;
        };
        match name {
            "hex" => style = Style::Labelled,
            "c" if style == Style::Labelled => style = Style::Colons,
            "c" => {}
            "r" => style = Style::Reversed,
            "binary" => style = Style::Binary,
            "out" | "hmac" | "mac" | "macopt" => {
                let Some(value) = rest.next() else { return Ok(Err(missing(name))) };
                match (name, value.split_once(':')) {
                    ("out", _) => out = Some(value.as_str()),
                    ("hmac", _) => key = Some(text::encode(value.clone())),
                    ("macopt", Some(("key", value))) => key_of_mac = Some(text::encode(value.to_string())),
                    ("macopt", Some(("hexkey", value))) => match from_hex(value) {
                        Some(bytes) => key_of_mac = Some(bytes),
                        None => return Ok(Err(format!("MAC parameter error \"hexkey:{value}\""))),
                    },
                    ("mac", _) if value.eq_ignore_ascii_case("hmac") => keyed = true,
                    _ => return Ok(Err(format!("-{name} {value}: there is HMAC here, by -hmac KEY, key: and hexkey:"))),
                }
            }
            name => {
                let lower = name.to_ascii_lowercase();
                if !DIGESTS.iter().any(|known| known.0 == lower) {
                    return Ok(Err(format!(
                        "Unknown option or message digest: {name}\n{WHAT_IS_HERE}dgst [-DIGEST] [-r|-c|-binary] [-hmac key] [-out file] [file ...]"
                    )));
                }
                chosen = Some(lower);
            }
        }
    }
    if keyed {
        key = key_of_mac;
        if key.is_none() {
            return Ok(Err("no key given with -macopt key:KEY".into()));
        }
    }
    // Where none is asked for, its name is not that of the others.
    let wanted = chosen.as_deref().unwrap_or("sha256");
    let Some((_, algorithm, label, block)) = DIGESTS.iter().find(|known| known.0 == wanted) else {
        return Ok(Err(format!("Unknown option or message digest: {wanted}")));
    };
    let label = if chosen.is_some() { label } else { &"SHA256" };
    let label_of = |name: &str| if key.is_some() && name != "-" { format!("HMAC-{label}") } else { label.to_string() };
    if names.is_empty() {
        names.push("-".into());
    }
    let mut order = Order { algorithm: *algorithm, block: *block, key: key.clone(), label: String::new(), style };
    let (mut printed, mut code) = (Vec::new(), 0);
    for name in &names {
        order.label = label_of(name);
        match order.sum(ctx, name).await? {
            Ok(sum) => printed.extend(order.printed(if name == "-" { "stdin" } else { name }, sum)),
            Err(why) => {
                ctx.stderr.write_all(&text::encode(format!("{name}: {why}\n"))).await?;
                code = 1;
            }
        }
    }
    Ok(print(ctx, out, &printed).await?.map(|_| code))
}
