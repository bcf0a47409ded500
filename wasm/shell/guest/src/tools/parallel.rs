//! `parallel`: a command for each argument, one after the other, with their output in that order.

use super::Call;

struct Order {
    dry_run: bool,
    tag: bool,
    /// Where each command is told of, if it is: a redirection.
    told: Option<&'static str>,
    /// Words of the command, as a shell reads them; none: what is given are commands.
    template: Vec<Piece>,
    /// The lists that `:::` begins; none: lines that are read.
    groups: Vec<Vec<String>>,
}

enum Piece {
    Text(String),
    Number,
    Slot,
    /// Of one argument of several, or of all of them.
    Argument(Option<usize>, Part),
}

#[derive(Clone, Copy)]
enum Part {
    Whole,
    WithoutExtension,
    Base,
    BaseWithoutExtension,
    Directory,
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
    let mut order = Order { dry_run: false, tag: false, told: None, template: Vec::new(), groups: Vec::new() };
    let mut rest = args.iter().peekable();
    while let Some(arg) = rest.next_if(|arg| arg.starts_with('-') && arg.len() > 1) {
        match arg.as_str() {
            "--dry-run" | "--dryrun" => order.dry_run = true,
            "--tag" => order.tag = true,
            "-v" => order.told = Some(""),
            "--verbose" | "-t" => order.told = Some(" >&2"),
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
    if args.iter().any(|arg| arg.starts_with("::::") || arg == ":::+") {
        return Err(":::: and :::+ are not there: name arguments after :::, or pipe lines in".into());
    }
    if args.iter().any(|arg| arg == ":::") {
        let mut group = Vec::new();
        for arg in rest {
            if arg == ":::" { order.groups.push(std::mem::take(&mut group)) } else { group.push(arg.clone()) }
        }
        order.groups.push(group);
    }
    let text = words.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(" ");
    order.template = pieces(&text, order.groups.len().max(1))?;
    if product_size(&order.groups) > MOST_COMMANDS {
        return Err(format!("that would be more than {MOST_COMMANDS} commands"));
    }
    Ok(order)
}

const MOST_COMMANDS: usize = 100_000;

/// A command and the places in it. `columns` is how many arguments there are at once.
fn pieces(text: &str, columns: usize) -> Result<Vec<Piece>, String> {
    let (mut found, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(at) = rest.find('{') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find('}').map_or(rest.len(), |end| end + 1);
        if let Some(place) = place(&rest[..end], columns)? {
            found.push(Piece::Text(std::mem::take(&mut plain)));
            found.push(place);
            rest = &rest[end..];
        } else {
            plain.push('{');
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        found.push(Piece::Text(plain));
    }
    Ok(found)
}

fn place(text: &str, columns: usize) -> Result<Option<Piece>, String> {
    let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else { return Ok(None) };
    if inner.starts_with('=') {
        return Err("{= =} is not there: Perl does not run here".into());
    }
    let (column, part) = inner.split_at(inner.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(inner.len()));
    let part = match part {
        "" => Part::Whole,
        "." => Part::WithoutExtension,
        "/" => Part::Base,
        "/." => Part::BaseWithoutExtension,
        "//" => Part::Directory,
        "#" if column.is_empty() => return Ok(Some(Piece::Number)),
        "%" if column.is_empty() => return Ok(Some(Piece::Slot)),
        _ => return Ok(None),
    };
    if column.is_empty() {
        return Ok(Some(Piece::Argument(None, part)));
    }
    match column.parse::<usize>() {
        Ok(number) if (1..=columns).contains(&number) => Ok(Some(Piece::Argument(Some(number - 1), part))),
        _ => Err(format!("there is no argument for {text}: of {columns} the first is {{1}}")),
    }
}

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
        let all = |part: Part| row.iter().map(|word| quote(part.of(word))).collect::<Vec<_>>().join(" ");
        let mut command = String::new();
        for piece in &self.template {
            match piece {
                Piece::Text(text) => command.push_str(text),
                Piece::Number => command.push_str(&number.to_string()),
                Piece::Slot => command.push('1'),
                Piece::Argument(None, part) => command.push_str(&all(*part)),
                Piece::Argument(Some(column), part) => command.push_str(&quote(part.of(&row[*column]))),
            }
        }
        if !self.has_places() {
            command = format!("{command} {}", all(Part::Whole));
        }
        self.around(command.trim_start(), &row.join(" "))
    }

    fn has_places(&self) -> bool {
        self.template.iter().any(|piece| !matches!(piece, Piece::Text(_)))
    }

    fn around(&self, command: &str, tag: &str) -> String {
        if self.dry_run {
            return format!("printf '%s\\n' {}", quote(command));
        }
        let told = self.told.map_or(String::new(), |to| format!("printf '%s\\n' {}{to}; ", quote(command)));
        let marked = match self.tag {
            true => format!("( {command}\n) </dev/null | while IFS= read -r told; do printf '%s\\t%s\\n' {} \"$told\"; done\n[ ${{PIPESTATUS[0]}} = 0 ]", quote(tag)),
            false => format!("( {command}\n) </dev/null"),
        };
        format!("{told}{marked} || failed=$((failed + 1))")
    }

    /// What is done with a line that is read.
    fn read_line(&self) -> String {
        let mut text = String::new();
        for piece in &self.template {
            match piece {
                Piece::Text(plain) => text.push_str(&quote(plain)),
                Piece::Number => text.push_str("$number"),
                Piece::Slot => text.push('1'),
                Piece::Argument(_, part) => text.push_str(&part.of_line()),
            }
        }
        if self.template.is_empty() {
            text.push_str("\"$line\"");
        } else if !self.has_places() {
            text.push_str(&format!("' '{}", Part::Whole.of_line()));
        }
        if self.dry_run {
            return format!("printf '%s\\n' {text}");
        }
        let told = self.told.map_or(String::new(), |to| format!("printf '%s\\n' {text}{to}\n"));
        let run = format!("( eval {text} ) </dev/null");
        match self.tag {
            true => format!(
                "{told}{run} | while IFS= read -r told; do printf '%s\\t%s\\n' \"$line\" \"$told\"; done\n[ ${{PIPESTATUS[0]}} = 0 ] || failed=$((failed + 1))"
            ),
            false => format!("{told}{run} || failed=$((failed + 1))"),
        }
    }
}

impl Part {
    fn of<'a>(self, path: &'a str) -> &'a str {
        match self {
            Part::Whole => path,
            Part::WithoutExtension => without_extension(path),
            Part::Base => base(path),
            Part::BaseWithoutExtension => without_extension(base(path)),
            Part::Directory => directory(path),
        }
    }

    /// A word of the shell's with what it is of `$line`, quoted to be read again. A name without an extension is given an empty one.
    fn of_line(self) -> String {
        let extended = "[[ ${line##*/} == *.* ]] || line=$line.";
        let value = match self {
            Part::Whole => "printf %q \"$line\"".into(),
            Part::WithoutExtension => format!("{extended}; printf %q \"${{line%.*}}\""),
            Part::Base => "printf %q \"${line##*/}\"".into(),
            Part::BaseWithoutExtension => format!("line=${{line##*/}}; {extended}; printf %q \"${{line%.*}}\""),
            Part::Directory => "printf %q \"$(dirname -- \"$line\")\"".into(),
        };
        format!("\"$({value})\"")
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
        Some(at) if !path[at..].contains('/') => &path[..at],
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
