//! `column`: lists in columns, and tables, as util-linux has them.

use super::options::{Parsed, Spec, Value, parse};
use super::text::decode;
use super::{Call, reason};
use serde_json::Value as Json;

const OPTIONS: &[Spec] = &[
    Spec('t', "table", Value::None),
    Spec('s', "separator", Value::Required),
    Spec('o', "output-separator", Value::Required),
    Spec('c', "output-width", Value::Required),
    Spec('x', "fillrows", Value::None),
    Spec('N', "table-columns", Value::Required),
    Spec('R', "table-right", Value::Required),
    Spec('H', "table-hide", Value::Required),
    Spec('O', "table-order", Value::Required),
    Spec('n', "table-name", Value::Required),
    Spec('l', "table-columns-limit", Value::Required),
    Spec('d', "table-noheadings", Value::None),
    Spec('J', "json", Value::None),
    Spec('L', "keep-empty-lines", Value::None),
    Spec('e', "table-header-repeat", Value::None),
    Spec('T', "table-truncate", Value::Required),
    Spec('E', "table-noextreme", Value::Required),
];
/// Of a terminal, where there is none.
const WIDTH: usize = 80;
const TAB: usize = 8;
const BLANKS: [char; 2] = [' ', '\t'];

pub fn reads_input(args: &[String]) -> bool {
    parse(args, OPTIONS).is_ok_and(|options| options.operands.is_empty())
}

pub fn run(call: &mut Call<'_>) -> i32 {
    match columnate(call) {
        Ok(code) => code,
        Err(problem) => {
            call.complain(&problem);
            1
        }
    }
}

fn columnate(call: &mut Call<'_>) -> Result<i32, String> {
    let options = parse(call.args, OPTIONS)?;
    let mut code = 0;
    let mut text = String::new();
    let stdin = ["-".to_string()];
    for name in if options.operands.is_empty() { &stdin[..] } else { &options.operands } {
        match call.read(name) {
            Ok(bytes) => text.push_str(&decode(&bytes)),
            Err(error) => {
                call.complain(&format!("{name}: {}", reason(&error)));
                code = 1;
            }
        }
    }
    let keep = options.has("L");
    let lines = text.lines().filter(|line| keep || !line.trim_matches(BLANKS).is_empty());
    if options.has("t") || options.has("J") || options.has("N") {
        let table = Table::new(lines, &options)?;
        call.out.push_str(&if options.has("J") { table.json(&options) } else { table.text(&options) });
        return Ok(code);
    }
    let asked = options.value("c").map(str::to_string).or_else(|| call.environment.get("COLUMNS").cloned());
    let width = match asked.as_deref() {
        Some("unlimited" | "0") => usize::MAX,
        Some(width) => width.parse().map_err(|_| format!("invalid columns argument: '{width}'"))?,
        None => WIDTH,
    };
    let entries: Vec<&str> = lines.map(|line| line.trim_start_matches(BLANKS)).collect();
    list(&entries, width, options.has("x"), &mut call.out);
    Ok(code)
}

/// Columns that a terminal shows a text in.
fn width_of(text: &str) -> usize {
    text.chars().map(width_of_char).sum()
}

pub fn width_of_char(c: char) -> usize {
    match c as u32 {
        0..=0x1f | 0x7f | 0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60
        | 0xffe0..=0xffe6 | 0x1f300..=0x1f64f | 0x1f900..=0x1f9ff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

fn list(entries: &[&str], width: usize, by_rows: bool, out: &mut String) {
    let longest = entries.iter().map(|entry| width_of(entry)).max().unwrap_or(0);
    let cell = (longest + TAB) / TAB * TAB;
    if entries.is_empty() {
        return;
    }
    let per_row = (width / cell).max(1);
    let rows = entries.len().div_ceil(per_row);
    if longest >= width || per_row == 1 {
        out.extend(entries.iter().flat_map(|entry| [entry, "\n"]));
        return;
    }
    let columns = if by_rows { per_row } else { entries.len().div_ceil(rows) };
    for row in 0..rows {
        let at = |column: usize| if by_rows { row * columns + column } else { column * rows + row };
        let mut end = 0;
        for (column, entry) in (0..columns).map_while(|column| Some((column, entries.get(at(column))?))) {
            while end < column * cell {
                out.push('\t');
                end = end / TAB * TAB + TAB;
            }
            out.push_str(entry);
            end += width_of(entry);
        }
        out.push('\n');
    }
}

struct Column {
    name: Option<String>,
    right: bool,
    hidden: bool,
}

struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    order: Vec<usize>,
}

impl Table {
    fn new<'a>(lines: impl Iterator<Item = &'a str>, options: &Parsed) -> Result<Self, String> {
        for (option, name) in [("T", "table-truncate"), ("E", "table-noextreme"), ("e", "table-header-repeat")] {
            if options.has(option) {
                return Err(format!("--{name} is not there: a table has no width of a terminal here"));
            }
        }
        let separators: Option<Vec<char>> = options.value("s").map(|text| text.chars().collect());
        let limit = options.value("l").map(|text| text.parse().map_err(|_| format!("invalid columns limit argument: '{text}'")));
        let limit = limit.transpose()?.unwrap_or(usize::MAX);
        let rows: Vec<Vec<String>> = lines.map(|line| fields(line, separators.as_deref(), limit)).collect();
        let names: Vec<String> =
            options.value("N").map(|names| names.split(',').map(str::to_string).collect()).unwrap_or_default();
        let count = rows.iter().map(Vec::len).max().unwrap_or(0).max(names.len());
        let columns = (0..count)
            .map(|at| Column { name: names.get(at).cloned(), right: false, hidden: false })
            .collect();
        let mut table = Self { columns, rows, order: (0..count).collect() };
        for at in table.named(options.value("R"), options)? {
            table.columns[at].right = true;
        }
        for at in table.named(options.value("H"), options)? {
            table.columns[at].hidden = true;
        }
        let first = table.named(options.value("O"), options)?;
        let rest = (0..count).filter(|at| !first.contains(at)).collect::<Vec<_>>();
        table.order = first.iter().copied().chain(rest).collect();
        Ok(table)
    }

    /// The columns in `1,NAME,-`: `-` are those without a name, `-1` the last one.
    fn named(&self, list: Option<&str>, options: &Parsed) -> Result<Vec<usize>, String> {
        let mut found = Vec::new();
        for item in list.unwrap_or_default().split(',').filter(|item| !item.is_empty()) {
            let by_name = self.columns.iter().position(|column| column.name.as_deref() == Some(item));
            let by_number = || item.parse::<usize>().ok().filter(|number| (1..=self.columns.len()).contains(number));
            if let Some(at) = by_name.or_else(|| by_number().map(|number| number - 1)) {
                found.push(at);
            } else if item == "0" {
                found.extend(0..self.columns.len());
            } else if item == "-" && options.has("N") {
                found.extend((0..self.columns.len()).filter(|at| self.columns[*at].name.is_none()));
            } else if item == "-1" && !self.columns.is_empty() {
                found.push(self.columns.len() - 1);
            } else {
                return Err(format!("undefined column name '{item}'"));
            }
        }
        Ok(found)
    }

    fn shown(&self) -> Vec<usize> {
        self.order.iter().copied().filter(|at| !self.columns[*at].hidden).collect()
    }

    fn text(&self, options: &Parsed) -> String {
        let between = options.value("o").unwrap_or("  ");
        let shown = self.shown();
        let headed = options.has("N") && !options.has("d");
        let head = headed.then(|| self.columns.iter().map(|column| column.name.clone().unwrap_or_default()).collect());
        let rows: Vec<&Vec<String>> = head.iter().chain(&self.rows).collect();
        let cell = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
        let widths: Vec<usize> = shown
            .iter()
            .map(|at| rows.iter().map(|row| width_of(row.get(*at).map_or("", String::as_str))).max().unwrap_or(0))
            .collect();
        let mut out = String::new();
        for row in rows {
            if row.is_empty() {
                out.push('\n');
                continue;
            }
            for (place, (&at, &width)) in shown.iter().zip(&widths).enumerate() {
                let text = cell(row, at);
                let padding = " ".repeat(width - width_of(&text));
                let last = place + 1 == shown.len();
                match (self.columns[at].right, last) {
                    (true, _) => out.extend([padding.as_str(), &text]),
                    (false, true) => out.push_str(&text),
                    (false, false) => out.extend([&text, padding.as_str()]),
                }
                if !last {
                    out.push_str(between);
                }
            }
            out.push('\n');
        }
        out
    }

    fn json(&self, options: &Parsed) -> String {
        let name = options.value("n").unwrap_or("table");
        let quoted = |text: &str| Json::String(text.to_string()).to_string();
        let shown = self.shown();
        let mut out = format!("{{\n   {}: [\n", quoted(name));
        for (place, row) in self.rows.iter().enumerate() {
            let fields: Vec<String> = shown
                .iter()
                .map(|&at| {
                    let column = self.columns[at].name.as_deref().unwrap_or_default().to_lowercase();
                    let value = row.get(at).filter(|text| !text.is_empty()).map_or("null".to_string(), |text| quoted(text));
                    format!("         {}: {value}", quoted(&column))
                })
                .collect();
            let opening = if place == 0 { "      {\n" } else { "{\n" };
            let end = if place + 1 < self.rows.len() { "\n      }," } else { "\n      }\n" };
            out.push_str(&format!("{opening}{}{end}", fields.join(",\n")));
        }
        out + "   ]\n}\n"
    }
}

fn fields(line: &str, separators: Option<&[char]>, limit: usize) -> Vec<String> {
    let Some(separators) = separators else {
        let mut words = Vec::new();
        let mut rest = line.trim_matches(BLANKS);
        while !rest.is_empty() {
            if words.len() + 1 == limit {
                words.push(rest.to_string());
                break;
            }
            let end = rest.find(BLANKS).unwrap_or(rest.len());
            words.push(rest[..end].to_string());
            rest = rest[end..].trim_start_matches(BLANKS);
        }
        return words;
    };
    let is_separator = |c: char| separators.contains(&c);
    line.splitn(limit.max(1), is_separator).map(str::to_string).collect()
}
