//! `parallel`: a command for each argument, one after the other, with their output in that order.

use super::Call;

struct Order {
    dry_run: bool,
    tag: bool,
    verbose: bool,
    /// Words of the command, as a shell reads them; none: what is given are commands.
    template: String,
    /// The lists that `:::` begins; none: lines that are read.
    groups: Vec<Vec<String>>,
}

/// The script that does it; None: `run` says what is wrong.
pub fn script(args: &[String]) -> Option<String> {
    let order = parse(args).ok()?;
    let mut lines = vec!["failed=0".to_string()];
    if order.groups.is_empty() {
        lines.push("number=0".into());
        lines.push("while IFS= read -r line || [ -n \"$line\" ]; do number=$((number + 1))".into());
        lines.push(order.read_line());
        lines.push("done".into());
    } else {
        for (at, row) in product(&order.groups).iter().enumerate() {
            lines.push(order.command(row, at + 1));
        }
    }
    lines.push("[ $failed -le 100 ] || failed=101".into());
    lines.push("(exit $failed)".into());
    Some(lines.join("\n"))
}

pub fn run(call: &mut Call<'_>) -> i32 {
    if let Err(problem) = parse(call.args) {
        call.complain(&problem);
    }
    255
}

fn parse(args: &[String]) -> Result<Order, String> {
    let mut order = Order { dry_run: false, tag: false, verbose: false, template: String::new(), groups: Vec::new() };
    let mut rest = args.iter().peekable();
    while let Some(arg) = rest.next_if(|arg| arg.starts_with('-') && arg.len() > 1) {
        match arg.as_str() {
            "--dry-run" | "--dryrun" => order.dry_run = true,
            "--tag" => order.tag = true,
            "-v" | "--verbose" | "-t" => order.verbose = true,
            // One runs after the other, whatever is asked for.
            "-k" | "--keep-order" | "--bar" | "--progress" | "--eta" | "-u" | "--ungroup" | "--line-buffer" | "--lb"
            | "--will-cite" | "--no-notice" | "-r" | "--no-run-if-empty" | "--group" => {}
            "-j" | "--jobs" | "-P" | "--max-procs" | "--load" | "--delay" => {
                rest.next().ok_or_else(|| format!("option {arg} needs a value"))?;
            }
            _ if arg.starts_with("-j") || arg.starts_with("-P") || arg.starts_with("--jobs=") => {}
            _ => return Err(format!("{arg} is not there: xargs -n and for loops do the same")),
        }
    }
    let words: Vec<&String> = rest.by_ref().take_while(|arg| *arg != ":::").collect();
    let has_groups = args.iter().any(|arg| arg == ":::");
    if words.iter().any(|word| word.starts_with("::::") || *word == ":::+") {
        return Err(":::: and :::+ are not there: name arguments after :::, or pipe lines in".into());
    }
    order.template = words.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(" ");
    if has_groups {
        let mut group = Vec::new();
        for arg in rest {
            if arg == ":::" { order.groups.push(std::mem::take(&mut group)) } else { group.push(arg.clone()) }
        }
        order.groups.push(group);
    }
    if product_size(&order.groups) > MOST_COMMANDS {
        return Err(format!("that would be more than {MOST_COMMANDS} commands"));
    }
    Ok(order)
}

const MOST_COMMANDS: usize = 100_000;

fn product_size(groups: &[Vec<String>]) -> usize {
    groups.iter().fold(1, |size: usize, group| size.saturating_mul(group.len()))
}

fn product(groups: &[Vec<String>]) -> Vec<Vec<String>> {
    let mut rows = vec![Vec::new()];
    for group in groups {
        rows = rows
            .iter()
            .flat_map(|row| group.iter().map(move |word| [row.as_slice(), std::slice::from_ref(word)].concat()))
            .collect();
    }
    rows
}

impl Order {
    fn command(&self, row: &[String], number: usize) -> String {
        if self.template.is_empty() {
            return self.around(&row.join(" "), &row.join(" "));
        }
        let words: Vec<String> = row.iter().map(|word| quote(word)).collect();
        let part = |cut: fn(&str) -> &str| row.iter().map(|word| quote(cut(word))).collect::<Vec<_>>().join(" ");
        let mut command = self.template.clone();
        let mut places: Vec<(String, String)> = vec![
            ("{/.}".into(), part(|word| without_extension(base(word)))),
            ("{//}".into(), part(directory)),
            ("{/}".into(), part(base)),
            ("{.}".into(), part(without_extension)),
            ("{#}".into(), number.to_string()),
            ("{%}".into(), "1".into()),
            ("{}".into(), words.join(" ")),
        ];
        places.extend(words.iter().enumerate().map(|(at, word)| (format!("{{{}}}", at + 1), word.clone())));
        let has_place = places.iter().any(|(place, _)| command.contains(place.as_str()));
        for (place, value) in &places {
            command = command.replace(place.as_str(), value);
        }
        if !has_place {
            command = format!("{command} {}", words.join(" "));
        }
        self.around(command.trim_start(), &row.join(" "))
    }

    fn around(&self, command: &str, tag: &str) -> String {
        if self.dry_run {
            return format!("printf '%s\\n' {}", quote(command));
        }
        let told = if self.verbose { format!("printf '%s\\n' {}; ", quote(command)) } else { String::new() };
        let marked = match self.tag {
            true => format!("( {command}\n) </dev/null | while IFS= read -r told; do printf '%s\\t%s\\n' {} \"$told\"; done\n[ ${{PIPESTATUS[0]}} = 0 ]", quote(tag)),
            false => format!("( {command}\n) </dev/null"),
        };
        format!("{told}{marked} || failed=$((failed + 1))")
    }

    /// What is done with a line that is read: the places are of no use to the shell before.
    fn read_line(&self) -> String {
        let mut command = self.template.clone();
        let places = [
            ("{/.}", "$(name=${line##*/}; printf %q \"${name%.*}\")"),
            ("{//}", "$(printf %q \"$(dirname -- \"$line\")\")"),
            ("{/}", "$(printf %q \"${line##*/}\")"),
            ("{.}", "$(printf %q \"${line%.*}\")"),
            ("{#}", "$number"),
            ("{%}", "1"),
            ("{1}", "$(printf %q \"$line\")"),
            ("{}", "$(printf %q \"$line\")"),
        ];
        let has_place = places.iter().any(|(place, _)| command.contains(place));
        let mut text = String::new();
        while !command.is_empty() {
            let next = places.iter().filter_map(|(place, value)| command.find(place).map(|at| (at, *place, *value))).min();
            let Some((at, place, value)) = next else {
                text.push_str(&quote(&command));
                break;
            };
            text.push_str(&format!("{}\"{value}\"", quote(&command[..at])));
            command = command[at + place.len()..].to_string();
        }
        if self.template.is_empty() {
            text.push_str("\"$line\"");
        } else if !has_place {
            text.push_str("' '\"$(printf %q \"$line\")\"");
        }
        if self.dry_run {
            return format!("printf '%s\\n' {text}");
        }
        let told = if self.verbose { format!("printf '%s\\n' {text}\n") } else { String::new() };
        let run = format!("( eval {text} ) </dev/null");
        match self.tag {
            true => format!(
                "{told}{run} | while IFS= read -r told; do printf '%s\\t%s\\n' \"$line\" \"$told\"; done\n[ ${{PIPESTATUS[0]}} = 0 ] || failed=$((failed + 1))"
            ),
            false => format!("{told}{run} || failed=$((failed + 1))"),
        }
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn directory(path: &str) -> &str {
    path.rfind('/').map_or(".", |at| if at == 0 { "/" } else { &path[..at] })
}

fn without_extension(path: &str) -> &str {
    match path.rfind('.') {
        Some(at) if at > path.rfind('/').map_or(0, |slash| slash + 1) => &path[..at],
        _ => path,
    }
}

/// As little as is needed: what is run is shown, too.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
