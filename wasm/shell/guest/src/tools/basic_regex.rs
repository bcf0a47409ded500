//! POSIX basic regular expressions, with GNU's additions, by the regex crate.

use regex::Regex;

/// The expression in the crate's words, or why it can't be had.
fn translated(pattern: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = pattern.chars().peekable();
    // Where `*` and `^` stand for themselves, or don't: at the beginning of the expression, a group or an alternative.
    let mut beginning = true;
    while let Some(letter) = rest.next() {
        let was_beginning = std::mem::replace(&mut beginning, false);
        match letter {
            '\\' => match rest.next() {
                Some('(') => {
                    out.push('(');
                    beginning = true;
                }
                Some(')') => out.push(')'),
                Some('|') => {
                    out.push('|');
                    beginning = true;
                }
                Some('{') => {
                    out.push('{');
                    loop {
                        match rest.next() {
                            Some('\\') if rest.peek() == Some(&'}') => break,
                            Some(',') if out.ends_with('{') => out.push_str("0,"),
                            Some(digit @ ('0'..='9' | ',')) => out.push(digit),
                            _ => return Err("Invalid content of \\{\\}".into()),
                        }
                    }
                    rest.next();
                    out.push('}');
                }
                Some(sign @ ('+' | '?')) if !was_beginning => out.push(sign),
                Some(class @ ('w' | 'W' | 's' | 'S' | 'b' | 'B' | '<' | '>')) => {
                    out.push('\\');
                    out.push(class);
                }
                Some('`') => out.push_str("\\A"),
                Some('\'') => out.push_str("\\z"),
                Some('1'..='9') => return Err("back-references are not supported here".into()),
                Some(other) => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
                None => return Err("Trailing backslash".into()),
            },
            '*' if was_beginning => out.push_str("\\*"),
            '*' => out.push('*'),
            '^' if was_beginning => {
                out.push('^');
                beginning = true;
            }
            '$' => {
                let mut ahead = rest.clone();
                let ends = match ahead.next() {
                    None => true,
                    Some('\\') => matches!(ahead.next(), Some(')' | '|')),
                    Some(_) => false,
                };
                out.push_str(if ends { "$" } else { "\\$" });
            }
            '.' => out.push('.'),
            '[' => bracket(&mut rest, &mut out)?,
            other => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    Ok(out)
}

/// What follows a `[`, up to its `]`.
fn bracket(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) -> Result<(), String> {
    out.push('[');
    if rest.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    loop {
        match rest.next().ok_or("Unmatched [, [^, [:, [., or [=")? {
            ']' if !first => break,
            '[' if rest.peek() == Some(&':') => {
                out.push('[');
                loop {
                    let letter = rest.next().ok_or("Unmatched [, [^, [:, [., or [=")?;
                    out.push(letter);
                    if letter == ']' {
                        break;
                    }
                }
            }
            '[' if matches!(rest.peek(), Some('.' | '=')) => return Err("Invalid collation character".into()),
            // A range, unless it is the last in the brackets.
            '-' if !first && rest.peek() != Some(&']') => out.push('-'),
            letter => {
                if !letter.is_alphanumeric() {
                    out.push('\\');
                }
                out.push(letter);
            }
        }
        first = false;
    }
    out.push(']');
    Ok(())
}

/// Where an expression matches at the beginning of a text.
pub enum Matched {
    /// How many characters.
    Length(usize),
    /// What its first group is.
    Group(String),
    Not { grouped: bool },
}

/// @returns the longest match, as POSIX has it, or what is wrong with the expression.
pub fn match_beginning(text: &str, pattern: &str) -> Result<Matched, String> {
    let translated = translated(pattern)?;
    let compile = |source: String| {
        regex::RegexBuilder::new(&source).dot_matches_new_line(true).build().map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "Regular expression too big".to_string(),
            _ => "Invalid regular expression".to_string(),
        })
    };
    let expression = compile(format!("\\A(?:{translated})"))?;
    let grouped = expression.captures_len() > 1;
    let Some(found) = expression.captures(text) else {
        return Ok(Matched::Not { grouped });
    };
    // The crate takes the first alternative that matches, not the longest.
    let longest = if pattern.contains("\\|") { longest(&compile(format!("\\A(?:{translated})\\z"))?, text) } else { None };
    let found = longest.unwrap_or(found);
    Ok(if grouped {
        Matched::Group(found.get(1).map_or_else(String::new, |group| group.as_str().to_string()))
    } else {
        Matched::Length(found[0].chars().count())
    })
}

/// Whether a text has what an expression means anywhere. @returns what is wrong with it.
pub fn is_found(text: &str, pattern: &str) -> Result<bool, String> {
    Ok(compile(pattern)?.is_match(text))
}

pub fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(&translated(pattern)?).map_err(|_| "Invalid regular expression".to_string())
}

fn longest<'t>(whole: &Regex, text: &'t str) -> Option<regex::Captures<'t>> {
    let mut ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    ends.push(text.len());
    ends.into_iter().rev().find_map(|end| whole.captures(&text[..end]))
}
