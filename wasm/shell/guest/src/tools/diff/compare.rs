//! Which lines of two files differ.

use super::super::options::Parsed;
use std::borrow::Cow;
use std::collections::HashMap;

/// A stretch of lines that is one thing here and another there: numbers of lines from 0, ends excluded.
#[derive(Clone, Copy)]
pub struct Change {
    pub old: (usize, usize),
    pub new: (usize, usize),
}

/// What lines are compared by.
pub fn keys<'a>(options: &Parsed, lines: &[&'a str]) -> Vec<Cow<'a, str>> {
    if !["strip-trailing-cr", "w", "b", "i", "E", "Z"].iter().any(|name| options.has(name)) {
        return lines.iter().map(|line| Cow::Borrowed(*line)).collect();
    }
    lines
        .iter()
        .map(|line| {
            let mut key = (*line).to_string();
            if options.has("strip-trailing-cr") && key.ends_with("\r\n") {
                key.truncate(key.len() - 2);
                key.push('\n');
            }
            if options.has("E") {
                key = expanded(&key);
            }
            if options.has("Z") {
                key = key.trim_end().to_string();
            }
            if options.has("w") {
                key.retain(|letter| !letter.is_whitespace());
            } else if options.has("b") {
                key = key.split_whitespace().collect::<Vec<_>>().join(" ");
                if line.starts_with([' ', '\t']) {
                    key.insert(0, ' ');
                }
            }
            Cow::Owned(if options.has("i") { key.to_lowercase() } else { key })
        })
        .collect()
}

/// With spaces for tabs.
fn expanded(line: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for letter in line.chars() {
        let width = if letter == '\t' { 8 - column % 8 } else { 1 };
        out.extend(std::iter::repeat_n(if letter == '\t' { ' ' } else { letter }, width));
        column += width;
    }
    out
}

/// Myers' algorithm in linear space, after what both begin and end with.
pub fn compare(old: &[Cow<'_, str>], new: &[Cow<'_, str>]) -> Vec<Change> {
    let begin = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[begin..], &new[begin..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut ids = HashMap::new();
    let mut numbered = |lines: &[Cow<'_, str>]| -> Vec<usize> {
        lines
            .iter()
            .map(|line| {
                let next = ids.len();
                *ids.entry(line.to_string()).or_insert(next)
            })
            .collect()
    };
    let (old, new) = (numbered(&old[..old.len() - end]), numbered(&new[..new.len() - end]));
    let mut removed = vec![false; old.len()];
    let mut added = vec![false; new.len()];
    let size = 2 * (old.len() + new.len()) + 3;
    mark(&old, &new, (0, 0), &mut removed, &mut added, &mut vec![0; size], &mut vec![0; size]);
    let mut changes = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let begun = (i, j);
        while i < old.len() && removed[i] {
            i += 1;
        }
        while j < new.len() && added[j] {
            j += 1;
        }
        if (i, j) == begun {
            i += 1;
            j += 1;
        } else {
            changes.push(Change { old: (begin + begun.0, begin + i), new: (begin + begun.1, begin + j) });
        }
    }
    changes
}

fn mark(
    old: &[usize],
    new: &[usize],
    at: (usize, usize),
    removed: &mut [bool],
    added: &mut [bool],
    forward: &mut [isize],
    backward: &mut [isize],
) {
    let begin = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new, at) = (&old[begin..], &new[begin..], (at.0 + begin, at.1 + begin));
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    if old.is_empty() {
        added[at.1..at.1 + new.len()].fill(true);
        return;
    }
    if new.is_empty() {
        removed[at.0..at.0 + old.len()].fill(true);
        return;
    }
    let (x, y) = middle(old, new, forward, backward);
    if (x, y) == (0, 0) || (x, y) == (old.len(), new.len()) {
        removed[at.0..at.0 + old.len()].fill(true);
        added[at.1..at.1 + new.len()].fill(true);
        return;
    }
    mark(&old[..x], &new[..y], at, removed, added, forward, backward);
    mark(&old[x..], &new[y..], (at.0 + x, at.1 + y), removed, added, forward, backward);
}

/// A point on a shortest way from the beginning of both to their end, about half-way.
fn middle(old: &[usize], new: &[usize], forward: &mut [isize], backward: &mut [isize]) -> (usize, usize) {
    let (n, m) = (old.len() as isize, new.len() as isize);
    let zero = n + m + 1;
    let delta = n - m;
    let index = |k: isize| (k + zero) as usize;
    forward[index(1)] = 0;
    backward[index(1)] = 0;
    for d in 0..=(n + m + 1) / 2 {
        for k in (-d..=d).step_by(2) {
            let down = k == -d || k != d && forward[index(k - 1)] < forward[index(k + 1)];
            let mut x = if down { forward[index(k + 1)] } else { forward[index(k - 1)] + 1 };
            while x < n && x - k < m && x >= 0 && x - k >= 0 && old[x as usize] == new[(x - k) as usize] {
                x += 1;
            }
            forward[index(k)] = x;
            let other = delta - k;
            if delta % 2 != 0 && (-(d - 1)..=d - 1).contains(&other) && x + backward[index(other)] >= n {
                return (x.clamp(0, n) as usize, (x - k).clamp(0, m) as usize);
            }
        }
        for k in (-d..=d).step_by(2) {
            let down = k == -d || k != d && backward[index(k - 1)] < backward[index(k + 1)];
            let mut x = if down { backward[index(k + 1)] } else { backward[index(k - 1)] + 1 };
            while x < n && x - k < m && x >= 0 && x - k >= 0 && old[(n - 1 - x) as usize] == new[(m - 1 - (x - k)) as usize] {
                x += 1;
            }
            backward[index(k)] = x;
            let other = delta - k;
            if delta % 2 == 0 && (-d..=d).contains(&other) && x + forward[index(other)] >= n {
                return ((n - x).clamp(0, n) as usize, (m - (x - k)).clamp(0, m) as usize);
            }
        }
    }
    (0, 0)
}
