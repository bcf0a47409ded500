//! `md5sum` and its like, `cksum`, `sum` and `shasum`, which hold nothing of what they read.

pub mod algorithm;
mod check;

use super::options::{Parsed, Spec, Value, parse};
use super::source::Source;
use super::text;
use algorithm::Algorithm;
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};

const OPTIONS: &[Spec] = &[
    Spec('a', "algorithm", Value::Required),
    Spec('b', "binary", Value::None),
    Spec('c', "check", Value::None),
    Spec('l', "length", Value::Required),
    Spec('r', "", Value::None),
    Spec('s', "sysv", Value::None),
    Spec('t', "text", Value::None),
    Spec('w', "warn", Value::None),
    Spec('z', "zero", Value::None),
    Spec('\0', "ignore-missing", Value::None),
    Spec('\0', "quiet", Value::None),
    Spec('\0', "status", Value::None),
    Spec('\0', "strict", Value::None),
    Spec('\0', "tag", Value::None),
    Spec('\0', "untagged", Value::None),
];
/// Which of them not all of these commands have, and which do.
const OWN_OPTIONS: &[(&str, &[&str])] = &[
    ("a", &["cksum", "shasum"]),
    ("untagged", &["cksum"]),
    ("l", &["b2sum", "cksum"]),
    ("r", &["sum"]),
    ("s", &["sum"]),
];

pub const NAMES: &[&str] = &[
    "b2sum", "cksum", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shasum", "sum",
];

pub struct Checksum;

struct Order {
    algorithm: Algorithm,
    /// Whether sums of another algorithm are none.
    fixed: bool,
    bits: usize,
    tagged: bool,
    options: Parsed,
}

#[async_trait]
impl Command for Checksum {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let order = match Order::of(ctx.name, ctx.args) {
            Ok(order) => order,
            Err(problem) => {
                complain(&ctx, &format!("{problem}\nTry '{} --help' for more information.", ctx.name)).await?;
                return Ok(CommandStatus::with_code(1));
            }
        };
        let mut names = order.options.operands.clone();
        let unnamed = names.is_empty();
        if unnamed {
            names.push("-".into());
        }
        let mut well = true;
        for name in &names {
            well &= match order.options.has("c") {
                true => check::check(&ctx, &order, name).await?,
                false => print(&ctx, &order, name, unnamed).await?,
            };
        }
        Ok(CommandStatus::with_code(i32::from(!well)))
    }
}

async fn complain(ctx: &CommandContext<'_>, what: &str) -> Result<()> {
    ctx.stderr.write_all(&text::encode(format!("{}: {what}\n", ctx.name))).await
}

impl Order {
    fn of(command: &str, args: &[String]) -> std::result::Result<Self, String> {
        let options = parse(args, OPTIONS)?;
        for (option, commands) in OWN_OPTIONS {
            if options.has(option) && !commands.contains(&command) {
                return Err(match *option {
                    "untagged" => "unrecognized option '--untagged'".to_string(),
                    letter => format!("invalid option -- '{letter}'"),
                });
            }
        }
        let algorithm = match (command, options.value("a")) {
            ("cksum", None) => Algorithm::Crc,
            ("cksum", Some(name)) => {
                Algorithm::named(name).ok_or_else(|| format!("invalid argument '{name}' for '--algorithm'"))?
            }
            ("shasum", name) => Algorithm::named(&format!("sha{}", name.unwrap_or("1")))
                .ok_or_else(|| format!("Unrecognized algorithm '{}'", name.unwrap_or_default()))?,
            ("sum", _) => if options.last_of(&["r", "s"]) == Some("s") { Algorithm::SystemV } else { Algorithm::Bsd },
            ("b2sum", _) => Algorithm::Blake2b,
            (name, _) => Algorithm::named(name.trim_end_matches("sum")).ok_or("unknown algorithm")?,
        };
        let bits = match options.value("l") {
            None | Some("0") => algorithm.bits(),
            Some(_) if algorithm != Algorithm::Blake2b => {
                return Err("--length is only supported with --algorithm=blake2b".into());
            }
            Some(length) => length
                .parse()
                .ok()
                .filter(|bits| algorithm.begin(*bits).is_some())
                .ok_or_else(|| format!("invalid length: '{length}': 128, 160, 224, 256, 384 and 512 are supported"))?,
        };
        let checks = options.has("c");
        if !checks
            && let Some(option) = ["ignore-missing", "status", "w", "quiet", "strict"].into_iter().find(|name| options.has(name))
        {
            let option = if option == "w" { "warn" } else { option };
            return Err(format!("the --{option} option is meaningful only when verifying checksums"));
        }
        if checks && options.has("tag") {
            return Err("the --tag option is meaningless when verifying checksums".into());
        }
        if checks && options.has("z") {
            return Err("the --zero option is not supported when verifying checksums".into());
        }
        if checks && algorithm.bits() == 0 && options.has("a") {
            return Err("--check is not supported with --algorithm={bsd,sysv,crc}".into());
        }
        if checks && command == "sum" {
            return Err("invalid option -- 'c'".into());
        }
        let tagged = match command {
            "cksum" => options.last_of(&["tag", "untagged"]) != Some("untagged"),
            _ => options.has("tag"),
        };
        Ok(Order { algorithm, fixed: command != "cksum" || options.has("a"), bits, tagged, options })
    }
}

struct Summed {
    text: String,
    length: u64,
}

/// @returns why it could not be read. @throws if the script is to stop.
async fn sum(
    ctx: &CommandContext<'_>,
    name: &str,
    algorithm: Algorithm,
    bits: usize,
) -> Result<std::result::Result<Summed, String>> {
    let mut source = match Source::open(ctx, name).await {
        Ok(source) => source,
        Err(why) => return Ok(Err(why)),
    };
    let Some(mut sum) = algorithm.begin(bits) else { return Ok(Err("no such length".into())) };
    let mut length = 0;
    loop {
        let piece = source.next(ctx).await?;
        if piece.is_empty() {
            return Ok(Ok(Summed { text: sum.text(), length }));
        }
        length += piece.len() as u64;
        sum.add(&piece);
    }
}

async fn print(ctx: &CommandContext<'_>, order: &Order, name: &str, unnamed: bool) -> Result<bool> {
    let Summed { text: sum, length } = match sum(ctx, name, order.algorithm, order.bits).await? {
        Ok(summed) => summed,
        Err(why) => {
            complain(ctx, &format!("{name}: {why}")).await?;
            return Ok(false);
        }
    };
    let end = if order.options.has("z") { '\0' } else { '\n' };
    let shown = if unnamed { String::new() } else { format!(" {name}") };
    let line = match order.algorithm {
        Algorithm::Bsd => format!("{sum} {:>5}{shown}{end}", length.div_ceil(1024)),
        Algorithm::SystemV => format!("{sum} {}{shown}{end}", length.div_ceil(512)),
        Algorithm::Crc => format!("{sum} {length}{shown}{end}"),
        algorithm => {
            let escaped = if end == '\0' { name.to_string() } else { check::escape(name) };
            let mark = if escaped == name { "" } else { "\\" };
            if order.tagged {
                let tag = algorithm.tag();
                let size = if order.bits == algorithm.bits() { String::new() } else { format!("-{}", order.bits) };
                format!("{mark}{tag}{size} ({escaped}) = {sum}{end}")
            } else {
                let binary = order.options.last_of(&["b", "t"]) == Some("b");
                format!("{mark}{sum} {}{escaped}{end}", if binary { '*' } else { ' ' })
            }
        }
    };
    ctx.stdout.write_all(&text::encode(line)).await?;
    Ok(true)
}
