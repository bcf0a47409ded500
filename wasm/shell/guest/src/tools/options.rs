//! Command lines in the way of getopt_long: `-xz`, `-n3`, `-n 3`, `--name=value`, `--`, operands anywhere.

/// An option: its letter (NUL: none), its long name, whether it has a value.
pub struct Spec(pub char, pub &'static str, pub Value);

#[derive(Clone, Copy, PartialEq)]
pub enum Value {
    None,
    Required,
    /// Only by `--name=value`.
    Optional,
}

pub struct Parsed {
    /// The option's letter, or its long name where it has none; with its value.
    pub given: Vec<(String, Option<String>)>,
    pub operands: Vec<String>,
}

/// @returns what is wrong, as GNU says it.
pub fn parse(args: &[String], specs: &[Spec]) -> Result<Parsed, String> {
    let mut parsed = Parsed { given: Vec::new(), operands: Vec::new() };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            parsed.operands.extend(rest.by_ref().cloned());
        } else if let Some(long) = arg.strip_prefix("--") {
            let (name, given) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (long, None),
            };
            let exact = specs.iter().find(|spec| spec.1 == name);
            let mut begun = specs.iter().filter(|spec| !spec.1.is_empty() && spec.1.starts_with(name));
            let spec = match (exact, begun.next(), begun.next()) {
                (Some(spec), ..) | (None, Some(spec), None) => spec,
                (None, Some(_), Some(_)) => return Err(format!("option '--{name}' is ambiguous")),
                _ => return Err(format!("unrecognized option '{arg}'")),
            };
            let value = match (spec.2, given) {
                (Value::None, Some(_)) => return Err(format!("option '--{}' doesn't allow an argument", spec.1)),
                (Value::Required, None) => Some(
                    rest.next().cloned().ok_or_else(|| format!("option '--{}' requires an argument", spec.1))?,
                ),
                (_, given) => given,
            };
            parsed.given.push((key(spec), value));
        } else if arg.len() > 1 && arg.starts_with('-') {
            let mut letters = arg[1..].char_indices();
            while let Some((at, letter)) = letters.next() {
                let spec = specs
                    .iter()
                    .find(|spec| spec.0 == letter)
                    .ok_or_else(|| format!("invalid option -- '{letter}'"))?;
                if spec.2 != Value::Required {
                    parsed.given.push((key(spec), None));
                    continue;
                }
                let attached = &arg[1 + at + letter.len_utf8()..];
                let value = if attached.is_empty() {
                    rest.next().cloned().ok_or_else(|| format!("option requires an argument -- '{letter}'"))?
                } else {
                    attached.to_string()
                };
                parsed.given.push((key(spec), Some(value)));
                break;
            }
        } else {
            parsed.operands.push(arg.clone());
        }
    }
    Ok(parsed)
}

fn key(spec: &Spec) -> String {
    if spec.0 == '\0' { spec.1.to_string() } else { spec.0.to_string() }
}

impl Parsed {
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| given == name)
    }

    /// The last value that was given by that name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.given.iter().rev().find(|(given, _)| given == name)?.1.as_deref()
    }

    /// Which of these was given last.
    pub fn last_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        self.given.iter().rev().find_map(|(given, _)| names.iter().find(|name| *name == given).copied())
    }
}
