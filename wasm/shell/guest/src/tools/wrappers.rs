//! Commands that run another one otherwise than it would be run: what they change is nothing here.

use super::Call;

pub const NAMES: &[&str] = &[
    "stdbuf", "setsid", "ionice", "dos2unix", "unix2dos", "more", "zless", "zmore", "rgrep", "zdiff", "zcmp", "killall", "pidof",
    "fallocate", "mcookie", "colrm", "whereis",
];

/// The script that does it; None: the command line is none of theirs.
pub fn script(name: &str, args: &[String]) -> Option<String> {
    match name {
        // A line at a time, as most do in any case.
        "stdbuf" => run_rest(args, &["-i", "-o", "-e", "--input", "--output", "--error"]),
        "setsid" => run_rest(args, &[]),
        "ionice" => run_rest(args, &["-c", "-n", "-p", "--class", "--classdata"]),
        "dos2unix" => Some(convert(args, "s/\\r$//")),
        "more" => Some(more(args)),
        "rgrep" => Some(format!("grep -r {}", all(args))),
        "zdiff" => unpacked("diff", args),
        "zcmp" => unpacked("cmp", args),
        "killall" => Some(format!("pkill {}", all(&exact(args)))),
        "pidof" => Some(format!("pgrep -d ' ' -x {}", operands(args).first()?)),
        "fallocate" => fallocate(args),
        "mcookie" => Some("openssl rand -hex 16".to_string()),
        "colrm" => colrm(args),
        "whereis" => Some(whereis(args)),
        "zless" | "zmore" => Some(format!("zcat -f {}", operands(args).join(" "))),
        "unix2dos" => Some(convert(args, "s/\\r*$/\\r/")),
        _ => None,
    }
}

/// What is said where there is no script.
pub fn run(call: &mut Call<'_>) -> i32 {
    call.complain("missing operand");
    125
}

/// @param with_value Options whose value may be an argument of its own.
fn run_rest(args: &[String], with_value: &[&str]) -> Option<String> {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if with_value.contains(&arg.as_str()) {
            rest.next();
        } else if arg == "--" {
            break;
        } else if !arg.starts_with('-') {
            return Some(std::iter::once(arg).chain(rest).map(|word| quote(word)).collect::<Vec<_>>().join(" "));
        }
    }
    let words: Vec<String> = rest.map(|word| quote(word)).collect();
    if words.is_empty() { None } else { Some(words.join(" ")) }
}

fn all(args: &[String]) -> String {
    args.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// Options, and two files that may be compressed; of one, it and what it was made of.
fn unpacked(tool: &str, args: &[String]) -> Option<String> {
    let options: Vec<String> = args.iter().filter(|arg| arg.starts_with('-') && arg.len() > 1).map(|arg| quote(arg)).collect();
    let files: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let (one, other) = match files.as_slice() {
        [one] => ((*one).clone(), one.trim_end_matches(".gz").to_string()),
        [one, other] => ((*one).clone(), (*other).clone()),
        _ => return None,
    };
    Some(format!("{tool} {} <(zcat -f {}) <(zcat -f {})", options.join(" "), quote(&one), quote(&other)))
}

/// `killall NAME` names all of a command.
fn exact(args: &[String]) -> Vec<String> {
    std::iter::once("-x".to_string()).chain(args.iter().filter(|arg| !matches!(arg.as_str(), "-q" | "-e" | "-w" | "-v")).cloned()).collect()
}

/// `-l SIZE FILE`; a file's contents are made when they are written, so that its size is all.
fn fallocate(args: &[String]) -> Option<String> {
    let size = args.iter().zip(args.iter().skip(1)).find(|(option, _)| matches!(option.as_str(), "-l" | "--length")).map(|(_, size)| size)?;
    let file = args.iter().rfind(|arg| !arg.starts_with('-') && *arg != size)?;
    Some(format!("truncate -s '>{}' -- {}", size, quote(file)))
}

/// Columns from the first to the last are left out.
fn colrm(args: &[String]) -> Option<String> {
    let columns: Vec<usize> = args.iter().map(|arg| arg.parse().ok()).collect::<Option<_>>()?;
    match columns.as_slice() {
        [] => Some("cat".to_string()),
        [0 | 1] => Some("sed 's/.*//'".to_string()),
        [first] => Some(format!("cut -c 1-{}", first - 1)),
        [first, last] if *first > 0 && last >= first => Some(format!("cut -c {first}-{last} --complement")),
        _ => None,
    }
}

fn whereis(args: &[String]) -> String {
    let one = |name: &String| format!("printf '%s:' {name}; for found in $(which -a {name}); do printf ' %s' \"$found\"; done; echo");
    operands(args).iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Without a terminal it shows all, several files under their names. `+5`: from that line on.
fn more(args: &[String]) -> String {
    let from = args.iter().find_map(|arg| arg.strip_prefix('+')).and_then(|line| line.parse::<usize>().ok()).unwrap_or(1);
    let shown: Vec<String> = args.iter().filter(|arg| !arg.starts_with('+')).cloned().collect();
    let files = operands(&shown);
    let line = ":".repeat(14);
    let one = |file: &String| format!("tail -n +{from} {file}");
    match files.as_slice() {
        [] => format!("tail -n +{from}"),
        [file] => one(file),
        files => files.iter().map(|file| format!("printf '%s\\n' {line} {file} {line}; {}", one(file))).collect::<Vec<_>>().join("; "),
    }
}

/// What is no option, quoted.
fn operands(args: &[String]) -> Vec<String> {
    args.iter().filter(|arg| !arg.starts_with('-')).map(|arg| quote(arg)).collect()
}

/// Files in their place; what is read, if none is named.
fn convert(args: &[String], program: &str) -> String {
    let files = operands(args);
    match files.is_empty() {
        true => format!("sed '{program}'"),
        false => format!("sed -i '{program}' -- {}", files.join(" ")),
    }
}

fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
