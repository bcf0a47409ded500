//! Commands that run another one otherwise than it would be run: what they change is nothing here.

use super::Call;

pub const NAMES: &[&str] = &["stdbuf", "setsid", "ionice", "dos2unix", "unix2dos"];

/// The script that does it; None: the command line is none of theirs.
pub fn script(name: &str, args: &[String]) -> Option<String> {
    match name {
        // A line at a time, as most do in any case.
        "stdbuf" => run_rest(args, &["-i", "-o", "-e", "--input", "--output", "--error"]),
        "setsid" => run_rest(args, &[]),
        "ionice" => run_rest(args, &["-c", "-n", "-p", "--class", "--classdata"]),
        "dos2unix" => Some(convert(args, "s/\\r$//")),
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

/// Files in their place; what is read, if none is named.
fn convert(args: &[String], program: &str) -> String {
    let files: Vec<String> = args.iter().filter(|arg| !arg.starts_with('-')).map(|file| quote(file)).collect();
    match files.is_empty() {
        true => format!("sed '{program}'"),
        false => format!("sed -i '{program}' -- {}", files.join(" ")),
    }
}

fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
