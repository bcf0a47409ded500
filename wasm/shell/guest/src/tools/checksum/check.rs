//! `-c`: the files of a list against the sums in it.

use super::super::source::{Runs, Source};
use super::super::text;
use super::algorithm::Algorithm;
use super::{Order, complain, sum};
use bashkit::{CommandContext, Result};

/// A name within one line.
pub fn escape(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescape(name: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = name.chars();
    while let Some(letter) = rest.next() {
        plain.push(match letter {
            '\\' => match rest.next()? {
                'n' => '\n',
                'r' => '\r',
                '\\' => '\\',
                _ => return None,
            },
            letter => letter,
        });
    }
    Some(plain)
}

struct Line {
    algorithm: Algorithm,
    bits: usize,
    sum: String,
    name: String,
}

/// `SUM  NAME`, `SUM *NAME`, or `TAG (NAME) = SUM`.
fn read(line: &str, order: &Order) -> Option<Line> {
    let line = line.trim_start_matches([' ', '\t']);
    let (escaped, line) = line.strip_prefix('\\').map_or((false, line), |rest| (true, rest));
    let tagged = line.split_once(" (").or_else(|| line.split_once('(')).and_then(|(tag, rest)| {
        let (name, length) = tag.split_once('-').map_or((tag, None), |(name, bits)| (name, bits.parse().ok()));
        let algorithm = Algorithm::tagged(name)?;
        let (name, sum) = rest.rsplit_once(") = ").or_else(|| rest.rsplit_once(")= "))?;
        Some((algorithm, length.unwrap_or(algorithm.bits()), sum, name))
    });
    let (algorithm, bits, sum, name) = match tagged {
        Some(tagged) => tagged,
        None => {
            if !order.fixed {
                return None;
            }
            let (sum, name) = line.split_at_checked(line.find([' ', '\t'])?)?;
            let name = &name[1..];
            let name = name.strip_prefix([' ', '*']).unwrap_or(name);
            let any_length = order.algorithm == Algorithm::Blake2b;
            let bits = if any_length { sum.len() * 4 } else { order.algorithm.bits() };
            (order.algorithm, bits, sum, name)
        }
    };
    let fits = (!order.fixed || algorithm == order.algorithm)
        && sum.len() * 4 == bits
        && sum.bytes().all(|digit| digit.is_ascii_hexdigit())
        && algorithm.begin(bits).is_some();
    if !fits || name.is_empty() {
        return None;
    }
    let name = if escaped { unescape(name)? } else { name.to_string() };
    Some(Line { algorithm, bits, sum: sum.to_ascii_lowercase(), name })
}

/// @returns whether all is as the list says.
pub async fn check(ctx: &CommandContext<'_>, order: &Order, list: &str) -> Result<bool> {
    let label = if list == "-" { "standard input" } else { list };
    let mut lines = match Source::open(ctx, list).await {
        Ok(source) => Runs::new(source),
        Err(why) => {
            complain(ctx, &format!("{list}: {why}")).await?;
            return Ok(false);
        }
    };
    let has = |option: &str| order.options.has(option);
    let silent = has("status");
    let (mut proper, mut malformed, mut unread, mut different, mut same) = (0, 0, 0, 0, 0);
    let mut number = 0;
    let mut bytes = Vec::new();
    while lines.line(ctx, b'\n', &mut bytes).await? {
        number += 1;
        let line = text::decode(bytes.strip_suffix(b"\r").unwrap_or(&bytes));
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some(line) = read(&line, order).filter(|line| line.name != "-" || list != "-") else {
            malformed += 1;
            if has("w") {
                let tag = if order.fixed { order.algorithm.tag() } else { "CRC" };
                complain(ctx, &format!("{label}: {number}: improperly formatted {tag} checksum line")).await?;
            }
            continue;
        };
        proper += 1;
        let (mark, shown) = if line.name.contains('\n') { ("\\", escape(&line.name)) } else { ("", line.name.clone()) };
        let verdict = match sum(ctx, &line.name, line.algorithm, line.bits).await? {
            Err(why) if has("ignore-missing") && why == "No such file or directory" => continue,
            Err(why) => {
                unread += 1;
                complain(ctx, &format!("{}: {why}", line.name)).await?;
                "FAILED open or read"
            }
            Ok(found) if found.text == line.sum => {
                same += 1;
                if has("quiet") {
                    continue;
                }
                "OK"
            }
            Ok(_) => {
                different += 1;
                "FAILED"
            }
        };
        if !silent {
            ctx.stdout.write_all(&text::encode(format!("{mark}{shown}: {verdict}\n"))).await?;
        }
    }
    if proper == 0 {
        complain(ctx, &format!("{label}: no properly formatted checksum lines found")).await?;
        return Ok(false);
    }
    if !silent {
        let warnings = [
            (malformed, "line is improperly formatted", "lines are improperly formatted"),
            (unread, "listed file could not be read", "listed files could not be read"),
            (different, "computed checksum did NOT match", "computed checksums did NOT match"),
        ];
        for (count, one, many) in warnings.into_iter().filter(|warning| warning.0 > 0) {
            complain(ctx, &format!("WARNING: {count} {}", if count == 1 { one } else { many })).await?;
        }
        if has("ignore-missing") && same == 0 {
            complain(ctx, &format!("{label}: no file was verified")).await?;
        }
    }
    Ok(same > 0 && unread == 0 && different == 0 && !(has("strict") && malformed > 0))
}
