//! What programs are translated to: instructions for a machine with a stack, so that no depth of calls is one of the host's.

use super::lexer::Relation;
use super::number::{Number, Result};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// What can be assigned to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    Variable(usize),
    /// Of that array; its index is on the stack.
    Element(usize),
    Scale,
    Ibase,
    Obase,
    Last,
}

#[derive(Clone, Copy, Debug)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Raise,
    Compare(Relation),
}

#[derive(Debug)]
pub struct Literal {
    pub text: String,
    pub decimal: OnceLock<Number>,
}

impl Literal {
    pub fn op(text: &str) -> Op {
        Op::Literal(Box::new(Literal { text: text.into(), decimal: OnceLock::new() }))
    }

    /// @param base The one that is set when it is run.
    pub fn value(&self, base: u32) -> Result<Number> {
        if base != 10 {
            return Number::parse(&self.text, base);
        }
        if let Some(value) = self.decimal.get() {
            return Ok(value.clone());
        }
        let value = Number::parse(&self.text, 10)?;
        Ok(self.decimal.get_or_init(|| value).clone())
    }
}

#[derive(Debug)]
pub enum Op {
    Literal(Box<Literal>),
    Load(Place),
    /// Leaves the index where it is.
    Peek(Place),
    /// Leaves the value, as that of the assignment.
    Store(Place),
    /// `++` and `--`, of which the value is the new one or the old one.
    Step { place: Place, by: i64, new: bool },
    Negate,
    Not,
    Binary(Binary),
    Length,
    ScaleOf,
    SquareRoot,
    Read,
    Jump(usize),
    JumpIfZero(usize),
    Pop,
    /// As a statement is: with the end of the line.
    Show,
    /// As `print` does.
    Print,
    Text(Vec<u8>),
    Call { function: usize, arguments: Vec<Argument> },
    /// With the value on the stack.
    Return,
    Limits,
    Halt,
}

#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// It is on the stack.
    Number,
    Array(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameter {
    Variable(usize),
    Array(usize),
    /// The caller's own.
    Shared(usize),
}

#[derive(Debug)]
pub struct Function {
    pub parameters: Vec<Parameter>,
    pub autos: Vec<Parameter>,
    pub code: Arc<[Op]>,
}

/// Names of a kind, by number.
#[derive(Default)]
pub struct Names {
    numbers: HashMap<String, usize>,
    pub names: Vec<String>,
}

impl Names {
    pub fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len();
        self.numbers.insert(name.to_string(), number);
        self.names.push(name.to_string());
        number
    }
}

/// Variables, arrays and functions of the same name have nothing to do with each other.
#[derive(Default)]
pub struct Scope {
    pub variables: Names,
    pub arrays: Names,
    pub functions: Names,
    /// Which functions have no value, as far as they are defined.
    pub void: HashSet<usize>,
}
