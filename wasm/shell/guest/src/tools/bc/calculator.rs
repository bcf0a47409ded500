//! Reads programs from its sources, one after another, and runs each line when it is read.

use super::code::Scope;
use super::lexer::{Lexer, Stop};
use super::machine::{Machine, Pause};
use super::output::{Output, Stream};
use super::parser::{Extensions, Item, Parser};
use std::collections::VecDeque;

/// What a session's time is looked at after.
const STEPS: u64 = 20_000;
const STDIN: &str = "(standard_in)";

pub struct Source {
    pub name: String,
    pub text: Vec<u8>,
}

/// Text that is read from on its way in.
struct Reading {
    name: String,
    text: Vec<u8>,
    at: usize,
    line: usize,
    /// All of it is there.
    complete: bool,
}

/// What it waits for.
pub enum Need {
    /// More of its input: so many bytes, for it not to ask too often.
    Input(usize),
    /// To be called again.
    Time,
    /// It is done, with this exit code.
    Nothing(i32),
}

pub struct Calculator {
    sources: VecDeque<Reading>,
    stdin: Reading,
    scope: Scope,
    machine: Machine,
    extensions: Extensions,
    running: bool,
    failed: bool,
}

impl Calculator {
    /// @param line What `BC_LINE_LENGTH` says. @param scale With the library of `-l`: what `scale` is at first.
    pub fn new(files: Vec<Source>, line: Option<&str>, scale: Option<i64>, extensions: Extensions) -> Self {
        let mut scope = Scope::default();
        let mut machine = Machine::new(Output::new(line));
        if let Some(scale) = scale {
            machine.add_library(&mut scope, scale);
        }
        let reading = |Source { name, text }, complete| Reading { name, text, at: 0, line: 1, complete };
        Calculator {
            sources: files.into_iter().map(|source| reading(source, true)).collect(),
            stdin: reading(Source { name: STDIN.into(), text: Vec::new() }, false),
            scope,
            machine,
            extensions,
            running: false,
            failed: false,
        }
    }

    /// More of standard input. Nothing: that was all.
    pub fn feed(&mut self, piece: &[u8]) {
        self.stdin.text.drain(..self.stdin.at);
        self.stdin.at = 0;
        self.stdin.text.extend_from_slice(piece);
        self.stdin.complete |= piece.is_empty();
    }

    pub fn output(&mut self) -> Vec<(Stream, Vec<u8>)> {
        self.machine.output.taken()
    }

    /// Works for a while.
    pub fn work(&mut self) -> Need {
        let mut items = 0;
        loop {
            if self.running {
                match self.machine.run(&self.scope, STEPS) {
                    Pause::Done => self.running = false,
                    Pause::Work => return Need::Time,
                    Pause::Halted => return self.ended(),
                    Pause::Input => match self.stdin.number() {
                        Some(text) => {
                            self.machine.give(&text);
                            continue;
                        }
                        None => {
                            self.machine.again();
                            return Need::Input(1);
                        }
                    },
                }
            }
            items += 1;
            if items > 500 {
                return Need::Time;
            }
            if let Some(need) = self.read() {
                return need;
            }
        }
    }

    fn ended(&self) -> Need {
        Need::Nothing(i32::from(self.failed || self.machine.failed))
    }

    /// Reads the next line or definition.
    fn read(&mut self) -> Option<Need> {
        let source = self.sources.front_mut().unwrap_or(&mut self.stdin);
        let lexer = Lexer::new(&source.text[source.at..], source.line, source.complete);
        let mut parser = Parser::new(lexer, &source.name, &mut self.scope, self.extensions);
        let item = parser.item();
        let (length, line) = (parser.lexer.at, parser.lexer.line);
        let (messages, failed) = (std::mem::take(&mut parser.messages), parser.failed);
        if matches!(item, Err(Stop::Incomplete)) {
            return Some(Need::Input((source.text.len() - source.at).max(1)));
        }
        source.at += length;
        source.line = line;
        self.machine.output.complain(&messages);
        self.failed |= failed;
        match item {
            Ok(Item::Code(code)) => {
                self.machine.start(code);
                self.running = true;
            }
            Ok(Item::Define(number, function)) => self.machine.define(number, function),
            Ok(Item::Nothing) | Err(Stop::Problem(_) | Stop::Incomplete) => {}
            Ok(Item::End) if self.sources.pop_front().is_some() => {}
            Ok(Item::End) | Err(Stop::Quit) => return Some(self.ended()),
        }
        None
    }
}

impl Reading {
    /// The next number for `read()`, up to white space. None: it may be to come.
    fn number(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let start = rest.iter().position(|byte| !byte.is_ascii_whitespace());
        let Some(start) = start else {
            return self.complete.then(|| "0".into());
        };
        let length = rest[start..].iter().position(u8::is_ascii_whitespace);
        if length.is_none() && !self.complete {
            return None;
        }
        let word = &rest[start..start + length.unwrap_or(rest.len() - start)];
        self.line += rest[..start].iter().filter(|byte| **byte == b'\n').count();
        self.at += start + word.len();
        let mut text = String::new();
        for byte in word {
            match byte {
                b'+' | b'-' if text.is_empty() => text.push(char::from(*byte)),
                b'.' if !text.contains('.') => text.push('.'),
                b'0'..=b'9' | b'A'..=b'Z' => text.push(char::from(*byte)),
                _ => break,
            }
        }
        Some(text)
    }
}
