//! Patterns of Perl's, written as fancy-regex takes them.

use super::replacement::Replacement;
use fancy_regex::{Regex, RegexBuilder};

/// Bytes that a compiled pattern may take, and steps back that it may make.
const PATTERN_MAX: usize = 1 << 20;
const STEPS_MAX: usize = 1_000_000;

pub struct Pattern(Regex);

impl Pattern {
    pub fn of(text: &str, flags: &str) -> Result<Self, String> {
        let kept: String = flags.chars().filter(|flag| "imsx".contains(*flag)).collect();
        let translated = translated(text)?;
        let whole = if kept.is_empty() { translated } else { format!("(?{kept}){translated}") };
        let built = RegexBuilder::new(&whole).delegate_size_limit(PATTERN_MAX).backtrack_limit(STEPS_MAX).build();
        built.map(Pattern).map_err(|error| format!("pattern '{text}': {error}"))
    }

    pub fn replaced(&self, text: &str, all: bool, replacement: &Replacement) -> Result<String, String> {
        let mut out = String::new();
        let mut at = 0;
        for found in self.0.captures_iter(text) {
            let found = found.map_err(|error| error.to_string())?;
            let Some(whole) = found.get(0) else { break };
            out.push_str(&text[at..whole.start()]);
            replacement.expand(&found, &mut out);
            at = whole.end();
            if !all {
                break;
            }
        }
        Ok(out + &text[at..])
    }
}

/// Perl takes names for bytes: its `\w`, `\d` and `\s` are those of ASCII. And it takes for itself what stands for nothing else.
fn translated(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text.char_indices().peekable();
    let mut within = false;
    let mut first = false;
    while let Some((at, letter)) = rest.next() {
        let after = &text[at + letter.len_utf8()..];
        let begins = std::mem::replace(&mut first, false);
        match letter {
            '\\' => {
                let Some((_, escaped)) = rest.next() else { return Err(format!("pattern '{text}': a backslash at its end")) };
                match (escaped, within) {
                    ('w', true) => out.push_str("a-zA-Z0-9_"),
                    ('w', false) => out.push_str("[a-zA-Z0-9_]"),
                    ('W', _) => out.push_str("[^a-zA-Z0-9_]"),
                    ('d', true) => out.push_str("0-9"),
                    ('d', false) => out.push_str("[0-9]"),
                    ('D', _) => out.push_str("[^0-9]"),
                    ('s', true) => out.push_str(r"\t\n\x0B\f\r "),
                    ('s', false) => out.push_str(r"[\t\n\x0B\f\r ]"),
                    ('S', _) => out.push_str(r"[^\t\n\x0B\f\r ]"),
                    ('h', true) => out.push_str(r"\t "),
                    ('h', false) => out.push_str(r"[\t ]"),
                    ('Q', _) => {
                        let quoted = &after[1..];
                        let quoted = quoted.split_once("\\E").map_or(quoted, |parts| parts.0);
                        out.push_str(&fancy_regex::escape(quoted));
                        let end = at + 2 + quoted.len();
                        while rest.peek().is_some_and(|(at, _)| *at < end) {
                            rest.next();
                        }
                    }
                    ('E', _) => {}
                    ('<' | '>' | '@' | '/' | '"' | '\'' | ',' | ';' | ':' | '=' | '%' | '!' | '`' | '_', _) => out.push(escaped),
                    _ => out.extend(['\\', escaped]),
                }
            }
            '[' if within => match after.strip_prefix(':').and_then(|name| name.split_once(":]")) {
                Some((name, _)) if name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '^') => {
                    out.push_str(&format!("[:{name}:]"));
                    for _ in 0..name.len() + 3 {
                        rest.next();
                    }
                }
                _ => out.push_str("\\["),
            },
            '[' => {
                within = true;
                first = true;
                out.push('[');
                if after.starts_with('^') {
                    rest.next();
                    out.push('^');
                }
            }
            ']' if within && begins => out.push_str("\\]"),
            ']' => {
                within = false;
                out.push_str(if text[..at].contains('[') { "]" } else { "\\]" });
            }
            '&' | '~' if within => out.extend(['\\', letter]),
            '{' if !within && !is_count(after) && !escape_has_braces(&out) => out.push_str("\\{"),
            '$' if after.starts_with(|next: char| next.is_alphanumeric() || "_{".contains(next)) && !within => {
                return Err(format!("'${after}' would be a variable of Perl's: write \\$"));
            }
            '@' if after.starts_with(|next: char| next.is_alphanumeric() || "_{$".contains(next)) => {
                return Err(format!("'@{after}' would be an array of Perl's: write \\@"));
            }
            letter => out.push(letter),
        }
    }
    Ok(out)
}

fn escape_has_braces(before: &str) -> bool {
    [r"\p", r"\P", r"\x", r"\k", r"\g"].iter().any(|escape| before.ends_with(escape))
}

/// Of `{2}`, `{2,}`, `{2,3}`, `{,3}`: what follows the brace.
fn is_count(text: &str) -> bool {
    let Some((count, _)) = text.split_once('}') else { return false };
    let (low, high) = count.split_once(',').unwrap_or((count, "0"));
    let digits = |text: &str| text.chars().all(|digit| digit.is_ascii_digit());
    digits(low) && digits(high) && !(low.is_empty() && high.is_empty())
}
