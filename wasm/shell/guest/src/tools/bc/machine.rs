//! Runs what programs are translated to.

use super::code::{Argument, Binary, Function, Op, Parameter, Place, Scope};
use super::library::Routine;
use super::number::{Number, Result};
use super::output::Output;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const MAX_SETTING: i64 = i32::MAX as i64;
const MAX_INPUT_BASE: i64 = 36;
const MAX_INDEX: i64 = 16_777_215;
const MAX_CALLS: usize = 100_000;

type Elements = BTreeMap<u32, Number>;
type Array = Arc<Mutex<Elements>>;

/// Why it pauses.
pub enum Pause {
    /// What it was given to run is done, or has failed.
    Done,
    /// `read()` wants a number; `give` it.
    Input,
    /// It has worked for a while.
    Work,
    Halted,
}

#[derive(Clone)]
enum Callable {
    Defined(Arc<Function>),
    Routine(Routine),
}

/// What a call hides until it returns.
enum Hidden {
    Variable(usize, Number),
    Array(usize, Array),
}

struct Frame {
    code: Arc<[Op]>,
    at: usize,
    /// None: the program itself.
    function: Option<usize>,
    hidden: Vec<Hidden>,
    /// How many values were on the stack.
    below: usize,
}

pub struct Machine {
    variables: Vec<Number>,
    arrays: Vec<Array>,
    functions: Vec<Option<Callable>>,
    scale: i64,
    ibase: u32,
    obase: u32,
    last: Number,
    stack: Vec<Number>,
    frames: Vec<Frame>,
    pub output: Output,
    /// Something could not be calculated.
    pub failed: bool,
}

fn at<T: Default + Clone>(list: &mut Vec<T>, index: usize) -> &mut T {
    if index >= list.len() {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}

fn elements(array: &Array) -> MutexGuard<'_, Elements> {
    array.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Arrays are made one by one: a clone of one would be the same array.
fn array_at(list: &mut Vec<Array>, index: usize) -> &mut Array {
    if index >= list.len() {
        list.resize_with(index + 1, Array::default);
    }
    &mut list[index]
}

impl Machine {
    pub fn new(output: Output) -> Self {
        Machine {
            variables: Vec::new(),
            arrays: Vec::new(),
            functions: Vec::new(),
            scale: 0,
            ibase: 10,
            obase: 10,
            last: Number::default(),
            stack: Vec::new(),
            frames: Vec::new(),
            output,
            failed: false,
        }
    }

    /// Has the functions of `-l`.
    pub fn add_library(&mut self, scope: &mut Scope, scale: i64) {
        self.scale = scale;
        for routine in Routine::ALL {
            let number = scope.functions.number(routine.name());
            *at(&mut self.functions, number) = Some(Callable::Routine(*routine));
        }
    }

    pub fn define(&mut self, number: usize, function: Function) {
        *at(&mut self.functions, number) = Some(Callable::Defined(Arc::new(function)));
    }

    pub fn start(&mut self, code: Arc<[Op]>) {
        self.frames.push(Frame { code, at: 0, function: None, hidden: Vec::new(), below: 0 });
    }

    /// Answers `read()`.
    pub fn give(&mut self, text: &str) {
        let (negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let number = Number::parse(text, self.ibase).unwrap_or_default();
        self.stack.push(if negative { number.negated() } else { number });
    }

    /// Has the step that wanted input made once more.
    pub fn again(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at -= 1;
        }
    }

    /// Goes on for about so many steps.
    pub fn run(&mut self, scope: &Scope, steps: u64) -> Pause {
        let mut left = steps;
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return Pause::Done;
            };
            if left == 0 || self.output.waiting() > 64 << 10 {
                return Pause::Work;
            }
            let code = frame.code.clone();
            let Some(op) = code.get(frame.at) else {
                self.leave();
                continue;
            };
            frame.at += 1;
            match op {
                Op::Read => return Pause::Input,
                Op::Halt => return Pause::Halted,
                _ => {}
            }
            if let Err(problem) = self.step(op, scope) {
                self.say("error", scope, &problem);
                self.failed = true;
                while !self.frames.is_empty() {
                    self.leave();
                }
                self.stack.clear();
            }
            let size = self.stack.last().map_or(0, |number| number.digits.bits() / 64);
            left = left.saturating_sub(1 + size);
        }
    }

    fn say(&mut self, what: &str, scope: &Scope, problem: &str) {
        let function = self.frames.last().and_then(|frame| frame.function);
        let name = function.map_or("(main)", |number| &scope.functions.names[number]);
        self.output.complain(&format!("Runtime {what} (func={name}): {problem}\n"));
    }

    fn pop(&mut self) -> Number {
        self.stack.pop().unwrap_or_default()
    }

    fn jump(&mut self, target: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at = target;
        }
    }

    fn digits_kept(&self) -> usize {
        self.scale as usize
    }

    fn step(&mut self, op: &Op, scope: &Scope) -> Result<()> {
        let value = match op {
            Op::Literal(literal) => literal.value(self.ibase)?,
            Op::Load(place) => {
                let index = self.index_of(*place, scope)?;
                self.load(*place, index)
            }
            Op::Peek(place) => {
                let index = self.index_of(*place, scope)?;
                if let Place::Element(_) = place {
                    self.stack.push(Number::from(index));
                }
                self.load(*place, index)
            }
            Op::Store(place) => {
                let value = self.pop();
                let index = self.index_of(*place, scope)?;
                self.store(*place, index, value.clone(), scope);
                value
            }
            Op::Step { place, by, new } => {
                let index = self.index_of(*place, scope)?;
                let old = self.load(*place, index);
                let value = old.add(&Number::from(*by))?;
                self.store(*place, index, value.clone(), scope);
                if *new { value } else { old }
            }
            Op::Negate => self.pop().negated(),
            Op::Not => Number::from(self.pop().is_zero()),
            Op::Binary(binary) => {
                let (right, left) = (self.pop(), self.pop());
                self.apply(*binary, &left, &right, scope)?
            }
            Op::Length => Number::from(self.pop().length() as i64),
            Op::ScaleOf => Number::from(self.pop().scale as i64),
            Op::SquareRoot => self.pop().square_root(self.digits_kept())?,
            Op::Jump(target) => {
                self.jump(*target);
                return Ok(());
            }
            Op::JumpIfZero(target) => {
                if self.pop().is_zero() {
                    self.jump(*target);
                }
                return Ok(());
            }
            Op::Pop => {
                self.pop();
                return Ok(());
            }
            Op::Show | Op::Print => {
                let value = self.pop();
                self.output.write(value.format(self.obase).as_bytes());
                if matches!(op, Op::Show) {
                    self.output.write(b"\n");
                }
                self.last = value;
                return Ok(());
            }
            Op::Text(text) => {
                self.output.write(text);
                return Ok(());
            }
            Op::Call { function, arguments } => return self.call(*function, arguments, scope),
            Op::Return => {
                let value = self.pop();
                self.leave();
                value
            }
            Op::Limits => {
                self.output.write(
                    format!(
                        "BC_BASE_MAX     = {MAX_SETTING}\nBC_DIM_MAX      = {MAX_INDEX}\n\
                         BC_SCALE_MAX    = {MAX_SETTING}\nBC_STRING_MAX   = {MAX_SETTING}\n\
                         MAX Exponent    = {MAX_SETTING}\nDigits          = {}\n",
                        super::number::MAX_DIGITS
                    )
                    .as_bytes(),
                );
                return Ok(());
            }
            Op::Read | Op::Halt => return Ok(()),
        };
        self.stack.push(value);
        Ok(())
    }

    fn apply(&mut self, binary: Binary, left: &Number, right: &Number, scope: &Scope) -> Result<Number> {
        let scale = self.digits_kept();
        match binary {
            Binary::Add => left.add(right),
            Binary::Subtract => left.subtract(right),
            Binary::Multiply => left.multiply(right, scale),
            Binary::Divide => left.divide(right, scale),
            Binary::Modulo => left.modulo(right, scale),
            Binary::Raise => {
                if right.scale > 0 {
                    self.say("warning", scope, "non-zero scale in exponent");
                }
                left.raise(right, scale)
            }
            Binary::Compare(relation) => Ok(Number::from(relation.holds(left.compare(right)?))),
        }
    }

    /// Takes an element's index from the stack.
    fn index_of(&mut self, place: Place, scope: &Scope) -> Result<i64> {
        let Place::Element(array) = place else {
            return Ok(0);
        };
        let index = self.pop().to_i64().filter(|index| (0..=MAX_INDEX).contains(index));
        index.ok_or_else(|| format!("Array {} subscript out of bounds.", scope.arrays.names[array]))
    }

    fn load(&mut self, place: Place, index: i64) -> Number {
        match place {
            Place::Variable(number) => at(&mut self.variables, number).clone(),
            Place::Element(number) => {
                elements(array_at(&mut self.arrays, number)).get(&(index as u32)).cloned().unwrap_or_default()
            }
            Place::Scale => Number::from(self.scale),
            Place::Ibase => Number::from(i64::from(self.ibase)),
            Place::Obase => Number::from(i64::from(self.obase)),
            Place::Last => self.last.clone(),
        }
    }

    fn store(&mut self, place: Place, index: i64, value: Number, scope: &Scope) {
        match place {
            Place::Variable(number) => *at(&mut self.variables, number) = value,
            Place::Element(number) => {
                elements(array_at(&mut self.arrays, number)).insert(index as u32, value);
            }
            Place::Scale => self.scale = self.setting("scale", &value, 0, MAX_SETTING, scope),
            Place::Ibase => self.ibase = self.setting("ibase", &value, 2, MAX_INPUT_BASE, scope) as u32,
            Place::Obase => self.obase = self.setting("obase", &value, 2, MAX_SETTING, scope) as u32,
            Place::Last => self.last = value,
        }
    }

    /// A setting within its range, with a warning where it was out of it.
    fn setting(&mut self, name: &str, value: &Number, least: i64, most: i64, scope: &Scope) -> i64 {
        let integer = value.to_i64().unwrap_or(i64::MAX);
        let (problem, kept) = if value.is_negative() {
            (format!("negative {name}, set to {least}"), least)
        } else if integer < least {
            (format!("{name} too small, set to {least}"), least)
        } else if integer > most {
            (format!("{name} too large, set to {most}"), most)
        } else {
            return integer;
        };
        self.say("warning", scope, &problem);
        kept
    }

    fn call(&mut self, number: usize, arguments: &[Argument], scope: &Scope) -> Result<()> {
        let Some(callable) = at(&mut self.functions, number).clone() else {
            return Err(format!("Function {} not defined.", scope.functions.names[number]));
        };
        let function = match callable {
            Callable::Defined(function) => function,
            Callable::Routine(routine) => {
                if arguments.len() != routine.arguments() {
                    return Err("Parameter number mismatch".into());
                }
                if arguments.iter().any(|argument| matches!(argument, Argument::Array(_))) {
                    return Err("Parameter type mismatch".into());
                }
                let values = self.stack.split_off(self.stack.len().saturating_sub(arguments.len()));
                let result = routine.call(&values, self.digits_kept())?;
                self.stack.push(result);
                return Ok(());
            }
        };
        if arguments.len() != function.parameters.len() {
            return Err("Parameter number mismatch".into());
        }
        if self.frames.len() > MAX_CALLS {
            return Err(format!("functions call each other more than {MAX_CALLS} deep"));
        }
        let mut hidden = Vec::with_capacity(function.parameters.len() + function.autos.len());
        // The arguments' arrays are the caller's, whatever the parameters are called.
        let numbers = arguments.iter().filter(|argument| matches!(argument, Argument::Number)).count();
        let mut values = self.stack.split_off(self.stack.len().saturating_sub(numbers)).into_iter();
        let mut given = Vec::with_capacity(arguments.len());
        for (argument, parameter) in arguments.iter().zip(&function.parameters) {
            given.push(match (argument, parameter) {
                (Argument::Number, Parameter::Variable(number)) => {
                    Hidden::Variable(*number, values.next().unwrap_or_default())
                }
                (Argument::Array(array), Parameter::Array(number)) => {
                    let copy = elements(array_at(&mut self.arrays, *array)).clone();
                    Hidden::Array(*number, Arc::new(Mutex::new(copy)))
                }
                (Argument::Array(array), Parameter::Shared(number)) => {
                    Hidden::Array(*number, array_at(&mut self.arrays, *array).clone())
                }
                (_, Parameter::Variable(number)) => {
                    return Err(format!("Parameter type mismatch, parameter {}.", scope.variables.names[*number]));
                }
                (_, Parameter::Array(number) | Parameter::Shared(number)) => {
                    return Err(format!("Parameter type mismatch parameter {}.", scope.arrays.names[*number]));
                }
            });
        }
        for auto in &function.autos {
            given.push(match auto {
                Parameter::Variable(number) => Hidden::Variable(*number, Number::default()),
                Parameter::Array(number) | Parameter::Shared(number) => Hidden::Array(*number, Array::default()),
            });
        }
        for new in given {
            hidden.push(self.exchange(new));
        }
        let below = self.stack.len();
        self.frames.push(Frame { code: function.code.clone(), at: 0, function: Some(number), hidden, below });
        Ok(())
    }

    /// Puts a value in its place. @returns what was there.
    fn exchange(&mut self, new: Hidden) -> Hidden {
        match new {
            Hidden::Variable(number, value) => {
                Hidden::Variable(number, std::mem::replace(at(&mut self.variables, number), value))
            }
            Hidden::Array(number, array) => {
                Hidden::Array(number, std::mem::replace(array_at(&mut self.arrays, number), array))
            }
        }
    }

    /// Ends the call that runs.
    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.stack.truncate(frame.below);
            for hidden in frame.hidden.into_iter().rev() {
                self.exchange(hidden);
            }
        }
    }
}
