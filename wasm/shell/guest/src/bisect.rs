//! `git bisect run`: git has no shell to run the command in. This one runs it, and asks git what comes of it.

/// What `git bisect --ran` exits with where one more run is wanted (`bisect.js`).
const ONE_MORE: i32 = 99;

/// The script that does it; None: the command line is another one.
pub fn script(args: &[String]) -> Option<String> {
    let at = args.iter().position(|arg| arg == "bisect")?;
    if args.get(at + 1)? != "run" || !are_global(&args[..at]) {
        return None;
    }
    let git = words("git", &args[..=at]);
    let command = words("", &args[at + 2..]);
    if command.is_empty() {
        return Some(format!(
            "{git} --check || exit\necho 'error: bisect run failed: no command provided.' >&2; exit 1"
        ));
    }
    let shown = quote(&format!("running  {}", command.trim_start()));
    Some(format!(
        "{git} --check || exit\nwhile :; do\necho {shown}\n{command}\n{git} --ran $?{command}\ncode=$?\n[ $code = {ONE_MORE} ] || exit $code\ndone"
    ))
}

/// Whether there is nothing before the command but options that have their values.
fn are_global(args: &[String]) -> bool {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if matches!(arg.as_str(), "-C" | "-c") {
            args.next();
        } else if !arg.starts_with('-') {
            return false;
        }
    }
    true
}

fn words(first: &str, rest: &[String]) -> String {
    rest.iter().fold(first.to_string(), |line, word| format!("{line} {}", quote(word)))
}

fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''").replace('!', "'\\!'"))
}
