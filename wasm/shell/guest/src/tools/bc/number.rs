//! Decimal numbers of any length, with as many digits after the point as POSIX says each operation leaves.

use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cell::RefCell;
use std::cmp::Ordering;

/// Longest number, in digits: more of them could not be calculated with in reasonable time.
pub const MAX_DIGITS: usize = 100_000;
/// What that many digits take.
const MAX_BITS: u64 = 332_193;
pub const TOO_LONG: &str = "the result has more than 100000 digits";

/// `digits / 10 ** scale`.
#[derive(Clone, Debug, Default)]
pub struct Number {
    pub digits: BigInt,
    pub scale: usize,
}

pub type Result<T> = std::result::Result<T, String>;

pub fn power_of_ten(exponent: usize) -> BigInt {
    thread_local! {
        /// Programs need the same one again and again.
        static LAST: RefCell<(usize, BigInt)> = RefCell::new((0, BigInt::one()));
    }
    if exponent < 19 {
        return BigInt::from(10u64.pow(exponent as u32));
    }
    LAST.with_borrow_mut(|last| {
        if last.0 != exponent {
            *last = (exponent, BigInt::from(10).pow(exponent as u32));
        }
        last.1.clone()
    })
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Number { digits: BigInt::from(value), scale: 0 }
    }
}

impl From<bool> for Number {
    fn from(value: bool) -> Self {
        Number::from(i64::from(value))
    }
}

fn digit_of(letter: u8) -> u32 {
    char::from(letter).to_digit(36).unwrap_or(0)
}

impl Number {
    pub fn new(digits: BigInt, scale: usize) -> Result<Self> {
        if digits.bits() > MAX_BITS || scale > MAX_DIGITS {
            return Err(TOO_LONG.into());
        }
        Ok(Number { digits, scale })
    }

    pub fn is_zero(&self) -> bool {
        self.digits.is_zero()
    }

    pub fn is_negative(&self) -> bool {
        self.digits.is_negative()
    }

    /// What a program's text means. A digit that the base does not have counts as its highest, unless it stands alone.
    pub fn parse(text: &str, base: u32) -> Result<Self> {
        if text.len() > MAX_DIGITS {
            return Err(TOO_LONG.into());
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let whole = whole.trim_start_matches('0').as_bytes();
        if let [only] = whole
            && (base != 10 || !text.contains('.'))
        {
            let fraction = Number::fraction(fraction.as_bytes(), base);
            return Number::from(i64::from(digit_of(*only))).add(&fraction);
        }
        if base == 10 {
            let letters = whole.iter().chain(fraction.as_bytes());
            let digits: Vec<u8> = letters.map(|letter| digit_of(*letter).min(9) as u8).collect();
            let digits = BigInt::from_radix_be(Sign::Plus, &digits, 10).unwrap_or_default();
            return Ok(Number { digits, scale: fraction.len() });
        }
        let digits: Vec<u8> = whole.iter().map(|letter| digit_of(*letter).min(base - 1) as u8).collect();
        let whole = BigInt::from_radix_be(Sign::Plus, &digits, base).unwrap_or_default();
        Number::new(whole, 0)?.add(&Number::fraction(fraction.as_bytes(), base))
    }

    /// Digits after the point, of which as many decimal ones are kept.
    fn fraction(letters: &[u8], base: u32) -> Self {
        let digits: Vec<u8> = letters.iter().map(|letter| digit_of(*letter).min(base - 1) as u8).collect();
        let value = BigInt::from_radix_be(Sign::Plus, &digits, base).unwrap_or_default();
        let scale = letters.len();
        if value.is_zero() {
            return Number { digits: value, scale };
        }
        Number { digits: value * power_of_ten(scale) / BigInt::from(base).pow(scale as u32), scale }
    }

    /// The digits with another number of them after the point; those that are too many are cut off.
    fn rescaled(&self, scale: usize) -> Result<BigInt> {
        match scale.cmp(&self.scale) {
            Ordering::Equal => Ok(self.digits.clone()),
            _ if self.is_zero() => Ok(BigInt::zero()),
            Ordering::Less => Ok(&self.digits / power_of_ten(self.scale - scale)),
            Ordering::Greater if scale > MAX_DIGITS => Err(TOO_LONG.into()),
            Ordering::Greater => Ok(&self.digits * power_of_ten(scale - self.scale)),
        }
    }

    pub fn truncated(&self, scale: usize) -> Result<Self> {
        Number::new(self.rescaled(scale)?, scale)
    }

    /// What is before the point.
    pub fn integer(&self) -> BigInt {
        self.rescaled(0).unwrap_or_default()
    }

    pub fn to_i64(&self) -> Option<i64> {
        self.integer().to_i64()
    }

    pub fn negated(&self) -> Self {
        Number { digits: -&self.digits, scale: self.scale }
    }

    pub fn add(&self, other: &Self) -> Result<Self> {
        let scale = self.scale.max(other.scale);
        Number::new(self.rescaled(scale)? + other.rescaled(scale)?, scale)
    }

    pub fn subtract(&self, other: &Self) -> Result<Self> {
        let scale = self.scale.max(other.scale);
        Number::new(self.rescaled(scale)? - other.rescaled(scale)?, scale)
    }

    pub fn compare(&self, other: &Self) -> Result<Ordering> {
        let scale = self.scale.max(other.scale);
        Ok(self.rescaled(scale)?.cmp(&other.rescaled(scale)?))
    }

    pub fn multiply(&self, other: &Self, scale: usize) -> Result<Self> {
        let product = Number { digits: &self.digits * &other.digits, scale: self.scale + other.scale };
        let kept = product.scale.min(scale.max(self.scale).max(other.scale));
        product.truncated(kept)
    }

    pub fn divide(&self, other: &Self, scale: usize) -> Result<Self> {
        if other.is_zero() {
            return Err("Divide by zero".into());
        }
        if scale > MAX_DIGITS {
            return Err(TOO_LONG.into());
        }
        let wanted = scale + other.scale;
        let digits = if wanted >= self.scale {
            &self.digits * power_of_ten(wanted - self.scale) / &other.digits
        } else {
            &self.digits / (&other.digits * power_of_ten(self.scale - wanted))
        };
        Number::new(digits, scale)
    }

    pub fn modulo(&self, other: &Self, scale: usize) -> Result<Self> {
        if other.is_zero() {
            return Err("Modulo by zero".into());
        }
        let kept = self.scale.max(scale.saturating_add(other.scale));
        let quotient = self.divide(other, scale)?;
        let product = Number { digits: quotient.digits * &other.digits, scale: scale + other.scale };
        self.truncated(kept)?.subtract(&product.truncated(kept)?)
    }

    /// @param exponent Its integer part counts.
    pub fn raise(&self, exponent: &Self, scale: usize) -> Result<Self> {
        const TOO_LARGE: &str = "exponent too large in raise";
        let exponent = exponent.to_i64().ok_or(TOO_LARGE)?;
        let times = u32::try_from(exponent.unsigned_abs()).ok().filter(|times| *times <= i32::MAX as u32).ok_or(TOO_LARGE)?;
        if times == 0 {
            return Ok(Number::from(1));
        }
        if exponent < 0 && self.is_zero() {
            return Err("divide by zero".into());
        }
        let full = self.scale as u64 * u64::from(times);
        if self.digits.bits().saturating_sub(1) * u64::from(times) > MAX_BITS * 2 || (!self.is_zero() && full > 2 * MAX_DIGITS as u64) {
            return Err(TOO_LONG.into());
        }
        let full = full as usize;
        let kept = full.min(scale.max(self.scale));
        if self.is_zero() {
            return Number::new(BigInt::zero(), kept);
        }
        let power = Number { digits: self.digits.pow(times), scale: full };
        if exponent < 0 {
            return Number::from(1).divide(&power, scale);
        }
        power.truncated(kept)
    }

    pub fn square_root(&self, scale: usize) -> Result<Self> {
        if self.is_negative() {
            return Err("Square root of a negative number".into());
        }
        if self.is_zero() {
            return Ok(Number::from(0));
        }
        if self.compare(&Number::from(1))? == Ordering::Equal {
            return Ok(Number::from(1));
        }
        let kept = scale.max(self.scale);
        if kept > MAX_DIGITS {
            return Err(TOO_LONG.into());
        }
        Number::new((&self.digits * power_of_ten(2 * kept - self.scale)).sqrt(), kept)
    }

    /// How many digits it has, as `length()` counts them.
    pub fn length(&self) -> usize {
        match self.digits.magnitude().to_string().len() {
            1 if self.is_zero() => self.scale.max(1),
            count => count.max(self.scale),
        }
    }

    /// As bc prints it.
    pub fn format(&self, base: u32) -> String {
        if self.is_zero() {
            return "0".into();
        }
        let sign = if self.is_negative() { "-" } else { "" };
        if base != 10 {
            return format!("{sign}{}", self.format_magnitude(base));
        }
        let digits = self.digits.magnitude().to_string();
        let Some(missing) = self.scale.checked_sub(digits.len()) else {
            let (whole, fraction) = digits.split_at(digits.len() - self.scale);
            return if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") };
        };
        format!("{sign}.{}{digits}", "0".repeat(missing))
    }

    /// In another base than ten. Beyond 16, digits are decimal numbers with a space before each.
    fn format_magnitude(&self, base: u32) -> String {
        let unit = power_of_ten(self.scale);
        let magnitude = self.digits.abs();
        let mut text = String::new();
        for digit in digits_in(&magnitude / &unit, base) {
            append_digit(&mut text, digit, base, true);
        }
        if self.scale == 0 {
            return text;
        }
        text.push('.');
        let count = digits_after_point(base, self.scale);
        let fraction = digits_in((magnitude % &unit) * BigInt::from(base).pow(count as u32) / unit, base);
        let zeros = std::iter::repeat_n(0, count - fraction.len());
        for (index, digit) in zeros.chain(fraction).enumerate() {
            append_digit(&mut text, digit, base, index > 0);
        }
        text
    }
}

/// From the highest one on; none where the value is zero.
fn digits_in(mut value: BigInt, base: u32) -> Vec<u32> {
    let mut digits = Vec::new();
    if value.is_zero() {
        return digits;
    }
    if base <= 256 {
        return value.magnitude().to_radix_be(base).into_iter().map(u32::from).collect();
    }
    while !value.is_zero() {
        digits.push((&value % base).to_u32().unwrap_or(0));
        value /= base;
    }
    digits.reverse();
    digits
}

fn append_digit(text: &mut String, digit: u32, base: u32, spaced: bool) {
    if base <= 16 {
        text.extend(char::from_digit(digit, 16).map(|letter| letter.to_ascii_uppercase()));
        return;
    }
    let width = (base - 1).to_string().len();
    if spaced {
        text.push(' ');
    }
    text.push_str(&format!("{digit:0width$}"));
}

/// As many as it takes for the base's power to have more decimal digits than there are after the point.
fn digits_after_point(base: u32, scale: usize) -> usize {
    let mut count = (scale as f64 / f64::from(base).log10()) as usize;
    count = count.saturating_sub(1);
    let mut power = BigInt::from(base).pow(count as u32);
    let unit = power_of_ten(scale);
    while power < unit {
        power *= base;
        count += 1;
    }
    count
}
