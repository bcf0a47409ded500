//! Commands that can't do here what they are for: they say so, and how to go on.

use super::Call;

pub const NAMES: &[&str] = &["curl", "wget", "free"];

/// Options whose value is an argument of its own: those that curl and wget are given most.
const WITH_VALUE: &[&str] = &[
    "-X", "-d", "-H", "-o", "-u", "-A", "-F", "-b", "-c", "-e", "-m", "-T", "-w", "-x", "-K", "-P", "-t", "--request",
    "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json", "--header", "--output", "--user", "--form", "--url",
    "--connect-timeout", "--max-time", "--retry", "--user-agent", "--cookie", "--write-out",
];

fn operand(args: &[String]) -> Option<&String> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if WITH_VALUE.contains(&arg.as_str()) {
            args.next();
        } else if !arg.starts_with('-') {
            return Some(arg);
        }
    }
    None
}

pub fn run(call: &mut Call<'_>) -> i32 {
    // A value of an option may look like one, too, but no address of a scheme does.
    let address = || {
        let whole = call.args.iter().find(|arg| arg.contains("://"));
        whole.or_else(|| operand(call.args)).map_or("", String::as_str)
    };
    let (message, code) = match call.name {
        "curl" => (format!("(6) Could not resolve {}: there is no network here", address()), 6),
        "wget" => (format!("unable to resolve {}: there is no network here", address()), 4),
        // Figures of a machine would be made up: there is none.
        _ => ("there is no machine to measure here; get_workspace_info tells what the session has and uses".into(), 1),
    };
    call.complain(&message);
    if call.name == "curl" {
        call.out = written_out(call.args);
    }
    code
}

/// What `curl -w` prints where nothing was transferred.
fn written_out(args: &[String]) -> String {
    let given = args.iter().zip(args.iter().skip(1)).find(|(arg, _)| matches!(arg.as_str(), "-w" | "--write-out"));
    let format = given.map_or("", |(_, format)| format).replace("\\n", "\n").replace("\\t", "\t");
    let mut out = String::new();
    let mut rest = &format[..];
    while let Some((before, after)) = rest.split_once("%{") {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(before);
        out.push_str(match name {
            "http_code" | "response_code" | "http_connect" => "000",
            name if name.starts_with("time_") => "0.000000",
            name if name.starts_with("size_") || name.starts_with("num_") || name.starts_with("speed_") => "0",
            "exitcode" => "6",
            _ => "",
        });
        rest = after;
    }
    out + rest
}
