//! `cal`, in the layout that Debian's has.

use super::options::{Parsed, Spec, Value, parse};
use super::time::{local, now};
use super::Call;
use chrono::{Datelike, Months, NaiveDate};

const OPTIONS: &[Spec] = &[
    Spec('1', "", Value::None),
    Spec('3', "", Value::None),
    Spec('A', "", Value::Required),
    Spec('B', "", Value::Required),
    Spec('h', "", Value::None), // nothing is highlighted in any case
    Spec('m', "", Value::Required),
    Spec('y', "", Value::None),
];

/// The calendar was another one before; Britain changed in September 1752.
const FIRST_YEAR: i32 = 1753;
const MONTHS: [&str; 12] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
];
const DAYS: &str = "Su Mo Tu We Th Fr Sa";
/// EX_USAGE of sysexits.h.
const MISUSED: i32 = 64;
const WEEKS: usize = 6;
const BESIDE: usize = 3;

pub fn run(call: &mut Call<'_>) -> i32 {
    match parse(call.args, OPTIONS).and_then(|options| calendar(call, &options)) {
        Ok(text) => {
            call.out.push_str(&text);
            0
        }
        Err(problem) => {
            call.complain(&problem);
            MISUSED
        }
    }
}

fn calendar(call: &Call<'_>, options: &Parsed) -> Result<String, String> {
    let today = local(now(), call.environment).date_naive();
    let mut month = options.value("m").map(month_of).transpose()?;
    let year = match options.operands.as_slice() {
        [] => today.year(),
        [year] => year_of(year)?,
        [name, year] => {
            month = Some(month_of(name)?);
            year_of(year)?
        }
        _ => return Err("too many operands".into()),
    };
    if options.has("y") || month.is_none() && !options.operands.is_empty() {
        return Ok(whole_year(year));
    }
    let first = NaiveDate::from_ymd_opt(year, month.unwrap_or(today.month()), 1).ok_or("not a month")?;
    let count = |name: &str| match options.value(name) {
        None => Ok(u32::from(options.has("3"))),
        Some(text) => text.parse::<u32>().ok().filter(|count| *count <= 1200).ok_or(format!("invalid number of months '{text}'")),
    };
    let (before, after) = (count("B")?, count("A")?);
    let begin = first.checked_sub_months(Months::new(before)).ok_or("not a month")?;
    let shown: Vec<NaiveDate> = (0..=before + after).filter_map(|at| begin.checked_add_months(Months::new(at))).collect();
    Ok(rows(&shown, true))
}

fn month_of(name: &str) -> Result<u32, String> {
    let lower = name.to_lowercase();
    let named = || MONTHS.iter().position(|month| lower.len() >= 3 && month.to_lowercase().starts_with(&lower)).map(|at| at as u32 + 1);
    let number = name.parse::<u32>().ok().filter(|number| (1..=12).contains(number));
    number.or_else(named).ok_or_else(|| format!("{name} is neither a month number (1..12) nor a name"))
}

fn year_of(text: &str) -> Result<i32, String> {
    match text.parse::<i32>() {
        Ok(year) if (FIRST_YEAR..=9999).contains(&year) => Ok(year),
        Ok(year) if (1..FIRST_YEAR).contains(&year) => Err(format!("years before {FIRST_YEAR} are not supported here")),
        Ok(_) => Err(format!("year '{text}' not in range 1..9999")),
        Err(_) => Err(format!("not a valid year {text}")),
    }
}

fn whole_year(year: i32) -> String {
    let months: Vec<NaiveDate> = (1..=12).filter_map(|month| NaiveDate::from_ymd_opt(year, month, 1)).collect();
    let quarters: Vec<String> = months.chunks(BESIDE).map(|quarter| rows(quarter, false)).collect();
    format!("{:>32}\n{}", year, quarters.join("\n"))
}

/// Months beside each other. @param named Whether their year is told with each.
fn rows(months: &[NaiveDate], named: bool) -> String {
    let mut out = String::new();
    for beside in months.chunks(BESIDE) {
        let blocks: Vec<Vec<String>> = beside.iter().map(|first| block(*first, named)).collect();
        for line in 0..WEEKS + 2 {
            for block in &blocks {
                out.push_str(&format!("{:<22}", block[line]));
            }
            out.push('\n');
        }
    }
    out
}

fn block(first: NaiveDate, named: bool) -> Vec<String> {
    let name = MONTHS[first.month0() as usize];
    let title = if named { format!("{name} {}", first.year()) } else { name.to_string() };
    let mut lines = vec![format!("{:^20}", title), DAYS.to_string()];
    let offset = first.weekday().num_days_from_sunday() as usize;
    let length = first.iter_days().take_while(|day| day.month() == first.month()).count();
    for week in 0..WEEKS {
        let cells = (0..7).map(|day| match (week * 7 + day + 1).checked_sub(offset) {
            Some(number) if (1..=length).contains(&number) => format!("{number:>2}"),
            _ => "  ".to_string(),
        });
        lines.push(cells.collect::<Vec<_>>().join(" "));
    }
    lines
}
