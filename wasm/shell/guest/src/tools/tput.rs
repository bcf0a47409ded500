//! `tput`: what terminals are told, of those that `TERM` names; where it names none, there is nothing to tell.

use super::Call;

const WIDTH: &str = "80";
const HEIGHT: &str = "24";

pub fn run(call: &mut Call<'_>) -> i32 {
    let mut args = call.args;
    let mut term = call.environment.get("TERM").cloned().unwrap_or_default();
    while let [first, rest @ ..] = args
        && let Some(name) = first.strip_prefix("-T")
    {
        (term, args) = match (name, rest) {
            ("", [name, rest @ ..]) => (name.clone(), rest),
            _ => (name.to_string(), rest),
        };
    }
    let [name, operands @ ..] = args else {
        call.complain("usage: tput [-T TERM] CAPABILITY [PARAMETER]...");
        return 2;
    };
    let Some(told) = capability(name, operands, &term) else {
        call.complain(&format!("unknown terminfo capability '{name}'"));
        return 4;
    };
    call.out.push_str(&told);
    0
}

/// As terminfo's xterm-256color has it.
fn capability(name: &str, operands: &[String], term: &str) -> Option<String> {
    let number = |at: usize| operands.get(at).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
    let color = |base: u32, bright: u32, wide: u32| match number(0) {
        number @ 0..=7 => format!("\x1b[{}m", base + number),
        number @ 8..=15 => format!("\x1b[{}m", bright + number - 8),
        number => format!("\x1b[{wide};5;{number}m"),
    };
    let told = match name {
        "cols" => return Some(format!("{WIDTH}\n")),
        "lines" => return Some(format!("{HEIGHT}\n")),
        "colors" if term.contains("256color") => return Some("256\n".into()),
        "colors" => return Some(if is_plain(term) { "-1\n" } else { "8\n" }.into()),
        "bold" => "\x1b[1m".into(),
        "dim" => "\x1b[2m".into(),
        "sitm" => "\x1b[3m".into(),
        "ritm" => "\x1b[23m".into(),
        "smul" => "\x1b[4m".into(),
        "rmul" => "\x1b[24m".into(),
        "blink" => "\x1b[5m".into(),
        "rev" | "smso" => "\x1b[7m".into(),
        "rmso" => "\x1b[27m".into(),
        "sgr0" => "\x1b(B\x1b[m".into(),
        "op" => "\x1b[39;49m".into(),
        "setaf" => color(30, 90, 38),
        "setab" => color(40, 100, 48),
        "clear" => "\x1b[H\x1b[2J\x1b[3J".into(),
        "home" => "\x1b[H".into(),
        "cup" => format!("\x1b[{};{}H", number(0) + 1, number(1) + 1),
        "el" => "\x1b[K".into(),
        "el1" => "\x1b[1K".into(),
        "ed" => "\x1b[J".into(),
        "cuu1" => "\x1b[A".into(),
        "civis" => "\x1b[?25l".into(),
        "cnorm" => "\x1b[?12l\x1b[?25h".into(),
        "smcup" => "\x1b[?1049h\x1b[22;0;0t".into(),
        "rmcup" => "\x1b[?1049l\x1b[23;0;0t".into(),
        "sc" => "\x1b7".into(),
        "rc" => "\x1b8".into(),
        "bel" => "\x07".into(),
        "init" | "reset" | "longname" => String::new(),
        _ => return None,
    };
    Some(if is_plain(term) { String::new() } else { told })
}

fn is_plain(term: &str) -> bool {
    matches!(term, "" | "dumb" | "unknown")
}
