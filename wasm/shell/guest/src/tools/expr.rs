//! `expr`: POSIX's grammar, evaluated as it is read.

use super::Call;
use super::basic_regex::{Matched, match_beginning};
use std::cmp::Ordering;

pub fn run(call: &mut Call<'_>) -> i32 {
    let args = match call.args {
        [first, rest @ ..] if first == "--" => rest,
        args => args,
    };
    if args.is_empty() {
        call.complain("missing operand\nTry 'expr --help' for more information.");
        return 2;
    }
    let mut expression = Expression { args, at: 0 };
    let value = expression.alternatives(true).and_then(|value| match args.get(expression.at) {
        Some(more) => Err(format!("syntax error: unexpected argument '{more}'")),
        None => Ok(value),
    });
    match value {
        Ok(value) => {
            call.out.push_str(&value);
            call.out.push('\n');
            i32::from(is_null(&value))
        }
        Err(problem) => {
            call.complain(&problem);
            2
        }
    }
}

type Value = Result<String, String>;

struct Expression<'a> {
    args: &'a [String],
    at: usize,
}

fn is_null(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    value.is_empty() || (!digits.is_empty() && digits.bytes().all(|byte| byte == b'0'))
}

fn is_integer(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn integer(value: &str) -> Result<i128, String> {
    if !is_integer(value) {
        return Err("non-integer argument".into());
    }
    value.parse().map_err(|_| OUT_OF_RANGE.to_string())
}

const OUT_OF_RANGE: &str = "Numerical result out of range";

/// Each function takes what binds at least as strongly as its name says. Where the other side of `|` or `&` has decided, the
/// rest is read but not `evaluate`d.
impl Expression<'_> {
    fn take(&mut self, operators: &[&str]) -> Option<String> {
        let found = self.args.get(self.at).filter(|arg| operators.contains(&arg.as_str()))?;
        self.at += 1;
        Some(found.clone())
    }

    fn next(&mut self) -> Value {
        let Some(arg) = self.args.get(self.at) else {
            let before = self.at.checked_sub(1).and_then(|at| self.args.get(at)).map_or("", String::as_str);
            return Err(format!("syntax error: missing argument after '{before}'"));
        };
        self.at += 1;
        Ok(arg.clone())
    }

    fn alternatives(&mut self, evaluate: bool) -> Value {
        let mut left = self.conjunctions(evaluate)?;
        while self.take(&["|"]).is_some() {
            let right = self.conjunctions(evaluate && is_null(&left))?;
            if is_null(&left) {
                left = if is_null(&right) { "0".into() } else { right };
            }
        }
        Ok(left)
    }

    fn conjunctions(&mut self, evaluate: bool) -> Value {
        let mut left = self.comparisons(evaluate)?;
        while self.take(&["&"]).is_some() {
            let right = self.comparisons(evaluate && !is_null(&left))?;
            if is_null(&left) || is_null(&right) {
                left = "0".into();
            }
        }
        Ok(left)
    }

    fn comparisons(&mut self, evaluate: bool) -> Value {
        let mut left = self.sums(evaluate)?;
        while let Some(operator) = self.take(&["<", "<=", "=", "==", "!=", ">=", ">"]) {
            let right = self.sums(evaluate)?;
            let order = match is_integer(&left) && is_integer(&right) {
                true => integer(&left)?.cmp(&integer(&right)?),
                false => left.cmp(&right),
            };
            let holds = match operator.as_str() {
                "<" => order == Ordering::Less,
                "<=" => order != Ordering::Greater,
                "!=" => order != Ordering::Equal,
                ">=" => order != Ordering::Less,
                ">" => order == Ordering::Greater,
                _ => order == Ordering::Equal,
            };
            left = u8::from(holds).to_string();
        }
        Ok(left)
    }

    fn sums(&mut self, evaluate: bool) -> Value {
        let mut left = self.products(evaluate)?;
        while let Some(operator) = self.take(&["+", "-"]) {
            let right = self.products(evaluate)?;
            if evaluate {
                let (a, b) = (integer(&left)?, integer(&right)?);
                let result = if operator == "+" { a.checked_add(b) } else { a.checked_sub(b) };
                left = result.ok_or(OUT_OF_RANGE)?.to_string();
            }
        }
        Ok(left)
    }

    fn products(&mut self, evaluate: bool) -> Value {
        let mut left = self.matches(evaluate)?;
        while let Some(operator) = self.take(&["*", "/", "%"]) {
            let right = self.matches(evaluate)?;
            if evaluate {
                let (a, b) = (integer(&left)?, integer(&right)?);
                if b == 0 && operator != "*" {
                    return Err("division by zero".into());
                }
                let result = match operator.as_str() {
                    "*" => a.checked_mul(b),
                    "/" => a.checked_div(b),
                    _ => a.checked_rem(b),
                };
                left = result.ok_or(OUT_OF_RANGE)?.to_string();
            }
        }
        Ok(left)
    }

    fn matches(&mut self, evaluate: bool) -> Value {
        let mut left = self.primary(evaluate)?;
        while self.take(&[":"]).is_some() {
            let pattern = self.primary(evaluate)?;
            left = if evaluate { matched(&left, &pattern)? } else { left };
        }
        Ok(left)
    }

    fn primary(&mut self, evaluate: bool) -> Value {
        let word = self.next()?;
        match word.as_str() {
            "(" => {
                let value = self.alternatives(evaluate)?;
                match self.take(&[")"]) {
                    Some(_) => Ok(value),
                    None => Err(match self.args.get(self.at) {
                        Some(other) => format!("syntax error: expecting ')' instead of '{other}'"),
                        None => format!("syntax error: expecting ')' after '{}'", self.args[self.at - 1]),
                    }),
                }
            }
            ")" => Err("syntax error: unexpected ')'".into()),
            "+" => self.next(),
            "length" => Ok(self.primary(evaluate)?.chars().count().to_string()),
            "match" => {
                let text = self.primary(evaluate)?;
                let pattern = self.primary(evaluate)?;
                if evaluate { matched(&text, &pattern) } else { Ok(text) }
            }
            "index" => {
                let text = self.primary(evaluate)?;
                let letters = self.primary(evaluate)?;
                let found = text.chars().position(|letter| letters.contains(letter));
                Ok(found.map_or(0, |at| at + 1).to_string())
            }
            "substr" => {
                let text = self.primary(evaluate)?;
                let (position, length) = (self.primary(evaluate)?, self.primary(evaluate)?);
                let count = |value: &str| integer(value).ok().and_then(|count| usize::try_from(count).ok());
                Ok(match (count(&position), count(&length)) {
                    (Some(position), Some(length)) if position > 0 => {
                        text.chars().skip(position - 1).take(length).collect()
                    }
                    _ => String::new(),
                })
            }
            _ => Ok(word),
        }
    }
}

fn matched(text: &str, pattern: &str) -> Value {
    Ok(match match_beginning(text, pattern)? {
        Matched::Length(length) => length.to_string(),
        Matched::Group(group) => group,
        Matched::Not { grouped: true } => String::new(),
        Matched::Not { grouped: false } => "0".into(),
    })
}
