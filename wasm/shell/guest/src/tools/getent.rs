//! `getent`: of users and groups, as the files tell of them, and of the one host that there is.

use super::Call;

const FILES: [(&str, &str); 2] = [("passwd", "/etc/passwd"), ("group", "/etc/group")];
const HOSTS: [(&str, &str); 1] = [("127.0.0.1", "localhost")];

const MISUSED: i32 = 1;
const NOT_FOUND: i32 = 2;

pub fn run(call: &mut Call<'_>) -> i32 {
    let [database, keys @ ..] = call.args else {
        call.complain("wrong number of arguments");
        return MISUSED;
    };
    let entries: Vec<(Vec<String>, String)> = match database.as_str() {
        "hosts" | "ahosts" | "ahostsv4" => HOSTS
            .iter()
            .map(|(address, name)| (vec![(*address).to_string(), (*name).to_string()], format!("{address:<15} {name}")))
            .collect(),
        other => match FILES.iter().find(|(name, _)| *name == other) {
            Some((_, file)) => match call.read(file) {
                Ok(bytes) => super::text::decode(&bytes).lines().map(entry).collect(),
                Err(_) => Vec::new(),
            },
            None => {
                call.out.clear();
                call.err.push_str(&format!("Unknown database: {other}\n"));
                return MISUSED;
            }
        },
    };
    if keys.is_empty() {
        entries.iter().for_each(|(_, line)| call.out.push_str(&format!("{line}\n")));
        return 0;
    }
    let mut code = 0;
    for key in keys {
        match entries.iter().find(|(names, _)| names.contains(key)) {
            Some((_, line)) => call.out.push_str(&format!("{line}\n")),
            None => code = NOT_FOUND,
        }
    }
    code
}

/// A line, with what it is found by: a name, and a number.
fn entry(line: &str) -> (Vec<String>, String) {
    let fields: Vec<&str> = line.split(':').collect();
    let keys = [0, 2].iter().filter_map(|at| fields.get(*at)).map(|field| (*field).to_string());
    (keys.collect(), line.to_string())
}
