//! `getopt` of util-linux: a command line in an order that scripts can read, quoted for `eval set --`.

use super::Call;

const FAILED: i32 = 1;
const MISUSED: i32 = 2;
/// What `-T` exits with, to tell this one from those that lose blanks.
const ENHANCED: i32 = 4;

/// How an option takes a value: by how many colons follow its name.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Nothing,
    Value,
    Maybe,
}

#[derive(PartialEq)]
enum Operands {
    AtEnd,
    /// `+`: the first ends the options.
    Stop,
    /// `-`: each where it was.
    InPlace,
}

#[derive(Default)]
struct Order {
    short: Option<String>,
    long: Vec<(String, Takes)>,
    name: Option<String>,
    alternative: bool,
    quiet: bool,
    silent: bool,
    unquoted: bool,
    words: Vec<String>,
}

pub fn run(call: &mut Call<'_>) -> i32 {
    match order(call.args) {
        Ok(Some(order)) => Scan::of(&order).run(call),
        Ok(None) => ENHANCED,
        Err(problem) => {
            call.complain(&problem);
            call.err.push_str("Try 'getopt --help' for more information.\n");
            MISUSED
        }
    }
}

/// @returns nothing for `-T`.
fn order(args: &[String]) -> Result<Option<Order>, String> {
    let mut order = Order::default();
    let first = args.first().ok_or("missing optstring argument")?;
    // The old way: the options' letters come first, and nothing is quoted.
    if !first.starts_with('-') {
        order.short = Some(first.clone());
        order.unquoted = true;
        let rest = &args[1..];
        order.words = rest.strip_prefix(&["--".to_string()]).unwrap_or(rest).to_vec();
        return Ok(Some(order));
    }
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        if arg == "--" {
            break;
        }
        let (name, attached) = if let Some(long) = arg.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let names = ["options", "longoptions", "name", "alternative", "quiet", "quiet-output", "shell", "test", "unquoted"];
            let exact = names.iter().find(|known| **known == name);
            let mut found = names.iter().filter(|known| known.starts_with(name));
            match (exact, found.next(), found.next()) {
                (Some(known), ..) | (None, Some(known), None) => (*known, value),
                _ => return Err(format!("unrecognized option '{arg}'")),
            }
        } else if let Some(letter) = arg.strip_prefix('-').and_then(|letters| letters.chars().next()) {
            let name = match letter {
                'o' => "options",
                'l' => "longoptions",
                'n' => "name",
                'a' => "alternative",
                'q' => "quiet",
                'Q' => "quiet-output",
                's' => "shell",
                'T' => "test",
                'u' => "unquoted",
                other => return Err(format!("invalid option -- '{other}'")),
            };
            (name, Some(&arg[2..]).filter(|value| !value.is_empty()))
        } else {
            // What is no option of its own is the letters, where there are none yet, or the first of the words.
            at -= 1;
            if order.short.is_none() {
                order.short = Some(arg.clone());
                at += 1;
            }
            break;
        };
        let mut value = || {
            let next = attached.map(str::to_string).or_else(|| args.get(at).cloned());
            at += usize::from(attached.is_none());
            next.ok_or_else(|| format!("option '--{name}' requires an argument"))
        };
        match name {
            "options" => order.short = Some(value()?),
            "longoptions" => {
                for long in value()?.split([',', ' ', '\t', '\n']).filter(|long| !long.is_empty()) {
                    let bare = long.trim_end_matches(':');
                    let takes = [Takes::Nothing, Takes::Value, Takes::Maybe][(long.len() - bare.len()).min(2)];
                    order.long.push((bare.into(), takes));
                }
            }
            "name" => order.name = Some(value()?),
            "shell" => match value()?.as_str() {
                "sh" | "bash" => {}
                other => return Err(format!("unknown shell after -s or --shell argument: '{other}'; sh and bash are supported")),
            },
            "test" => return Ok(None),
            "alternative" => order.alternative = true,
            "quiet" => order.quiet = true,
            "quiet-output" => order.silent = true,
            _ => order.unquoted = true,
        }
    }
    let mut words = &args[at.min(args.len())..];
    if order.short.is_none() {
        let (first, rest) = words.split_first().ok_or("missing optstring argument")?;
        order.short = Some(first.clone());
        words = rest.strip_prefix(&["--".to_string()]).unwrap_or(rest);
    }
    order.words = words.to_vec();
    Ok(Some(order))
}

struct Scan<'a> {
    order: &'a Order,
    letters: &'a str,
    operands: Operands,
    out: String,
    problems: Vec<String>,
}

impl<'a> Scan<'a> {
    fn of(order: &'a Order) -> Self {
        let short = order.short.as_deref().unwrap_or_default();
        let (operands, letters) = match short.chars().next() {
            Some('+') => (Operands::Stop, &short[1..]),
            Some('-') => (Operands::InPlace, &short[1..]),
            _ => (Operands::AtEnd, short),
        };
        Scan { order, letters, operands, out: String::new(), problems: Vec::new() }
    }

    fn quote(&self, word: &str) -> String {
        if self.order.unquoted { format!(" {word}") } else { format!(" '{}'", word.replace('\'', "'\\''")) }
    }

    fn value(&mut self, word: &str) {
        let quoted = self.quote(word);
        self.out.push_str(&quoted);
    }

    fn run(mut self, call: &mut Call<'_>) -> i32 {
        let mut rest = Vec::new();
        let mut words = self.order.words.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                rest.extend(words.by_ref());
            } else if let Some(long) = word.strip_prefix("--") {
                self.long(long, "--", &mut words);
            } else if word.len() > 1 && word.starts_with('-') {
                let first = word[1..].chars().next().unwrap_or_default();
                let many = word[1..].chars().nth(1).is_some();
                if self.order.alternative && (many || self.takes(first).is_none()) && self.is_long(&word[1..]) {
                    self.long(&word[1..], "-", &mut words);
                } else {
                    self.short(&word[1..], &mut words);
                }
            } else {
                match self.operands {
                    Operands::InPlace => self.value(word),
                    Operands::AtEnd => rest.push(word),
                    Operands::Stop => {
                        rest.push(word);
                        rest.extend(words.by_ref());
                    }
                }
            }
        }
        self.out.push_str(" --");
        for word in rest {
            self.value(word);
        }
        let label = self.order.name.as_deref().unwrap_or("getopt");
        if !self.order.quiet {
            for problem in &self.problems {
                call.err.push_str(&format!("{label}: {problem}\n"));
            }
        }
        if !self.order.silent {
            call.out.push_str(&self.out);
            call.out.push('\n');
        }
        if self.problems.is_empty() { 0 } else { FAILED }
    }

    fn takes(&self, letter: char) -> Option<Takes> {
        let at = self.letters.find(letter).filter(|_| letter != ':')?;
        let after = &self.letters[at + letter.len_utf8()..];
        Some(match after.len() - after.trim_start_matches(':').len() {
            0 => Takes::Nothing,
            1 => Takes::Value,
            _ => Takes::Maybe,
        })
    }

    fn short(&mut self, letters: &str, words: &mut std::slice::Iter<'_, String>) {
        for (at, letter) in letters.char_indices() {
            let attached = &letters[at + letter.len_utf8()..];
            match self.takes(letter) {
                None => self.problems.push(format!("invalid option -- '{letter}'")),
                Some(Takes::Nothing) => self.out.push_str(&format!(" -{letter}")),
                Some(takes) => {
                    let value = match (attached, takes) {
                        ("", Takes::Maybe) => Some(String::new()),
                        ("", _) => words.next().cloned(),
                        _ => Some(attached.to_string()),
                    };
                    match value {
                        Some(value) => {
                            self.out.push_str(&format!(" -{letter}"));
                            self.value(&value);
                        }
                        None => self.problems.push(format!("option requires an argument -- '{letter}'")),
                    }
                    return;
                }
            }
        }
    }

    fn is_long(&self, long: &str) -> bool {
        let name = long.split('=').next().unwrap_or_default();
        self.order.long.iter().any(|known| known.0.starts_with(name))
    }

    fn long(&mut self, long: &str, dashes: &str, words: &mut std::slice::Iter<'_, String>) {
        let (name, attached) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let found: Vec<&(String, Takes)> = self.order.long.iter().filter(|known| known.0.starts_with(name)).collect();
        let exact = found.iter().find(|known| known.0 == name);
        let (known, takes) = match (exact, found.as_slice()) {
            (Some(known), _) | (None, [known]) => (known.0.clone(), known.1),
            (None, []) => return self.problems.push(format!("unrecognized option '{dashes}{name}'")),
            (None, several) => {
                let names: Vec<String> = several.iter().map(|known| format!("'{dashes}{}'", known.0)).collect();
                let problem = format!("option '{dashes}{name}' is ambiguous; possibilities: {}", names.join(" "));
                return self.problems.push(problem);
            }
        };
        let value = match (takes, attached) {
            (Takes::Nothing, Some(_)) => {
                return self.problems.push(format!("option '{dashes}{known}' doesn't allow an argument"));
            }
            (Takes::Nothing, None) => None,
            (Takes::Maybe, value) => Some(value.unwrap_or_default().to_string()),
            (Takes::Value, Some(value)) => Some(value.to_string()),
            (Takes::Value, None) => match words.next() {
                Some(value) => Some(value.clone()),
                None => return self.problems.push(format!("option '{dashes}{known}' requires an argument")),
            },
        };
        self.out.push_str(&format!(" --{known}"));
        if let Some(value) = value {
            self.value(&value);
        }
    }
}
