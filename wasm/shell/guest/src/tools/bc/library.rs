//! The functions of `-l`, in binary numbers of fixed precision that has more digits than are asked for.

use super::number::{Number, Result, TOO_LONG, power_of_ten};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Routine {
    Sine,
    Cosine,
    Arctangent,
    Logarithm,
    Exponential,
    Bessel,
}

/// Bits beyond those that are asked for.
const GUARD: u64 = 96;
/// Beyond this, Bessel's series takes too long.
const MAX_BESSEL: i64 = 10_000;
const BITS_PER_DIGIT: f64 = 3.321_928_094_887_363;

impl Routine {
    pub const ALL: &[Routine] = &[
        Routine::Sine,
        Routine::Cosine,
        Routine::Arctangent,
        Routine::Logarithm,
        Routine::Exponential,
        Routine::Bessel,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Routine::Sine => "s",
            Routine::Cosine => "c",
            Routine::Arctangent => "a",
            Routine::Logarithm => "l",
            Routine::Exponential => "e",
            Routine::Bessel => "j",
        }
    }

    pub fn arguments(self) -> usize {
        if self == Routine::Bessel { 2 } else { 1 }
    }

    /// @param scale How many digits after the point are wanted.
    pub fn call(self, arguments: &[Number], scale: usize) -> Result<Number> {
        if scale > super::number::MAX_DIGITS {
            return Err(TOO_LONG.into());
        }
        let x = &arguments[arguments.len() - 1];
        let wanted = (scale as f64 * BITS_PER_DIGIT) as u64 + GUARD;
        match self {
            Routine::Sine | Routine::Cosine => {
                let size = x.integer().bits();
                let fixed = Fixed::new(wanted + size);
                let x = fixed.value(x);
                let turned = if self == Routine::Cosine { x + (fixed.pi() >> 1) } else { x };
                fixed.number(&fixed.sine(&turned), scale)
            }
            Routine::Arctangent => {
                let fixed = Fixed::new(wanted);
                fixed.number(&fixed.arctangent(&fixed.value(x)), scale)
            }
            Routine::Logarithm => {
                if x.is_zero() || x.is_negative() {
                    let unit = power_of_ten(scale);
                    return Number::new((BigInt::one() - &unit) * unit, scale);
                }
                // Small numbers need the bits that they begin after.
                let fixed = Fixed::new(wanted + (x.scale as f64 * BITS_PER_DIGIT) as u64);
                fixed.number(&fixed.logarithm(&fixed.value(x)), scale)
            }
            Routine::Exponential => {
                let integer = x.integer().to_i64().filter(|integer| integer.abs() < 400_000);
                let size = match integer {
                    Some(integer) if integer > 0 => (integer as f64 * 1.4427) as u64 + 2,
                    Some(_) => 0,
                    None if x.is_negative() => return Number::new(BigInt::zero(), scale),
                    None => return Err(TOO_LONG.into()),
                };
                let fixed = Fixed::new(wanted + size);
                fixed.number(&fixed.exponential(&fixed.value(x)), scale)
            }
            Routine::Bessel => {
                let order = arguments[0].to_i64().filter(|order| order.abs() <= MAX_BESSEL);
                let size = x.to_i64().filter(|size| size.abs() <= MAX_BESSEL);
                let (Some(order), Some(size)) = (order, size) else {
                    return Err("the arguments of j() are too large".into());
                };
                // Its terms grow up to the exponential of x before they get small.
                let fixed = Fixed::new(wanted + (size.unsigned_abs() as f64 * 1.5) as u64 + 8);
                let value = fixed.bessel(order.unsigned_abs(), &fixed.value(x));
                let value = if order < 0 && order % 2 != 0 { -value } else { value };
                fixed.number(&value, scale)
            }
        }
    }
}

/// Calculates with `value / 2 ** bits`.
struct Fixed {
    bits: u64,
    one: BigInt,
}

impl Fixed {
    fn new(bits: u64) -> Self {
        // Each halving of an argument costs bits, and there are about as many as the root of the bits.
        let bits = bits + 4 * bits.isqrt();
        Fixed { bits, one: BigInt::one() << bits }
    }

    fn value(&self, number: &Number) -> BigInt {
        (&number.digits << self.bits) / power_of_ten(number.scale)
    }

    /// What is less than the error is no part of the value: it would turn 2 into 1.99….
    fn number(&self, value: &BigInt, scale: usize) -> Result<Number> {
        let error = &self.one >> (scale as f64 * BITS_PER_DIGIT) as u64 + GUARD / 2;
        let magnitude = ((value.abs() + error) * power_of_ten(scale)) >> self.bits;
        Number::new(if value.is_negative() { -magnitude } else { magnitude }, scale)
    }

    fn product(&self, one: &BigInt, other: &BigInt) -> BigInt {
        (one * other) >> self.bits
    }

    fn quotient(&self, one: &BigInt, other: &BigInt) -> BigInt {
        (one << self.bits) / other
    }

    fn root(&self, value: &BigInt) -> BigInt {
        (value << self.bits).sqrt()
    }

    /// How often arguments are made smaller before a series is summed.
    fn halvings(&self) -> u64 {
        self.bits.isqrt() / 2 + 2
    }

    /// Machin's formula.
    fn pi(&self) -> BigInt {
        let inverse = |of: u32| {
            let (mut power, mut sum, mut divisor) = (&self.one / of, BigInt::zero(), 1u32);
            while !power.is_zero() {
                let term = &power / divisor;
                if divisor % 4 == 1 { sum += term } else { sum -= term }
                power /= of * of;
                divisor += 2;
            }
            sum
        };
        (inverse(5) * 4 - inverse(239)) << 2
    }

    fn exponential(&self, x: &BigInt) -> BigInt {
        let size = x.bits().saturating_sub(self.bits);
        let halvings = self.halvings() + size;
        // Beyond the bits of this, which the squarings lose.
        let fine = Fixed { bits: self.bits + halvings + 8, one: BigInt::one() << (self.bits + halvings + 8) };
        let x = (x << (halvings + 8)) >> halvings;
        let (mut term, mut sum, mut count) = (fine.one.clone(), fine.one.clone(), 1u32);
        while !term.is_zero() && term != -BigInt::one() {
            term = fine.product(&term, &x) / count;
            sum += &term;
            count += 1;
        }
        for _ in 0..halvings {
            sum = fine.product(&sum, &sum);
        }
        sum >> (halvings + 8)
    }

    /// By roots until it is near 1, and the series of the area tangent.
    fn logarithm(&self, x: &BigInt) -> BigInt {
        let size = (x.bits() as i64 - self.bits as i64).unsigned_abs();
        let roots = self.halvings() + u64::from(64 - size.leading_zeros());
        let extra = roots + 8;
        let fine = Fixed { bits: self.bits + extra, one: BigInt::one() << (self.bits + extra) };
        let mut x = x << extra;
        for _ in 0..roots {
            x = fine.root(&x);
        }
        let ratio = fine.quotient(&(&x - &fine.one), &(&x + &fine.one));
        let square = fine.product(&ratio, &ratio);
        let (mut power, mut sum, mut divisor) = (ratio, BigInt::zero(), 1u32);
        while power.bits() > 1 {
            sum += &power / divisor;
            power = fine.product(&power, &square);
            divisor += 2;
        }
        (sum << (roots + 1)) >> extra
    }

    fn arctangent(&self, x: &BigInt) -> BigInt {
        if x.is_negative() {
            return -self.arctangent(&-x);
        }
        if *x > self.one {
            return (self.pi() >> 1) - self.arctangent(&self.quotient(&self.one, x));
        }
        let halvings = self.halvings();
        let mut x = x.clone();
        for _ in 0..halvings {
            let root = self.root(&(&self.one + self.product(&x, &x)));
            x = self.quotient(&x, &(&self.one + root));
        }
        let square = self.product(&x, &x);
        let (mut power, mut sum, mut divisor) = (x, BigInt::zero(), 1u32);
        while !power.is_zero() {
            let term = &power / divisor;
            if divisor % 4 == 1 { sum += term } else { sum -= term }
            power = self.product(&power, &square);
            divisor += 2;
        }
        sum << halvings
    }

    /// By thirds until it is small: `sin 3x = 3 sin x - 4 sin³ x`.
    fn sine(&self, x: &BigInt) -> BigInt {
        let turn = self.pi() << 1;
        let x = x % &turn;
        let thirds = self.halvings() / 2 + 3;
        let mut x = x / BigInt::from(3).pow(thirds as u32);
        let square = self.product(&x, &x);
        let (mut term, mut sum, mut count) = (x, BigInt::zero(), 1u32);
        while term.bits() > 1 {
            sum += &term;
            term = -(self.product(&term, &square) / ((count + 1) * (count + 2)));
            count += 2;
        }
        x = sum;
        for _ in 0..thirds {
            let cube = self.product(&self.product(&x, &x), &x);
            x = x * 3 - (cube << 2);
        }
        x
    }

    /// The series of powers of `x / 2`.
    fn bessel(&self, order: u64, x: &BigInt) -> BigInt {
        let half = x >> 1;
        let mut term = self.one.clone();
        for count in 1..=order {
            term = self.product(&term, &half) / count;
        }
        let square = self.product(&half, &half);
        let (mut sum, mut count) = (BigInt::zero(), 1u64);
        while term.bits() > 1 || count == 1 {
            sum += &term;
            term = -(self.product(&term, &square) / (count * (count + order)));
            count += 1;
            if term.is_zero() {
                break;
            }
        }
        sum
    }
}
