//! `dc`: GNU's calculator in reverse Polish notation, but for `!`, which runs commands.

use super::bc::number::{Number, power_of_ten};
use super::options::{Spec, Value, parse};
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::collections::HashMap;

const OPTIONS: &[Spec] = &[
    Spec('e', "expression", Value::Required),
    Spec('f', "file", Value::Required),
    Spec('h', "help", Value::None),
    Spec('V', "version", Value::None),
];

const HELP: &str = "\
Usage: dc [OPTION] [file ...]
  -e, --expression=EXPR    evaluate expression
  -f, --file=FILE          evaluate contents of file
  -h, --help               display this help and exit
  -V, --version            output version information and exit
";

/// Instructions between two looks at whether it is to stop.
const TURN: usize = 2000;
/// Most values on the stack and in registers, and macros within macros.
const VALUES_MAX: usize = 1_000_000;
const DEPTH_MAX: usize = 10_000;
const NUMBER_LINE: usize = 70;

pub struct Dc;

#[async_trait]
impl Command for Dc {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let options = match parse(ctx.args, OPTIONS) {
            Ok(options) => options,
            Err(problem) => {
                ctx.stderr.write_all(format!("dc: {problem}\n{HELP}").as_bytes()).await?;
                return Ok(CommandStatus::with_code(1));
            }
        };
        if options.has("h") || options.has("V") {
            let text = if options.has("h") { HELP } else { "dc (wasmbox: the language of GNU dc 1.4.1)\n" };
            ctx.stdout.write_all(text.as_bytes()).await?;
            return Ok(CommandStatus::with_code(0));
        }
        let mut input = Vec::new();
        let files = options.operands.iter().map(|name| ("f", name));
        let given = options.given.iter().map(|(name, value)| (name.as_str(), value.as_ref()));
        let sources: Vec<_> = given.filter_map(|(name, value)| Some((name, value?))).chain(files).collect();
        // In a loop, what is not asked for is for what comes after it.
        let asks = |(kind, value): &(&str, &String)| match *kind {
            "e" => value.contains('?'),
            _ => true,
        };
        if sources.is_empty() || sources.iter().any(asks) {
            while let Some(piece) = ctx.stdin.read_chunk().await? {
                input.extend_from_slice(&piece);
            }
        }
        let mut programs = Vec::new();
        for (kind, value) in sources {
            if kind == "e" {
                programs.push(value.clone().into_bytes());
                continue;
            }
            if super::source::names_input(value) {
                programs.push(std::mem::take(&mut input));
                continue;
            }
            match ctx.fs.read_file(&super::absolute(ctx.cwd, value)).await {
                Ok(text) => programs.push(text),
                Err(_) => {
                    let message = format!("dc: Could not open file {value}\n");
                    ctx.stderr.write_all(message.as_bytes()).await?;
                    return Ok(CommandStatus::with_code(1));
                }
            }
        }
        let mut calculator = Calculator::default();
        if programs.is_empty() {
            programs.push(std::mem::take(&mut input));
        }
        calculator.lines = input.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).rev().collect();
        for program in programs {
            calculator.begin(program);
            loop {
                let more = calculator.work(TURN);
                for piece in calculator.out.chunks(64 << 10) {
                    ctx.stdout.write_all(piece).await?;
                }
                // Also where there is nothing to write: this is where a stop is seen.
                ctx.stdout.write_all(&[]).await?;
                ctx.stderr.write_all(calculator.err.as_bytes()).await?;
                calculator.out.clear();
                calculator.err.clear();
                match more {
                    Next::More => tokio::task::yield_now().await,
                    Next::Done => break,
                    Next::Quit => return Ok(CommandStatus::with_code(calculator.code)),
                }
            }
        }
        Ok(CommandStatus::with_code(calculator.code))
    }
}

enum Next {
    More,
    Done,
    Quit,
}

#[derive(Clone)]
enum Item {
    Number(Number),
    Text(Vec<u8>),
}

#[derive(Default)]
struct Register {
    /// The last one is its value; the others are below it.
    values: Vec<Item>,
    array: HashMap<usize, Item>,
}

/// A program or macro that runs, and where.
struct Frame {
    code: Vec<u8>,
    at: usize,
}

struct Calculator {
    stack: Vec<Item>,
    registers: HashMap<u8, Register>,
    frames: Vec<Frame>,
    /// What `?` reads, the next one last.
    lines: Vec<Vec<u8>>,
    scale: usize,
    input_base: u32,
    output_base: u32,
    out: Vec<u8>,
    err: String,
    code: i32,
}

impl Default for Calculator {
    fn default() -> Self {
        Calculator {
            stack: Vec::new(),
            registers: HashMap::new(),
            frames: Vec::new(),
            lines: Vec::new(),
            scale: 0,
            input_base: 10,
            output_base: 10,
            out: Vec::new(),
            err: String::new(),
            code: 0,
        }
    }
}

type Outcome<T = ()> = std::result::Result<T, String>;

const EMPTY: &str = "stack empty";
const NOT_NUMERIC: &str = "non-numeric value";

impl Calculator {
    fn begin(&mut self, code: Vec<u8>) {
        self.frames.push(Frame { code, at: 0 });
    }

    fn work(&mut self, turns: usize) -> Next {
        for _ in 0..turns {
            let Some(letter) = self.next() else {
                self.frames.pop();
                if self.frames.is_empty() {
                    return Next::Done;
                }
                continue;
            };
            if letter == b'q' {
                return self.quit(2);
            }
            if letter == b'Q' {
                match self.levels() {
                    Ok(levels) => return self.leave(levels),
                    Err(problem) => self.complain(&problem),
                }
            } else if let Err(problem) = self.step(letter) {
                self.complain(&problem);
            }
        }
        Next::More
    }

    fn complain(&mut self, problem: &str) {
        self.err.push_str(&format!("dc: {problem}\n"));
        // Whoever only looks at the end would take what was printed for all.
        self.code = 1;
    }

    /// Ends the macro and what called it; the program where it is called by none.
    fn quit(&mut self, levels: usize) -> Next {
        if self.frames.len() <= levels {
            return Next::Quit;
        }
        self.frames.truncate(self.frames.len() - levels);
        Next::More
    }

    /// Ends as many macros, and what calls them, but never the next program.
    fn leave(&mut self, levels: usize) -> Next {
        self.frames.truncate(self.frames.len().saturating_sub(levels));
        if self.frames.is_empty() { Next::Done } else { Next::More }
    }

    fn levels(&mut self) -> Outcome<usize> {
        let levels = self.pop_integer()?;
        levels.filter(|levels| *levels >= 1).ok_or_else(|| "Q command requires a number >= 1".into())
    }

    fn next(&mut self) -> Option<u8> {
        let frame = self.frames.last_mut()?;
        let letter = *frame.code.get(frame.at)?;
        frame.at += 1;
        Some(letter)
    }

    fn name(&mut self) -> Outcome<u8> {
        self.next().ok_or_else(|| "unexpected end of program: a register's name is missing".into())
    }

    fn push(&mut self, item: Item) -> Outcome {
        if self.stack.len() >= VALUES_MAX {
            return Err(format!("more than {VALUES_MAX} values on the stack"));
        }
        self.stack.push(item);
        Ok(())
    }

    fn pop(&mut self) -> Outcome<Item> {
        self.stack.pop().ok_or_else(|| EMPTY.into())
    }

    fn pop_number(&mut self) -> Outcome<Number> {
        match self.pop()? {
            Item::Number(number) => Ok(number),
            Item::Text(_) => Err(NOT_NUMERIC.into()),
        }
    }

    /// @returns None if it is none of that range.
    fn pop_integer(&mut self) -> Outcome<Option<usize>> {
        Ok(self.pop_number()?.to_i64().and_then(|value| usize::try_from(value).ok()))
    }

    /// The two on top of the stack, where they stay if one is no number.
    fn two(&mut self) -> Outcome<(Number, Number)> {
        match self.stack.as_slice() {
            [.., Item::Number(one), Item::Number(other)] => {
                let both = (one.clone(), other.clone());
                self.stack.truncate(self.stack.len() - 2);
                Ok(both)
            }
            [.., _, _] => Err(NOT_NUMERIC.into()),
            _ => Err(EMPTY.into()),
        }
    }

    fn binary(&mut self, work: impl FnOnce(&Number, &Number, usize) -> Outcome<Number>) -> Outcome {
        let (one, other) = self.two()?;
        match work(&one, &other, self.scale) {
            Ok(result) => self.push(Item::Number(result)),
            Err(problem) => {
                self.stack.extend([Item::Number(one), Item::Number(other)]);
                Err(problem)
            }
        }
    }

    fn step(&mut self, letter: u8) -> Outcome {
        match letter {
            b' ' | b'\n' | b'\t' | b'\r' | 0 => Ok(()),
            b'0'..=b'9' | b'A'..=b'F' | b'.' | b'_' => self.number(letter),
            b'[' => self.text(),
            b'#' => {
                while self.next().is_some_and(|letter| letter != b'\n') {}
                Ok(())
            }
            b'+' => self.binary(|one, other, _| one.add(other)),
            b'-' => self.binary(|one, other, _| one.subtract(other)),
            b'*' => self.binary(|one, other, scale| one.multiply(other, scale)),
            b'/' => self.binary(|one, other, scale| one.divide(other, scale).map_err(|_| "divide by zero".into())),
            b'%' => self.binary(|one, other, scale| one.modulo(other, scale).map_err(|_| "remainder by zero".into())),
            b'^' => self.binary(|one, other, scale| one.raise(other, scale)),
            b'~' => {
                let (one, other) = self.two()?;
                let quotient = one.divide(&other, self.scale).map_err(|_| "divide by zero".to_string())?;
                let rest = one.modulo(&other, self.scale)?;
                self.push(Item::Number(quotient))?;
                self.push(Item::Number(rest))
            }
            b'|' => self.power_modulo(),
            b'v' => {
                let root = self.pop_number()?.square_root(self.scale).map_err(|_| "square root of negative number".to_string())?;
                self.push(Item::Number(root))
            }
            b'p' => {
                let top = self.stack.last().cloned().ok_or(EMPTY)?;
                self.print(&top);
                self.out.push(b'\n');
                Ok(())
            }
            b'n' => {
                let top = self.pop()?;
                self.print(&top);
                Ok(())
            }
            b'P' => {
                match self.pop()? {
                    Item::Text(text) => self.out.extend(text),
                    Item::Number(number) => self.out.extend(number.integer().abs().to_bytes_be().1),
                }
                Ok(())
            }
            b'f' => {
                for item in self.stack.clone().iter().rev() {
                    self.print(item);
                    self.out.push(b'\n');
                }
                Ok(())
            }
            b'c' => {
                self.stack.clear();
                Ok(())
            }
            b'd' => {
                let top = self.stack.last().cloned().ok_or(EMPTY)?;
                self.push(top)
            }
            b'r' => {
                let count = self.stack.len();
                if count < 2 {
                    return Err(EMPTY.into());
                }
                self.stack.swap(count - 1, count - 2);
                Ok(())
            }
            b'R' => self.rotate(),
            b'z' => self.push(Item::Number(Number::from(self.stack.len() as i64))),
            b'Z' => {
                let length = match self.pop()? {
                    Item::Text(text) => text.len(),
                    Item::Number(number) if number.is_zero() => number.scale.max(1),
                    Item::Number(number) => number.digits.magnitude().to_string().len(),
                };
                self.push(Item::Number(Number::from(length as i64)))
            }
            b'X' => {
                let scale = match self.pop()? {
                    Item::Number(number) => number.scale,
                    Item::Text(_) => 0,
                };
                self.push(Item::Number(Number::from(scale as i64)))
            }
            b'a' => {
                let text = match self.pop()? {
                    Item::Text(text) => text.first().map_or(Vec::new(), |first| vec![*first]),
                    Item::Number(number) => vec![(number.integer() & BigInt::from(0xff)).to_u8().unwrap_or(0)],
                };
                self.push(Item::Text(text))
            }
            b'k' => {
                self.scale = self.pop_integer()?.ok_or("scale must be a nonnegative integer")?;
                Ok(())
            }
            b'i' => {
                self.input_base = self.base(16).ok_or("input base must be a number between 2 and 16 (inclusive)")?;
                Ok(())
            }
            b'o' => {
                self.output_base = self.base(u32::MAX).ok_or("output base must be a number greater than 1")?;
                Ok(())
            }
            b'K' => self.push(Item::Number(Number::from(self.scale as i64))),
            b'I' => self.push(Item::Number(Number::from(i64::from(self.input_base)))),
            b'O' => self.push(Item::Number(Number::from(i64::from(self.output_base)))),
            b's' | b'S' | b'l' | b'L' | b':' | b';' => self.register(letter),
            b'x' => match self.stack.last() {
                None => Err(EMPTY.into()),
                Some(Item::Number(_)) => Ok(()),
                Some(Item::Text(_)) => match self.pop()? {
                    Item::Text(code) => self.run(code),
                    Item::Number(_) => Ok(()),
                },
            },
            b'?' => {
                let line = self.lines.pop().unwrap_or_default();
                self.run(line)
            }
            b'<' | b'>' | b'=' => self.condition(letter, false),
            b'!' => match self.next() {
                Some(letter @ (b'<' | b'>' | b'=')) => self.condition(letter, true),
                _ => {
                    while self.next().is_some_and(|letter| letter != b'\n') {}
                    Err("! runs no commands here".into())
                }
            },
            other => Err(format!("'{}' (0{other:o}) unimplemented", char::from(other))),
        }
    }

    fn number(&mut self, first: u8) -> Outcome {
        let negative = first == b'_';
        let mut text = if negative { String::new() } else { char::from(first).to_string() };
        while let Some(frame) = self.frames.last_mut()
            && let Some(letter) = frame.code.get(frame.at)
            && (letter.is_ascii_digit() || (b'A'..=b'F').contains(letter) || (*letter == b'.' && !text.contains('.')))
        {
            text.push(char::from(*letter));
            frame.at += 1;
        }
        let number = parsed(&text, self.input_base)?;
        self.push(Item::Number(if negative { number.negated() } else { number }))
    }

    fn text(&mut self) -> Outcome {
        let mut text = Vec::new();
        let mut depth = 1;
        while let Some(letter) = self.next() {
            match letter {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            text.push(letter);
        }
        self.push(Item::Text(text))
    }

    fn base(&mut self, most: u32) -> Option<u32> {
        let base = self.pop_integer().ok()??;
        u32::try_from(base).ok().filter(|base| (2..=most).contains(base))
    }

    fn print(&mut self, item: &Item) {
        match item {
            Item::Text(text) => self.out.extend(text),
            Item::Number(number) => {
                let text = number.format(self.output_base);
                let mut rest = text.as_str();
                while rest.len() >= NUMBER_LINE {
                    let (line, more) = rest.split_at(NUMBER_LINE - 1);
                    self.out.extend(line.as_bytes());
                    self.out.extend(b"\\\n");
                    rest = more;
                }
                self.out.extend(rest.as_bytes());
            }
        }
    }

    fn power_modulo(&mut self) -> Outcome {
        let modulus = self.pop_number()?;
        let (base, exponent) = self.two()?;
        if modulus.is_zero() {
            return Err("remainder by zero".into());
        }
        if exponent.is_negative() {
            return Err("negative exponent".into());
        }
        let modulus = modulus.integer();
        let mut result = BigInt::one() % &modulus;
        let mut power = base.integer() % &modulus;
        let exponent = exponent.integer();
        for bit in 0..exponent.bits() {
            if exponent.bit(bit) {
                result = result * &power % &modulus;
            }
            power = &power * &power % &modulus;
        }
        self.push(Item::Number(Number { digits: result, scale: 0 }))
    }

    /// `R`: rotates as many values as it takes from the stack, the other way round where that is negative.
    fn rotate(&mut self) -> Outcome {
        let count = self.pop_number()?.to_i64().unwrap_or(0);
        let values = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX).min(self.stack.len());
        if values < 2 {
            return Ok(());
        }
        let start = self.stack.len() - values;
        let turned = &mut self.stack[start..];
        if count > 0 { turned.rotate_left(1) } else { turned.rotate_right(1) }
        Ok(())
    }

    fn register(&mut self, letter: u8) -> Outcome {
        let name = self.name()?;
        let shown = || format!("register '{}' (0{name:o})", char::from(name));
        match letter {
            b's' => {
                let value = self.pop()?;
                let values = &mut self.registers.entry(name).or_default().values;
                values.pop();
                values.push(value);
            }
            b'S' => {
                let value = self.pop()?;
                let values = &mut self.registers.entry(name).or_default().values;
                if values.len() >= VALUES_MAX {
                    return Err(format!("more than {VALUES_MAX} values in {}", shown()));
                }
                values.push(value);
            }
            b'l' => {
                let found = self.registers.get(&name).and_then(|register| register.values.last()).cloned();
                self.push(found.unwrap_or(Item::Number(Number::from(0))))?;
            }
            b'L' => {
                let value = self.registers.entry(name).or_default().values.pop();
                let value = value.ok_or_else(|| format!("stack {} is empty", shown()))?;
                self.push(value)?;
            }
            _ => {
                let index = self.pop_integer()?.ok_or("array index must be a nonnegative integer")?;
                let array = &mut self.registers.entry(name).or_default().array;
                if letter == b';' {
                    let found = array.get(&index).cloned();
                    self.push(found.unwrap_or(Item::Number(Number::from(0))))?;
                } else {
                    if array.len() >= VALUES_MAX {
                        return Err(format!("more than {VALUES_MAX} values in {}", shown()));
                    }
                    let value = self.stack.pop().ok_or(EMPTY)?;
                    array.insert(index, value);
                }
            }
        }
        Ok(())
    }

    fn condition(&mut self, letter: u8, negated: bool) -> Outcome {
        let name = self.name()?;
        // GNU's: another register after `e` is for when it does not hold.
        let otherwise = match self.frames.last_mut() {
            Some(frame) if frame.code.get(frame.at) == Some(&b'e') => {
                frame.at += 1;
                Some(self.name()?)
            }
            _ => None,
        };
        let (below, top) = self.two()?;
        let order = top.compare(&below)?;
        let holds = match letter {
            b'<' => order == Ordering::Less,
            b'>' => order == Ordering::Greater,
            _ => order == Ordering::Equal,
        };
        let chosen = if holds != negated { Some(name) } else { otherwise };
        let Some(chosen) = chosen else { return Ok(()) };
        match self.registers.get(&chosen).and_then(|register| register.values.last()).cloned() {
            Some(Item::Text(code)) => self.run(code),
            Some(number) => self.push(number),
            None => Ok(()),
        }
    }

    fn run(&mut self, code: Vec<u8>) -> Outcome {
        // What has nothing more to do is not come back to: loops are macros that call themselves at their end.
        while self.frames.len() > 1 && self.frames.last().is_some_and(|frame| frame.at >= frame.code.len()) {
            self.frames.pop();
        }
        if self.frames.len() >= DEPTH_MAX {
            return Err(format!("macros are called {DEPTH_MAX} deep"));
        }
        self.begin(code);
        Ok(())
    }
}

/// A number in any base to 16; a digit may be larger than the base.
fn parsed(text: &str, base: u32) -> Outcome<Number> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| {
        text.chars().fold(BigInt::zero(), |value, letter| value * base + letter.to_digit(16).unwrap_or(0))
    };
    let scale = fraction.len();
    if text.len() > super::bc::number::MAX_DIGITS {
        return Err(super::bc::number::TOO_LONG.into());
    }
    let unit = power_of_ten(scale);
    let below = digits(fraction) * &unit / BigInt::from(base).pow(scale as u32);
    Number::new(digits(whole) * &unit + below, scale)
}
