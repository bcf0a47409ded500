//! Expressions, by the strength that GNU's operators bind with: assignments stronger than comparisons, signs strongest.

use super::code::{Argument, Binary, Literal, Op, Place};
use super::lexer::{Keyword, Relation, Token};
use super::parser::{Parsed, Parser, syntax_error};

/// What matters of an expression where it is used.
#[derive(Clone, Copy, Default)]
pub struct Kind {
    /// The call of a function without a value.
    pub void: bool,
    /// Also with a sign before it, or where both sides of `&&` do: such a statement prints nothing.
    pub assigns: bool,
    pub compares: bool,
    pub in_parentheses: bool,
}

const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const ASSIGNMENT: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const POWER: u8 = 8;
const SIGN: u8 = 9;

enum Operator {
    Or,
    And,
    Binary(Binary),
}

fn operator(token: &Token) -> Option<(u8, Operator)> {
    Some(match token {
        Token::Or => (OR, Operator::Or),
        Token::And => (AND, Operator::And),
        Token::Relation(relation) => (COMPARISON, Operator::Binary(Binary::Compare(*relation))),
        Token::Sign(sign) => {
            let level = match sign {
                b'+' | b'-' => SUM,
                b'*' | b'/' | b'%' => PRODUCT,
                b'^' => POWER,
                _ => return None,
            };
            (level, Operator::Binary(arithmetic(*sign)?))
        }
        _ => return None,
    })
}

fn arithmetic(sign: u8) -> Option<Binary> {
    Some(match sign {
        b'+' => Binary::Add,
        b'-' => Binary::Subtract,
        b'*' => Binary::Multiply,
        b'/' => Binary::Divide,
        b'%' => Binary::Modulo,
        b'^' => Binary::Raise,
        _ => return None,
    })
}

/// As messages call it.
fn described(token: &Token) -> String {
    match token {
        Token::Or => "||".into(),
        Token::And => "&&".into(),
        Token::Sign(sign) => char::from(*sign).into(),
        _ => "comparison".into(),
    }
}

impl Parser<'_> {
    pub fn expression(&mut self) -> Parsed<Kind> {
        self.level(OR)
    }

    /// What binds at least so strongly.
    fn level(&mut self, least: u8) -> Parsed<Kind> {
        self.deeper(|parser| {
            let kind = parser.prefixed()?;
            parser.operators(kind, least)
        })
    }

    /// The operators after an operand, and what they take.
    fn operators(&mut self, first: Kind, least: u8) -> Parsed<Kind> {
        let mut kind = first;
        loop {
            let Some((level, operator)) = operator(self.peek()?).filter(|(level, _)| *level >= least) else {
                return Ok(kind);
            };
            let token = self.advance()?;
            let name = described(&token);
            let mut jump = 0;
            if matches!(operator, Operator::And | Operator::Or) {
                self.extension(&format!("{name} operator"));
                jump = self.code.len();
                // `a && b` is `!(!a)` and the same of b; `a || b` looks at what is not.
                if matches!(operator, Operator::Or) {
                    self.code.push(Op::Not);
                    jump += 1;
                }
                self.code.push(Op::JumpIfZero(0));
            }
            let right = self.level(if level == POWER { POWER } else { level + 1 })?;
            if kind.void || right.void {
                let with = if level == COMPARISON { "comparison".to_string() } else { name };
                self.complain(&format!("void expression with {with}"));
            }
            match operator {
                Operator::Binary(binary) => self.code.push(Op::Binary(binary)),
                Operator::And | Operator::Or => self.junction(jump, matches!(operator, Operator::Or)),
            }
            let assigns = level <= AND && kind.assigns && right.assigns;
            kind = Kind { assigns, compares: level == COMPARISON, ..Kind::default() };
        }
    }

    /// What comes after the right side of `&&` or `||`. @param jump The one that goes past it.
    fn junction(&mut self, jump: usize, or: bool) {
        self.code.push(Op::Not);
        self.code.push(Op::Not);
        let end = self.code.len() + 2;
        self.code.push(Op::Jump(end));
        self.code[jump] = Op::JumpIfZero(end - 1);
        self.code.push(Literal::op(if or { "1" } else { "0" }));
    }

    fn prefixed(&mut self) -> Parsed<Kind> {
        match self.peek()? {
            Token::Sign(b'-') => {
                self.advance()?;
                let kind = self.level(SIGN)?;
                if kind.void {
                    self.complain("void expression with unary -");
                }
                self.code.push(Op::Negate);
                return Ok(Kind { assigns: kind.assigns, ..Kind::default() });
            }
            Token::Sign(b'!') => {
                self.advance()?;
                self.extension("! operator");
                let kind = self.level(NOT)?;
                if kind.void {
                    self.complain("void expression with !");
                }
                self.code.push(Op::Not);
                return Ok(Kind { assigns: kind.assigns, ..Kind::default() });
            }
            Token::Increment | Token::Decrement => {
                let by = if self.advance()? == Token::Increment { 1 } else { -1 };
                let place = self.place()?;
                self.code.push(Op::Step { place, by, new: true });
            }
            _ => return self.primary(),
        }
        Ok(Kind::default())
    }

    fn primary(&mut self) -> Parsed<Kind> {
        match self.peek()? {
            Token::Number(_) => {
                if let Token::Number(text) = self.advance()? {
                    self.code.push(Literal::op(&text));
                }
                Ok(Kind::default())
            }
            Token::Sign(b'(') => {
                self.advance()?;
                let kind = self.expression()?;
                if kind.void {
                    self.complain("void expression in parenthesis");
                }
                self.expect(b')')?;
                Ok(Kind { in_parentheses: true, compares: kind.compares, ..Kind::default() })
            }
            Token::Keyword(Keyword::Length) => self.function_of_one("length()", Op::Length),
            Token::Keyword(Keyword::Sqrt) => self.function_of_one("sqrt()", Op::SquareRoot),
            Token::Keyword(Keyword::Read) => {
                self.advance()?;
                self.extension("read function");
                self.expect(b'(')?;
                self.expect(b')')?;
                self.code.push(Op::Read);
                Ok(Kind::default())
            }
            Token::Keyword(Keyword::Scale) => {
                self.advance()?;
                if *self.peek()? == Token::Sign(b'(') {
                    return self.argument_of("scale()", Op::ScaleOf);
                }
                self.named(Place::Scale)
            }
            Token::Name(_) => {
                let name = self.name()?;
                if self.take(b'(')? {
                    return self.call(&name);
                }
                let place = self.place_named(&name)?;
                self.named(place)
            }
            _ => {
                let place = self.place()?;
                self.named(place)
            }
        }
    }

    fn function_of_one(&mut self, name: &str, op: Op) -> Parsed<Kind> {
        self.advance()?;
        self.argument_of(name, op)
    }

    fn argument_of(&mut self, name: &str, op: Op) -> Parsed<Kind> {
        self.expect(b'(')?;
        if self.expression()?.void {
            self.complain(&format!("void expression in {name}"));
        }
        self.expect(b')')?;
        self.code.push(op);
        Ok(Kind::default())
    }

    fn place(&mut self) -> Parsed<Place> {
        let place = match self.peek()? {
            Token::Name(_) => {
                let name = self.name()?;
                return self.place_named(&name);
            }
            Token::Keyword(Keyword::Scale) => Place::Scale,
            Token::Keyword(Keyword::Ibase) => Place::Ibase,
            Token::Keyword(Keyword::Obase) => Place::Obase,
            Token::Keyword(Keyword::Last) => {
                self.extension("Last variable");
                Place::Last
            }
            _ => return syntax_error(),
        };
        self.advance()?;
        Ok(place)
    }

    fn place_named(&mut self, name: &str) -> Parsed<Place> {
        if self.take(b'[')? {
            return self.subscript(name);
        }
        Ok(Place::Variable(self.scope.variables.number(name)))
    }

    /// What comes after `[`.
    fn subscript(&mut self, name: &str) -> Parsed<Place> {
        if self.expression()?.void {
            self.complain("void expression as subscript");
        }
        self.expect(b']')?;
        Ok(Place::Element(self.scope.arrays.number(name)))
    }

    /// What is done with a place that has been read.
    fn named(&mut self, place: Place) -> Parsed<Kind> {
        match self.peek()? {
            Token::Increment | Token::Decrement => {
                let by = if self.advance()? == Token::Increment { 1 } else { -1 };
                self.code.push(Op::Step { place, by, new: false });
                Ok(Kind::default())
            }
            Token::Assign(sign) => {
                let binary = sign.and_then(arithmetic);
                self.advance()?;
                if binary.is_some() {
                    self.code.push(Op::Peek(place));
                }
                if self.level(ASSIGNMENT)?.void {
                    self.complain("Assignment of a void expression");
                }
                self.code.extend(binary.map(Op::Binary));
                self.code.push(Op::Store(place));
                Ok(Kind { assigns: true, ..Kind::default() })
            }
            _ => {
                self.code.push(Op::Load(place));
                Ok(Kind::default())
            }
        }
    }

    /// What comes after a function's name and `(`.
    fn call(&mut self, name: &str) -> Parsed<Kind> {
        let mut arguments = Vec::new();
        if !self.take(b')')? {
            loop {
                arguments.push(self.argument()?);
                if !self.take(b',')? {
                    break;
                }
            }
            self.expect(b')')?;
        }
        let function = self.scope.functions.number(name);
        self.code.push(Op::Call { function, arguments });
        Ok(Kind { void: self.scope.void.contains(&function), ..Kind::default() })
    }

    fn argument(&mut self) -> Parsed<Argument> {
        if !matches!(self.peek()?, Token::Name(_)) {
            return self.number_argument(None);
        }
        let name = self.name()?;
        let kind = if self.take(b'(')? {
            self.call(&name)?
        } else if self.take(b'[')? {
            if self.take(b']')? {
                return Ok(Argument::Array(self.scope.arrays.number(&name)));
            }
            let place = self.subscript(&name)?;
            self.named(place)?
        } else {
            let place = Place::Variable(self.scope.variables.number(&name));
            self.named(place)?
        };
        self.number_argument(Some(kind))
    }

    fn number_argument(&mut self, begun: Option<Kind>) -> Parsed<Argument> {
        let kind = match begun {
            Some(kind) => self.operators(kind, OR)?,
            None => self.expression()?,
        };
        if kind.void {
            self.complain("void argument");
        }
        Ok(Argument::Number)
    }
}

impl Relation {
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Relation::Equal => order.is_eq(),
            Relation::NotEqual => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterOrEqual => order.is_ge(),
        }
    }
}
