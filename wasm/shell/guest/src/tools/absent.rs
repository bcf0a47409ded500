//! Commands that can't do here what they are for: they say so, and how to go on.

use super::Call;

pub const NAMES: &[&str] = &["curl", "wget", "free"];

pub fn run(call: &mut Call<'_>) -> i32 {
    let address = || call.args.iter().find(|arg| !arg.starts_with('-')).map_or("", String::as_str);
    let (message, code) = match call.name {
        "curl" => (format!("(6) Could not resolve {}: there is no network here", address()), 6),
        "wget" => (format!("unable to resolve {}: there is no network here", address()), 4),
        // Figures of a machine would be made up: there is none.
        _ => ("there is no machine to measure here; get_workspace_info tells what the session has and uses".into(), 1),
    };
    call.complain(&message);
    code
}
